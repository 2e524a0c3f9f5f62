package import DocumentModel

/// Placeholders: `<folder>/.docent-placeholders/<name>`.
///
/// When a document and a placeholder are both there, the document is what counts and the placeholder is not looked
/// at; so that a placeholder can be made before contents leave, and be removed after contents came (PH-5).
/// Placeholders are derived from the index and made again when they are missing: they are not flushed.
package struct PlaceholderStore: Sendable {
    private let documents: DirectoryHandle
    /// Where refreshed placeholders are written before they get their name.
    private let staging: DirectoryHandle

    init(documents: DirectoryHandle, staging: DirectoryHandle) {
        self.documents = documents
        self.staging = staging
    }

    /// Makes or refreshes one; missing folders are made (PH-3). Contents stay (PH-4).
    package func write(_ placeholder: Placeholder, at location: Location) throws {
        guard let name = location.name, let parent = location.parent else {
            throw DocumentError(.invalidArgument, "The top folder of \(location.domain) has no placeholder.")
        }
        try write(placeholder, named: name.rawValue, in: folder(of: parent))
    }

    /// Many of one folder, faster: each under its own name.
    package func write(_ placeholders: [Placeholder], in folder: Location) throws {
        guard !placeholders.isEmpty else { return }
        let folder = try self.folder(of: folder)
        for placeholder in placeholders {
            try write(placeholder, named: placeholder.name.rawValue, in: folder)
        }
    }

    /// Nil when none is there, or one that a crash has torn.
    package func read(at location: Location) throws -> Placeholder? {
        guard let (folder, name) = try find(location), let file = try folder.file(name) else { return nil }
        return PlaceholderFormat.decode(try file.read(upTo: PlaceholderFormat.maximumSize))
    }

    package func remove(at location: Location) throws {
        guard let (folder, name) = try find(location) else { return }
        try folder.unlink(name)
    }

    /// The names that have placeholders in a folder. One without a byte, which a crash leaves, does not count.
    func names(in folder: Location) throws -> Set<ItemName> {
        let components = folder.treeComponents + [ItemName.placeholderFolder]
        var names: Set<ItemName> = []
        guard let folder = try documents.folderIfPresent(components) else { return names }
        try folder.forEachEntry { name, kind in
            guard kind == .file, let name, let known = try? ItemName(name) else { return }
            if let status = try folder.status(name), status.identity.size > 0 { names.insert(known) }
        }
        return names
    }

    private func folder(of location: Location) throws -> DirectoryHandle {
        try documents.makingFolders(location.treeComponents + [ItemName.placeholderFolder])
    }

    private func find(_ location: Location) throws -> (folder: DirectoryHandle, name: String)? {
        guard let name = location.name, let parent = location.parent else { return nil }
        let components = parent.treeComponents + [ItemName.placeholderFolder]
        guard let folder = try documents.folderIfPresent(components) else { return nil }
        return (folder, name.rawValue)
    }

    private func write(_ placeholder: Placeholder, named name: String, in folder: DirectoryHandle) throws {
        let bytes = PlaceholderFormat.encode(placeholder)
        if let file = try folder.makeFile(name) {
            // Read by others while it is short, it fails its check sum, and counts as missing.
            do {
                try file.write(bytes)
            } catch {
                _ = try? folder.unlink(name)
                throw error
            }
            return
        }
        if let old = try folder.file(name), try old.read(upTo: PlaceholderFormat.maximumSize) == bytes { return }
        let temporary = "placeholder-" + RandomName.make()
        guard let file = try staging.makeFile(temporary) else {
            throw DocumentError(.internal, "The name “\(temporary)” is taken in staging: try again.")
        }
        do {
            try file.write(bytes)
            _ = try staging.rename(temporary, to: folder, name, .replacing)
        } catch {
            _ = try? staging.unlink(temporary)
            throw error
        }
    }
}

extension Location {
    /// The components of its path below `documents`.
    var treeComponents: [String] {
        [domain.rawValue] + components.map(\.rawValue)
    }
}
