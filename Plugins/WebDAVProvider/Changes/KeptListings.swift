internal import DocumentModel

/// Folders as they were listed, on a server that tells what has changed in a folder since: so the next listing is as short as
/// the changes. A value without I/O.
struct KeptListings: Sendable {
    struct Folder: Sendable {
        var token: String
        var entries: [RemoteName: Properties]
        /// By the clock that never goes back.
        var listed: ContinuousClock.Instant
    }

    private static let mostFolders = 4096
    private let mostEntries: Int
    private var folders: [RemotePath: Folder] = [:]
    private var count = 0

    init(mostEntries: Int = 200_000) {
        self.mostEntries = mostEntries
    }

    func folder(_ path: RemotePath) -> Folder? { folders[path] }

    mutating func keep(_ folder: Folder, of path: RemotePath) {
        forget(path)
        guard folder.entries.count <= mostEntries else { return }
        // All at once, and seldom: whoever is asked for everything would have the oldest of so many looked for each time.
        if count + folder.entries.count > mostEntries || folders.count >= Self.mostFolders {
            folders = [:]
            count = 0
        }
        folders[path] = folder
        count += folder.entries.count
    }

    mutating func forget(_ path: RemotePath) {
        if let folder = folders.removeValue(forKey: path) { count -= folder.entries.count }
    }
}

extension KeptListings.Folder {
    /// Takes up what has changed in the folder.
    mutating func take(_ report: ChangeReport) {
        for (path, properties) in report.changes {
            guard let name = path.name else { continue }
            entries[name] = properties
        }
        token = report.token
    }

    var sorted: [Listings.Entry] {
        entries.map { Listings.Entry(name: $0, properties: $1) }.sorted { $0.name < $1.name }
    }
}
