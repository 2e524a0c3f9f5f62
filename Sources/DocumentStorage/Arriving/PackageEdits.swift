package import DocumentModel

/// What a tool has made of a package.
package struct PackageEdits: Sendable {
    /// The outermost of what is new in it; all of it is to be sent.
    package var made: [IndexedItem] = []
    /// Documents in it that were written to, and are to be sent.
    package var changed: [IndexedItem] = []
    /// Of each part that was removed, what its provider is to hear, documents before the folders around them.
    package var dropped: [JournalEntry] = []
    /// What lies in it and cannot be sent: links, and names that no item can have. Then nothing counts as removed: it may be
    /// what was not sent.
    package var refused: [DocumentError] = []
    /// What could not be recorded, of a document that is looked at again.
    package var failures: [(key: ItemIdentifier, error: DocumentError)] = []
}

/// All that lies in a folder on disk.
struct FolderScan {
    /// Below the folder.
    var files: [[ItemName]: FileIdentity] = [:]
    /// With the folder itself, whose path is empty.
    var folders: Set<[ItemName]> = []
    var refused: [DocumentError] = []

    /// What lies nearest to the folder of all that is not known, sorted.
    ///
    /// - Parameter known: the items in the folder, by their paths. One of another kind is not what lies there.
    func outermost(besides known: [[ItemName]: IndexedItem]) -> [[ItemName]] {
        let old = Set(
            known.filter { path, item in
                item.item.kind == .document ? files[path] != nil : folders.contains(path)
            }.keys)
        return (Array(files.keys) + folders)
            .filter { !old.contains($0) && !$0.isEmpty && old.contains(Array($0.dropLast())) }
            .sorted { $0.map(\.rawValue).lexicographicallyPrecedes($1.map(\.rawValue)) }
    }
}

extension DocumentTree {
    /// - Returns: nil when there is no such folder.
    func scan(_ location: Location) throws -> FolderScan? {
        let components = location.treeComponents
        guard let folder = try documents.folderIfPresent(components) else { return nil }
        var found = FolderScan()
        try scan(folder, at: [], depth: components.count, into: &found)
        return found
    }

    private func scan(
        _ folder: DirectoryHandle, at path: [ItemName], depth: Int, into found: inout FolderScan
    ) throws {
        found.folders.insert(path)
        var inner: [ItemName] = []
        try folder.forEachEntry { text, kind in
            if text == ItemName.placeholderFolder, kind == .folder { return }
            guard let text, let name = try? ItemName(text), kind != .other,
                depth + path.count < IndexReader.maximumDepth
            else {
                let what = text.map { "“\(ItemName.printable($0))”" } ?? "A file whose name is not UTF-8"
                found.refused.append(
                    DocumentError(
                        .invalidArgument,
                        "\(what) in \(folder.path) cannot be an item (a link, a device, too deep, or a name that none can have), and is not sent."
                    ))
                return
            }
            if kind == .folder {
                inner.append(name)
            } else if let status = try folder.status(text), status.isFile {
                found.files[path + [name]] = status.identity
            }
        }
        for name in inner {
            guard let folder = try folder.folderIfPresent([name.rawValue]) else { continue }
            try scan(folder, at: path + [name], depth: depth, into: &found)
        }
    }
}
