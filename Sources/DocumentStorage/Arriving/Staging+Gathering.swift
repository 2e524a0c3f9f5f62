internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

/// Copies of what lies outside the storage root, whole folders too.
extension Staging {
    /// Copies a document, or a folder with all that is in it, into a request as its contents, and flushes it.
    ///
    /// - Returns: all of it, the outermost first, with what each document was when it was copied.
    /// - Throws: ``DocumentError``: `invalidArgument` for what cannot be an item, with its path: a link, a device, a name
    ///   that no item can have; `nameClash` for two names in a folder that differ by case or Unicode form only.
    func gather(_ source: FilePath, in request: StagingRequest) throws -> [CopiedPart] {
        guard let name = source.lastComponent?.string else {
            throw DocumentError(.invalidArgument, "“\(source)” is not the name of a document or a folder.")
        }
        let around = try DirectoryHandle(trusting: source.removingLastComponent().string)
        guard let status = try around.status(name) else {
            throw DocumentError(.invalidArgument, "There is nothing at \(source): check the path.")
        }
        guard status.isFolder else {
            let copy = try snapshot(ofFileAt: source, followingLink: false, in: request)
            try request.folder.file(copy.name)?.flush()
            try request.folder.flush()
            return [CopiedPart(path: [], file: copy.source)]
        }
        _ = try request.folder.makeFolder(StagingRequest.contents)
        var gathering = Gathering(request: request)
        try gathering.copy(
            try around.folder([name]), to: try request.folder.folder([StagingRequest.contents]), at: [])
        try request.folder.flush()
        return gathering.parts
    }
}

private struct Gathering {
    let request: StagingRequest
    var parts: [CopiedPart] = []

    mutating func copy(_ folder: DirectoryHandle, to target: DirectoryHandle, at path: [ItemName]) throws {
        parts.append(CopiedPart(path: path, file: nil))
        for (name, isFolder) in try folder.possibleItems(atDepth: path.count) {
            guard !isFolder else {
                _ = try target.makeFolder(name.rawValue)
                try copy(folder.folder([name.rawValue]), to: target.folder([name.rawValue]), at: path + [name])
                continue
            }
            guard let file = try folder.file(name.rawValue), try file.status().isFile,
                let made = try target.makeFile(name.rawValue)
            else {
                throw DocumentError(.busy, "\(folder.path)/\(name) was changed while it was copied: try again.")
            }
            var (source, _) = try StagingRequest.copy(file, named: file.name, to: made)
            try made.flush()
            // The names of one file go one after the other, and each one that goes changes its inode.
            if try file.status().raw.links > 1 { source.changed = .zero }
            parts.append(CopiedPart(path: path + [name], file: source))
        }
        try target.flush()
    }
}

extension DirectoryHandle {
    /// What is in a folder that somebody wants to be one of items, by name.
    ///
    /// - Parameter isInTree: placeholders of the host's own, which lie in folders of the tree, are left out.
    /// - Throws: `invalidArgument`, `nameClash` for what cannot be.
    func possibleItems(atDepth depth: Int, isInTree: Bool = false) throws -> [(name: ItemName, isFolder: Bool)] {
        guard depth < IndexReader.maximumDepth else {
            throw DocumentError(.invalidArgument, "\(path) lies too deep for an item.")
        }
        var entries: [(name: ItemName, isFolder: Bool)] = []
        var known: [FoldedName: ItemName] = [:]
        try forEachEntry { name, kind in
            if isInTree, name == ItemName.placeholderFolder { return }
            guard let text = name, let name = try? ItemName(text), kind != .other else {
                let what = name.map { "“\(ItemName.printable($0))”" } ?? "a file whose name is not UTF-8"
                throw DocumentError(
                    .invalidArgument,
                    "\(path) holds \(what), which cannot be an item (a link, a device, or a name that none can have): take it away first. Nothing was moved."
                )
            }
            if let other = known.updateValue(name, forKey: FoldedName(name)) {
                throw DocumentError(
                    .nameClash,
                    "“\(name)” and “\(other)” in \(path) differ by case or Unicode form only: rename one of them. Nothing was moved."
                )
            }
            entries.append((name, kind == .folder))
        }
        return entries.sorted { $0.name.rawValue < $1.name.rawValue }
    }
}
