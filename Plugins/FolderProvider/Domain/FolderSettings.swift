internal import DocumentModel
internal import Logging
internal import SystemPackage

/// What the domain was set up with.
struct FolderSettings: Sendable {
    var folder: FilePath
    var isReadOnly: Bool
    var stateFolder: FilePath
    /// Folders of the host, which are never provided even when they lie in the folder.
    var hostFolders: [FilePath]
    var pace = Pace()

    /// How fast to react; tests make it faster or slower.
    struct Pace: Sendable {
        /// From the first sign of a change to telling the host.
        var debounce: Int32 = 50
        /// The longest time between two signals to the host while changes go on.
        var longestDebounce: Int32 = 1000
        /// Between looking at everything, where the system cannot tell of changes.
        var rescan: Int32 = 15_000
        /// Between looking for a top folder that is gone.
        var retry: Int32 = 2000
        /// How long one look may read files to find out whether they have other contents; everybody waits for it.
        var longestReading = Duration.milliseconds(250)
        /// What that is told by.
        var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
        /// How many folders may be watched; nil for as many as the system allows.
        var watchLimit: Int?
        var feedCapacity = 1 << 18
        /// How many bytes of the state may be stale before it is rewritten.
        var stateSlack: Int64 = 1 << 22
    }

    static let folderKey = "folder"
    static let readOnlyKey = "read-only"

    init(folder: FilePath, isReadOnly: Bool = false, stateFolder: FilePath, hostFolders: [FilePath] = []) {
        self.folder = folder
        self.isReadOnly = isReadOnly
        self.stateFolder = stateFolder
        self.hostFolders = hostFolders
    }

    /// - Throws: `notConfigured`.
    init(
        _ settings: [String: String], stateFolder: FilePath, hostFolders: [FilePath]
    ) throws(DocumentError) {
        guard let folder = settings[Self.folderKey], !folder.isEmpty else {
            throw DocumentError(
                .notConfigured, "The setting “folder” is missing: give the absolute path of the folder to provide.")
        }
        guard folder.utf8.first == UInt8(ascii: "/") else {
            throw DocumentError(
                .notConfigured,
                "The setting “folder” must be an absolute path; “\(folder)” does not begin with a slash.")
        }
        let path = FilePath(folder).lexicallyNormalized()
        for host in hostFolders where path.starts(with: host) {
            throw DocumentError(
                .notConfigured, "“\(folder)” lies in Docent's own storage; choose a folder outside “\(host)”.")
        }
        switch settings[Self.readOnlyKey] ?? "false" {
        case "true": isReadOnly = true
        case "false": isReadOnly = false
        case let other:
            throw DocumentError(.notConfigured, "The setting “read-only” must be true or false, not “\(other)”.")
        }
        self.folder = path
        self.stateFolder = stateFolder
        self.hostFolders = hostFolders
    }
}

extension FolderSettings {
    /// What of the host is never provided: the storage root, and the folder that holds the provider's own state.
    static func hostFolders(storageRoot: FilePath, stateFolder: FilePath) -> [FilePath] {
        var folders = [storageRoot, stateFolder]
        var parent = stateFolder
        while parent.removeLastComponent() {
            if parent.lastComponent?.string == ".docent" { folders.append(parent) }
        }
        return folders
    }
}
