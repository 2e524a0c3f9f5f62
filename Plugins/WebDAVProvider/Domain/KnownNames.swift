internal import DocumentModel

/// What was in each folder when it was last listed: what is missing suddenly is looked for once more.
struct KnownNames: Sendable {
    /// More names than this are not kept.
    private static let mostNames = 200_000

    private var folders: [RemotePath: Set<RemoteName>] = [:]
    private var count = 0

    /// What was there and is not in a listing.
    func missing(_ entries: [Listings.Entry], in folder: RemotePath) -> Set<RemoteName> {
        guard let names = folders[folder], !names.isEmpty else { return [] }
        return names.subtracting(entries.map(\.name))
    }

    /// - Parameter hidden: what was there, and is out of sight while somebody changes it.
    mutating func saw(_ entries: [Listings.Entry], hidden: Set<RemoteName> = [], in folder: RemotePath) {
        let names = hidden.union(entries.map(\.name))
        count += names.count - (folders[folder]?.count ?? 0)
        folders[folder] = names
        guard count > Self.mostNames else { return }
        folders = [folder: names]
        count = names.count
    }

    /// All that was seen below a folder.
    func below(_ path: RemotePath) -> [RemotePath] {
        folders.filter { $0.key.names.starts(with: path.names) }
            .flatMap { folder, names in names.map { folder.appending($0) } }
    }

    /// A folder has another place, with all that is below it.
    mutating func move(_ source: RemotePath, to target: RemotePath) {
        for (folder, names) in folders where folder.names.starts(with: source.names) {
            folders[folder] = nil
            let place = RemotePath(names: target.names + folder.names.dropFirst(source.names.count))
            count -= folders.updateValue(names, forKey: place)?.count ?? 0
        }
    }

    mutating func forget(_ name: RemoteName, in folder: RemotePath) {
        if folders[folder]?.remove(name) != nil { count -= 1 }
    }
}
