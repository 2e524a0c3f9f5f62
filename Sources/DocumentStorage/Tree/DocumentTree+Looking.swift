package import DocumentModel

/// A document that is not what was recorded of it, or a file that is none.
package struct DifferingFile: Hashable, Sendable {
    package var name: ItemName
    /// It is not there.
    package var isMissing: Bool

    package init(name: ItemName, isMissing: Bool) {
        self.name = name
        self.isMissing = isMissing
    }
}

/// Files of a folder that are no document's.
package struct OtherFiles: Hashable, Sendable {
    package var names: Set<ItemName> = []
    /// What those are called that no document can be called like: as names that it could have.
    package var misnamed: Set<ItemName> = []
}

extension DocumentTree {
    /// Which documents of a folder somebody has touched since they were recorded. One look at each file's state; nothing
    /// is read, and placeholders are not looked at.
    package func differing(
        in folder: Location, from known: [(name: ItemName, file: FileIdentity)]
    ) throws -> [DifferingFile] {
        guard let open = try documents.folderIfNotReplaced(folder.treeComponents) else {
            return known.map { DifferingFile(name: $0.name, isMissing: true) }
        }
        return try known.compactMap { name, file in
            guard let status = try open.status(name.rawValue) else { return DifferingFile(name: name, isMissing: true) }
            let isUntouched = status.isFile && status.identity.isUntouched(since: file)
            return isUntouched ? nil : DifferingFile(name: name, isMissing: false)
        }
    }

    /// The files of a folder but for some, whoever put them there.
    package func files(in folder: Location, but known: Set<ItemName>) throws -> OtherFiles {
        guard let open = try documents.folderIfNotReplaced(folder.treeComponents) else { return OtherFiles() }
        var found = OtherFiles()
        try open.forEachEntry(bytes: { bytes, kind in
            guard kind == .file else { return }
            guard let name = String(validating: bytes, as: UTF8.self).flatMap({ try? ItemName($0) }) else {
                if let shown = try? ItemName(shortening: bytes) { found.misnamed.insert(shown) }
                return
            }
            if !known.contains(name) { found.names.insert(name) }
        })
        return found
    }

    /// The states of files, in their order, each folder opened once for those that follow each other in it; nil where
    /// there is no file.
    func files(at places: [Location?]) throws -> [FileIdentity?] {
        var folder: (location: Location, handle: DirectoryHandle?)?
        return try places.map { place in
            guard let place, let name = place.name, let parent = place.parent else { return nil }
            if folder?.location != parent {
                folder = (parent, try documents.folderIfNotReplaced(parent.treeComponents))
            }
            guard let status = try folder?.handle?.status(name.rawValue), status.isFile else { return nil }
            return status.identity
        }
    }
}
