internal import CDocentShims
package import DocumentModel
internal import Glibc
package import SystemPackage

/// The documents that people and host tools see: `documents/<domain>/…`.
///
/// Every path is opened beneath `documents`, and no symbolic link is followed.
package struct DocumentTree: Sendable {
    let documents: DirectoryHandle
    let staging: DirectoryHandle
    private let root: FilePath
    package let folderMoves = FolderMoves()

    init(documents: DirectoryHandle, staging: DirectoryHandle, root: FilePath) {
        self.documents = documents
        self.staging = staging
        self.root = root
    }

    // MARK: Paths

    /// Where a document is, or would be. Pure.
    package func path(of location: Location) -> FilePath {
        FilePath(([root.string] + location.treeComponents).joined(separator: "/"))
    }

    /// Where an item's placeholder is, or would be; nil for a top folder. Pure, injective, and never a document's
    /// path, because no item may have the folder's name (PH-2).
    package func placeholderPath(of location: Location) -> FilePath? {
        guard let name = location.name, let parent = location.parent else { return nil }
        return path(of: parent).appending(ItemName.placeholderFolder).appending(name.rawValue)
    }

    /// The location of a path, be it a document's or a placeholder's; nil outside the tree (ID-2). Pure: whether
    /// there is such an item is the index's to say.
    package func location(of path: FilePath) -> Location? {
        let path = path.string.utf8
        let prefix = root.string.utf8
        let slash = UInt8(ascii: "/")
        guard path.starts(with: prefix), path.dropFirst(prefix.count).first == slash else { return nil }
        var components = path.dropFirst(prefix.count).split(separator: slash).map { String(Substring($0)) }
        guard let first = components.first, let domain = try? DomainName(first) else { return nil }
        components.removeFirst()
        if components.count >= 2, components[components.count - 2] == ItemName.placeholderFolder {
            components.remove(at: components.count - 2)
        }
        var names: [ItemName] = []
        for component in components {
            guard let name = try? ItemName(component) else { return nil }
            names.append(name)
        }
        return Location(domain: domain, components: names)
    }

    /// Whether each store of a program to a file that it has mapped shows in the file's times, once what it holds in memory is
    /// written back: not so in file systems that are nothing but memory.
    var tellsOfStores: Bool { !documents.isInMemory }

    // MARK: Looking

    /// The file's identity; nil when nothing is there. Throws when something else than a file is there.
    package func file(at location: Location) throws -> FileIdentity? {
        let (parent, name) = try place(of: location)
        guard let folder = try documents.folderIfPresent(parent, asPlace: true), let status = try folder.status(name)
        else {
            return nil
        }
        guard status.isFile else { throw notAFile(location) }
        return status.identity
    }

    /// The stamp that a document carries; nil when there is no document, or none with a stamp.
    package func stamp(at location: Location) throws -> ItemStamp? {
        guard let file = try open(location) else { return nil }
        return try file.attribute(ItemStamp.attribute).flatMap(ItemStamp.init(bytes:))
    }

    /// Opens a document for reading; nil when there is none.
    func open(_ location: Location) throws -> OpenFile? { try openInFolder(location)?.file }

    private func openInFolder(_ location: Location) throws -> (file: OpenFile, folder: DirectoryHandle)? {
        let (parent, name) = try place(of: location)
        guard let folder = try documents.folderIfPresent(parent), let file = try folder.file(name) else { return nil }
        guard try file.status().isFile else { throw notAFile(location) }
        return (file, folder)
    }

    /// Opens a document's file for somebody else, who closes it.
    ///
    /// - Parameter making: make it when there is none.
    /// - Returns: nil when there is none, or nothing around it.
    package func openFile(at location: Location, writing: Bool, making: Bool) throws -> FileDescriptor? {
        let (parent, name) = try place(of: location)
        let flags = (writing ? O_RDWR : O_RDONLY) | (making ? O_CREAT : 0) | O_NONBLOCK
        guard let folder = try documents.folderIfPresent(parent), let file = try folder.file(name, flags) else {
            return nil
        }
        guard try file.status().isFile else { throw notAFile(location) }
        return try file.copy()
    }

    // MARK: Folders

    package func makeFolder(at location: Location) throws {
        _ = try documents.makingFolders(location.treeComponents)
    }

    /// Removes a folder with its placeholders; `directoryNotEmpty` when a document is in it.
    package func removeFolder(at location: Location) throws {
        let components = location.treeComponents
        guard let name = components.last, let parent = try documents.folderIfPresent(components.dropLast()),
            let status = try parent.status(name)
        else { return }
        guard status.isFolder else {
            throw DocumentError(
                .localStorage, "\(path(of: location)) should be a folder, and is none: move it elsewhere.")
        }
        let folder = try parent.folder([name])
        try refuseDocuments(in: folder, location)
        try removeEmptyFolders(in: folder)
        _ = try parent.removeFolder(name)
    }

    /// Whether a folder is there in which nothing but placeholders is left, at any depth.
    func holdsOnlyPlaceholders(_ location: Location) throws -> Bool {
        guard let folder = try documents.folderIfNotReplaced(location.treeComponents) else { return false }
        do {
            try refuseDocuments(in: folder, location)
            return true
        } catch let error as DocumentError where error.code == .directoryNotEmpty {
            return false
        }
    }

    /// Whether the host has put placeholders into a folder, which no program does.
    func hasPlaceholders(_ location: Location) throws -> Bool {
        try documents.folderIfNotReplaced(location.treeComponents + [ItemName.placeholderFolder]) != nil
    }

    private func refuseDocuments(in folder: DirectoryHandle, _ location: Location) throws {
        try folder.forEachEntry { name, kind in
            guard kind == .folder, let name else {
                throw DocumentError(
                    .directoryNotEmpty,
                    "\(path(of: location)) still holds “\(name ?? "a file whose name is not UTF-8")”: it stays."
                )
            }
            if name == ItemName.placeholderFolder { return }
            try refuseDocuments(in: folder.folder([name]), location)
        }
    }

    private func removeEmptyFolders(in folder: DirectoryHandle) throws {
        var folders: [String] = []
        try folder.forEachEntry { name, kind in
            if kind == .folder, let name { folders.append(name) }
        }
        for name in folders {
            let inner = try folder.folder([name])
            if name == ItemName.placeholderFolder {
                var placeholders: [String] = []
                try inner.forEachEntry { name, kind in
                    if kind != .folder, let name { placeholders.append(name) }
                }
                for placeholder in placeholders { try inner.unlink(placeholder) }
            } else {
                try removeEmptyFolders(in: inner)
            }
            _ = try folder.removeFolder(name)
        }
    }

    // MARK: Durability

    /// Makes what was written to a document durable, its name included.
    ///
    /// - Returns: its identity before that: what a program stores into its mapping of the file meanwhile is another state of
    ///   it, and afterwards shows in the file's time.
    package func flush(_ location: Location) throws -> FileIdentity? {
        guard let (file, folder) = try openInFolder(location) else { return nil }
        let identity = try file.status().identity
        try file.flush()
        // Wherever it is by now.
        try folder.flush()
        return identity
    }

    /// Makes durable that files are not at their places any more: flushes each folder around them once, or what is around that
    /// where it is gone, too.
    func flushFolders(left places: [Location]) throws {
        var done: Set<[String]> = []
        for place in places {
            var folder = place.treeComponents.dropLast()
            while done.insert(Array(folder)).inserted {
                if let handle = (try? documents.folderIfPresent(folder)) ?? nil {
                    try handle.flush()
                    break
                }
                if !folder.isEmpty { folder.removeLast() }
            }
        }
    }

    // MARK: Shared with the extensions

    func place(of location: Location) throws -> (parent: [String], name: String) {
        guard let name = location.name, let parent = location.parent else {
            throw DocumentError(.invalidArgument, "\(location) is a domain's top folder, not a document.")
        }
        return (parent.treeComponents, name.rawValue)
    }

    func notAFile(_ location: Location) -> DocumentError {
        DocumentError(
            .localStorage,
            "\(path(of: location)) should be a document, and is a folder, a link or something else: move it elsewhere."
        )
    }
}

extension DocumentTree {
    /// Gives a document a new stamp, when it still is what was recorded.
    ///
    /// - Parameter written: it was written here, and is this version since its provider has taken it.
    /// - Returns: its identity then; nil when it could not be stamped, which costs no more than a second look at it
    ///   after the loss of the index.
    func restamp(
        _ location: Location, _ stamp: ItemStamp, expecting: FileIdentity, written: ItemVersion? = nil
    ) -> FileIdentity? {
        do {
            guard let file = try open(location), try file.status().identity.isUntouched(since: expecting) else {
                return nil
            }
            try file.setAttribute(ItemStamp.attribute, to: stamp.bytes)
            if let written { try? file.setAttribute(Self.writtenAttribute, to: Self.mark(written)) }
            return try file.status().identity
        } catch {
            return nil
        }
    }

    /// Says of what is to be a document's file that it was written here.
    func markWritten(_ file: StagedFile, as version: ItemVersion, in folder: DirectoryHandle) {
        try? folder.file(file.name)?.setAttribute(Self.writtenAttribute, to: Self.mark(version))
    }

    /// Whether a document's file was written here, as far as is known, and taken by its provider as a version.
    package func isWritten(at location: Location, as version: ItemVersion) -> Bool {
        guard let file = try? open(location), let mark = try? file.attribute(Self.writtenAttribute) else {
            return false
        }
        return mark == Self.mark(version)
    }

    private static let writtenAttribute = "user.docent.written"

    /// Short, so that it stays in the inode.
    private static func mark(_ version: ItemVersion) -> [UInt8] {
        withUnsafeBytes(of: StableHash(version.content).value.littleEndian, Array.init)
    }
}
