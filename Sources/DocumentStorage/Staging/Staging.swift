internal import CDocentShims
package import DocumentModel
internal import Glibc
package import SystemPackage

/// Transfers in progress: one folder a request below `.docent/staging`, on the documents' own file system. What a
/// provider is to fill and what it is to take lie apart, and apart from what other domains' providers get to see.
package struct Staging: Sendable {
    let folder: DirectoryHandle
    private let path: FilePath
    let tree: DocumentTree
    private let spares = SpareRequests()

    init(folder: DirectoryHandle, path: FilePath, tree: DocumentTree) {
        self.folder = folder
        self.path = path
        self.tree = tree
    }

    func place(of name: String) -> FilePath { FilePath("\(path.string)/\(name)") }

    /// Makes a request's folder, with a random name.
    package func makeRequest(_ use: StagingUse = .own) throws -> StagingRequest {
        let leaf = RandomName.make()
        let around = try folder.makingFolders(use.components)
        guard try around.makeFolder(leaf) else {
            throw DocumentError(.internal, "The name “\(leaf)” is taken in staging: try again.")
        }
        let name = (use.components + [leaf]).joined(separator: "/")
        return StagingRequest(
            name: name, path: place(of: name), folder: try around.folder([leaf]),
            around: around, staging: folder)
    }

    /// Makes a request's folder for a document that is sent or fetched, or takes one that another document was sent from, or
    /// fetched into. To be followed by ``end(_:keeping:)``, or ``end(emptied:)``.
    func makeRequest(reusing use: StagingUse) throws -> StagingRequest {
        let (leaf, side) = (RandomName.make(), use.components.joined(separator: "/"))
        let spare = spares.begin(leaf, in: side)
        do {
            let around = try folder.makingFolders(use.components)
            // What was fetched into it was withdrawn from the provider with it.
            let isSpare =
                try spare.map { spare in
                    try around.rename(spare, to: around, leaf, .notReplacing) == .done
                        || folder.rename(spare, to: around, leaf, .notReplacing) == .done
                } ?? false
            guard try isSpare || around.makeFolder(leaf) else {
                throw DocumentError(.internal, "The name “\(leaf)” is taken in staging: try again.")
            }
            let name = "\(side)/\(leaf)"
            return StagingRequest(
                name: name, path: place(of: name), folder: try around.folder([leaf]),
                around: around, staging: folder, isSpare: isSpare)
        } catch {
            try? end("\(side)/\(leaf)")
            throw error
        }
    }

    /// Removes a request's folder, or keeps it for the next.
    ///
    /// - Parameter keeping: while others are under way that were made by ``makeRequest(reusing:)``, as this one was.
    func end(_ name: String, keeping: Bool = false) throws {
        guard let slash = name.lastIndex(of: "/") else {
            try request(named: name)?.remove()
            return
        }
        let side = String(name[..<slash])
        for leaf in spares.end(String(name[slash...].dropFirst()), in: side, keeping: keeping) {
            try request(named: "\(side)/\(leaf)")?.remove()
        }
    }

    /// The same of one whose file has gone to its place.
    func end(emptied request: StagingRequest) throws {
        let side = String(request.name.dropLast(request.leaf.count + 1))
        for leaf in spares.end(request.leaf, in: side, keeping: true) {
            if leaf == request.leaf {
                try request.removeEmptied()
            } else {
                try self.request(named: "\(side)/\(leaf)")?.remove()
            }
        }
    }

    /// A request's folder that is there already, from before a crash; nil when it is gone.
    package func request(named name: String) throws -> StagingRequest? {
        guard let found = try folder.requestIfPresent(named: name) else { return nil }
        let around = name.split(separator: "/").dropLast().map(String.init)
        return StagingRequest(
            name: name, path: place(of: name), folder: found,
            around: try folder.makingFolders(around), staging: folder)
    }

    /// The folder in which a domain's provider finds what it is to fill, or to take; made when it is missing.
    package func folder(for use: StagingUse) throws -> FilePath {
        _ = try folder.makingFolders(use.components)
        return place(of: use.components.joined(separator: "/"))
    }

    /// Removes both folders of a domain that is gone, with all that is in them.
    package func removeFolders(of domain: DomainName) throws {
        for use in [StagingUse.fetching(domain), .sending(domain)] {
            let around = try folder.folderIfPresent(use.components.dropLast())
            try around?.removeTree(domain.rawValue, .folder)
            // Another provider's domain of that name is not to get what this one's has left in them.
            for leaf in spares.forget(use.components.joined(separator: "/")) where try folder.status(leaf) != nil {
                try folder.removeTree(leaf, .folder)
            }
        }
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
        let status = try file.status()
        guard status.isFile else {
            throw DocumentError(.invalidArgument, "\(source) is not a file: name a document.")
        }
        guard status.raw.size > 0 || isEmpty(file) else {
            throw DocumentError(
                .invalidArgument, "\(source) has contents and no size, as files of /proc have: name a document.")
        }
        return try request.copy(file, named: source.string)
    }

    /// Whether there is nothing to be read, as a size of 0 says; what the kernel makes up at each reading has it, too.
    private func isEmpty(_ file: OpenFile) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { byte in
            guard let start = byte.baseAddress else { return true }
            return kernel(.read) { docent_pread(file.descriptor, start, 1, 0) } == 0
        }
    }

    /// The names of files that were on their way out of the tree when the host ended.
    func leaving() throws -> [String] {
        var names: [String] = []
        try folder.forEachEntry { name, kind in
            if let name, kind == .file, name.hasPrefix(DocumentTree.leavingPrefix) { names.append(name) }
        }
        return names
    }

    /// One of them, with its stamp; and where it was, if it was on its way into the trash.
    func leavingFile(_ name: String) throws -> (file: StagedFile, stamp: ItemStamp?, trashed: Location?)? {
        guard let file = try folder.file(name) else { return nil }
        let stamp = try file.attribute(ItemStamp.attribute).flatMap(ItemStamp.init(bytes:))
        let staged = StagedFile(
            request: "", name: name, path: place(of: name), identity: try file.status().identity)
        return (staged, stamp, try TrashStore.label(of: file))
    }

    /// Has a file of a request that is to go be found as one that was on its way out of the tree.
    ///
    /// - Returns: its name.
    func setAside(_ file: StagedFile) throws -> String {
        let name = DocumentTree.leavingPrefix + RandomName.make()
        _ = try self.folder(of: file).rename(file.name, to: folder, name, .notReplacing)
        return name
    }

    func hand(_ file: StagedFile, to slot: TrashStore.Slot) throws {
        _ = try folder(of: file).rename(file.name, to: slot.folder, slot.id, .notReplacing)
    }

    /// A request's folder; staging's own for a file that belongs to no request.
    func folder(of file: StagedFile) throws -> DirectoryHandle {
        if file.request.isEmpty { return folder }
        guard let found = try folder.requestIfPresent(named: file.request) else {
            throw DocumentError(.localStorage, "The staging folder of \(file.path) does not exist: try again.")
        }
        return found
    }

    /// Removes what a former host left; nothing of it is ever adopted.
    ///
    /// - Parameter keeping: requests that an open journal entry still needs.
    /// - Returns: how many requests it were.
    package func sweep(keeping: Set<String> = []) throws -> Int {
        // One that was withdrawn from its provider lies under its last name.
        let leaves = Set(keeping.map(Self.leaf))
        return try StagingUse.folders.reduce(try sweep(folder, keeping: leaves.union(StagingUse.folders))) {
            try $0 + sweep(side: $1, keeping: leaves)
        }
    }

    /// Removes what providers were filling for a former host: it is asked for anew.
    ///
    /// - Parameter keeping: requests of which parts are known to be here.
    /// - Returns: how many requests it were.
    func sweepFetched(keeping: Set<String> = []) throws -> Int {
        try sweep(side: StagingUse.fetchFolder, keeping: Set(keeping.map(Self.leaf)))
    }

    private static func leaf(of name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }

    /// Removes requests of all domains on one side.
    private func sweep(side: String, keeping: Set<String>) throws -> Int {
        guard let domains = try folder.folderIfPresent([side]) else { return 0 }
        var count = 0
        for name in try domains.entries().map(\.name) {
            if let requests = try domains.folderIfPresent([name]) {
                count += try sweep(requests, keeping: keeping)
            }
            do {
                _ = try domains.removeFolder(name)
            } catch let error as DocumentError where error.code == .directoryNotEmpty {
                continue
            }
        }
        return count
    }

    private func sweep(_ folder: DirectoryHandle, keeping: Set<String>) throws -> Int {
        let leftovers = try folder.entries().filter { !keeping.contains($0.name) }
        for (name, kind) in leftovers { try folder.removeTree(name, kind) }
        return leftovers.count
    }
}

extension DirectoryHandle {
    /// Of staging: a request's folder, where its provider sees it or withdrawn from there.
    func requestIfPresent(named name: String) throws -> DirectoryHandle? {
        let components = name.split(separator: "/").map(String.init)
        return try folderIfPresent(components) ?? folderIfPresent(components.suffix(1))
    }

    /// What is in it, but for names that are not UTF-8.
    fileprivate func entries() throws -> [(name: String, kind: EntryKind)] {
        var entries: [(String, EntryKind)] = []
        try forEachEntry { name, kind in
            if let name { entries.append((name, kind)) }
        }
        return entries
    }

    /// Removes a file, or a folder with all that is in it; a provider may have filled it, with names that are no text,
    /// with folders that nobody may open, and as deep as it liked.
    func removeTree(_ name: String, _ kind: EntryKind) throws {
        guard kind == .folder else {
            try unlink(name)
            return
        }
        let result = kernel(.unlink) { docent_remove_tree(descriptor, name) }
        guard result >= 0 else {
            throw DocumentError.system(result, "The folder “\(path)/\(name)” could not be removed")
        }
    }
}
