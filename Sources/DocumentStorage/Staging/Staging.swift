internal import CDocentShims
package import DocumentModel
internal import Glibc
package import SystemPackage

/// Transfers in progress: one folder a request below `.docent/staging`, on the documents' own file system.
package struct Staging: Sendable {
    let folder: DirectoryHandle
    private let path: FilePath
    private let tree: DocumentTree

    init(folder: DirectoryHandle, path: FilePath, tree: DocumentTree) {
        self.folder = folder
        self.path = path
        self.tree = tree
    }

    /// Makes a request's folder, with a random name.
    package func makeRequest() throws -> StagingRequest {
        let name = RandomName.make()
        guard try folder.makeFolder(name) else {
            throw DocumentError(.internal, "The name “\(name)” is taken in staging: try again.")
        }
        return StagingRequest(
            name: name, path: path.appending(name), folder: try folder.folder([name]), staging: folder)
    }

    /// A request's folder that is there already, from before a crash; nil when it is gone.
    package func request(named name: String) throws -> StagingRequest? {
        guard let found = try folder.folderIfPresent([name]) else { return nil }
        return StagingRequest(name: name, path: path.appending(name), folder: found, staging: folder)
    }

    /// A copy of a document to send, that is known not to have changed while it was made; `busy` when it keeps
    /// changing, `noSuchItem` when it is not there.
    package func snapshot(of location: Location, in request: StagingRequest) throws -> StagedFile {
        guard let source = try tree.open(location) else {
            throw DocumentError(
                .localStorage, "\(tree.path(of: location)) is gone: there is nothing to send. Open the item again.")
        }
        return try request.copy(source, named: tree.path(of: location).string)
    }

    /// The same, of a file outside the storage root.
    ///
    /// - Parameter followingLink: whether it may be a symbolic link.
    package func snapshot(
        ofFileAt source: FilePath, followingLink: Bool = true, in request: StagingRequest
    ) throws -> StagedFile {
        let flags = O_RDONLY | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW)
        let result = kernel(.open) {
            source.withPlatformString { docent_openat2(Int32(DOCENT_AT_FDCWD), $0, UInt64(flags), 0, 0) }
        }
        switch result {
        case -Int(ENOENT), -Int(ENOTDIR):
            throw DocumentError(.invalidArgument, "There is no file at \(source): check the path.")
        case -Int(ELOOP) where !followingLink:
            throw DocumentError(.invalidArgument, "\(source) is a symbolic link: name the document that it leads to.")
        case ..<0: throw DocumentError.system(result, "\(source) could not be opened")
        default: break
        }
        let file = OpenFile(descriptor: Int32(result), name: source.string)
        guard try file.status().isFile else {
            throw DocumentError(.invalidArgument, "\(source) is not a file: name a document.")
        }
        return try request.copy(file, named: source.string)
    }

    /// Files that were on their way out of the tree when the host ended, with their stamps.
    func leaving() throws -> [(file: StagedFile, stamp: ItemStamp?)] {
        var names: [String] = []
        try folder.forEachEntry { name, kind in
            if let name, kind == .file, name.hasPrefix(DocumentTree.leavingPrefix) { names.append(name) }
        }
        return try names.compactMap { name in
            guard let file = try folder.file(name) else { return nil }
            let stamp = try file.attribute(ItemStamp.attribute).flatMap(ItemStamp.init(bytes:))
            let staged = StagedFile(
                request: "", name: name, path: path.appending(name), identity: try file.status().identity)
            return (staged, stamp)
        }
    }

    /// A request's folder; staging's own for a file that belongs to no request.
    func folder(of file: StagedFile) throws -> DirectoryHandle {
        file.request.isEmpty ? folder : try folder.folder([file.request])
    }

    /// Removes what a former host left; nothing of it is ever adopted.
    ///
    /// - Parameter keeping: requests that an open journal entry still needs.
    /// - Returns: how many requests it were.
    package func sweep(keeping: Set<String> = []) throws -> Int {
        var names: [(String, DirectoryHandle.EntryKind)] = []
        try folder.forEachEntry { name, kind in
            if let name, !keeping.contains(name) { names.append((name, kind)) }
        }
        for (name, kind) in names { try folder.removeTree(name, kind) }
        return names.count
    }
}

extension DirectoryHandle {
    /// Removes a file, or a folder with all that is in it.
    func removeTree(_ name: String, _ kind: EntryKind) throws {
        guard kind == .folder, let inner = try folderIfPresent([name]) else {
            try unlink(name)
            return
        }
        var entries: [(String, EntryKind)] = []
        try inner.forEachEntry { name, kind in
            if let name { entries.append((name, kind)) }
        }
        for (name, kind) in entries { try inner.removeTree(name, kind) }
        _ = try removeFolder(name)
    }
}
