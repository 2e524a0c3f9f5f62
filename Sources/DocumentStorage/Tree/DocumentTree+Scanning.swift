package import DocumentModel

/// A file that was found in the tree.
package struct FoundFile: Sendable {
    package var location: Location
    package var inode: UInt64
}

extension DocumentTree {
    /// All documents of a domain that are on disk. Folders of placeholders are not looked into: what is in them is
    /// derived.
    ///
    /// - Parameter unusable: is given the path of each thing that cannot be an item: links, devices, names that no
    ///   item can have.
    package func forEachFile(
        of domain: DomainName, unusable: (String) throws -> Void, _ body: (FoundFile) throws -> Void
    ) throws {
        guard let folder = try documents.folderIfPresent([domain.rawValue]) else { return }
        try scan(folder, Location(domain: domain), unusable, body)
    }

    /// The documents that are on disk in a folder, at any depth.
    func files(within location: Location) throws -> [FoundFile] {
        guard let folder = try documents.folderIfNotReplaced(location.treeComponents) else { return [] }
        var files: [FoundFile] = []
        try scan(folder, location, { _ in }, { files.append($0) })
        return files
    }

    /// The names of the folders in `documents`, be they domains or not.
    package func topFolders() throws -> [String] {
        var names: [String] = []
        try documents.forEachEntry { name, kind in
            if kind == .folder, let name { names.append(name) }
        }
        return names
    }

    /// The names in a folder that are of one inode.
    func names(in location: Location, withInode wanted: UInt64) throws -> [ItemName] {
        guard let folder = try documents.folderIfPresent(location.treeComponents) else { return [] }
        var found: [ItemName] = []
        try folder.forEachInode { name, kind, inode in
            if kind == .file, inode == wanted, let name = name.flatMap({ try? ItemName($0) }) { found.append(name) }
        }
        return found
    }

    private func scan(
        _ folder: DirectoryHandle, _ location: Location, _ unusable: (String) throws -> Void,
        _ body: (FoundFile) throws -> Void
    ) throws {
        var folders: [ItemName] = []
        try folder.forEachInode { name, kind, inode in
            if name == ItemName.placeholderFolder, kind == .folder { return }
            guard kind != .other, let name = name.flatMap({ try? ItemName($0) }) else {
                return try unusable(folder.path + "/" + (name ?? "(a name that is not UTF-8)"))
            }
            if kind == .folder { return folders.append(name) }
            try body(FoundFile(location: location.appending(name), inode: inode))
        }
        for name in folders {
            guard let inner = try folder.folderIfPresent([name.rawValue]) else { continue }
            try scan(inner, location.appending(name), unusable, body)
        }
    }
}
