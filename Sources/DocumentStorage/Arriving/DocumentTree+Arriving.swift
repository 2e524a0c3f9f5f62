package import DocumentModel

/// What was copied into staging as a whole, document or folder, and its place in the tree.
extension DocumentTree {
    /// Puts it at its place, in one step and durably.
    ///
    /// - Throws: `destinationExists` when something lies there already.
    func publishWhole(_ request: StagingRequest, at location: Location) throws {
        let (parent, name) = try place(of: location)
        let folder = try documents.makingFolders(parent)
        switch try request.folder.rename(StagingRequest.contents, to: folder, name, .notReplacing) {
        case .done: break
        case .targetExists:
            throw DocumentError(
                .destinationExists,
                "Something else lies at \(path(of: location)), and is not overwritten: move it elsewhere, or choose another name."
            )
        case .sourceMissing:
            throw DocumentError(.internal, "What was to come to \(location) is gone from staging: try again.")
        }
        try folder.flush()
        // Folders may have been made on the way to it.
        try flushFolders(around: location)
    }

    /// Takes back what was put there, as far as it still is that: what somebody has saved since, or has open for writing, stays,
    /// with the folders around it. That is nowhere else.
    ///
    /// - Parameter parts: all that was put there, the outermost first, each file as it was in staging.
    /// - Returns: the files that stay.
    func withdraw(_ parts: [CopiedPart], from location: Location) throws -> [Location] {
        // What lies in a folder comes after it.
        for part in parts.reversed() {
            let place = Location(domain: location.domain, components: location.components + part.path)
            do {
                if let file = part.file {
                    try removeFile(at: place, expecting: file)
                } else {
                    try removeFolder(at: place)
                }
            } catch is DocumentError {
                // It stays, and nothing else does because of that.
                continue
            }
        }
        guard parts.first?.file == nil else { return try inode(at: location) == nil ? [] : [location] }
        return try files(within: location).map(\.location)
    }

    /// Gives a file another name in its folder, durably.
    ///
    /// - Returns: false when something has that name already.
    func rename(_ location: Location, to name: ItemName) throws -> Bool {
        let (parent, old) = try place(of: location)
        let folder = try documents.folder(parent)
        guard case .done = try folder.rename(old, to: folder, name.rawValue, .notReplacing) else { return false }
        try folder.flush()
        return true
    }

    /// What somebody has made at a place, a document or a folder with all that is in it, flushed: the outermost first.
    ///
    /// - Returns: that, and when it was changed; nil when nothing lies there.
    /// - Throws: `invalidArgument`, `nameClash` for a folder in which something cannot be an item; what is neither document
    ///   nor folder.
    func flushWhole(_ location: Location) throws -> (parts: [CopiedPart], modified: Timestamp)? {
        let (parent, name) = try place(of: location)
        guard let around = try documents.folderIfPresent(parent), let status = try around.status(name) else {
            return nil
        }
        guard status.isFolder else {
            return try flush(location).map { ([CopiedPart(path: [], file: $0)], $0.modified) }
        }
        var parts: [CopiedPart] = []
        try flush(around.folder([name]), at: [], depth: location.components.count, into: &parts)
        try around.flush()
        return (parts, status.identity.modified)
    }

    private func flush(
        _ folder: DirectoryHandle, at path: [ItemName], depth: Int, into parts: inout [CopiedPart]
    ) throws {
        parts.append(CopiedPart(path: path, file: nil))
        for (name, isFolder) in try folder.possibleItems(atDepth: depth + path.count, isInTree: true) {
            if isFolder {
                try flush(folder.folder([name.rawValue]), at: path + [name], depth: depth, into: &parts)
            } else if let file = try folder.file(name.rawValue) {
                let identity = try file.status().identity
                try file.flush()
                parts.append(CopiedPart(path: path + [name], file: identity))
            }
        }
        try folder.flush()
    }

    /// Makes an empty file, with the stamp of the item that it is to be: should the machine stop before the index is on disk,
    /// that says that it is nobody else's.
    ///
    /// - Returns: its identity; nil when something lies there already.
    func makeFile(at location: Location, for id: ItemIdentifier) throws -> FileIdentity? {
        let (parent, name) = try place(of: location)
        guard let file = try documents.folder(parent).makeFile(name) else { return nil }
        let made = try file.status().identity
        let stamp = ItemStamp(
            domain: location.domain, id: id, contentVersion: Array(id.rawValue.utf8), size: made.size,
            modified: made.modified)
        do {
            try file.setAttribute(ItemStamp.attribute, to: stamp.bytes)
        } catch {
            // A disk that knows no attributes: then it would be reported, and left alone.
            return made
        }
        return try file.status().identity
    }

    /// Makes a folder's names durable, its own and those around it among them.
    func flushNames(in folder: Location) throws {
        let components = folder.treeComponents
        for level in components.indices.reversed() {
            try documents.folderIfPresent(components[...level])?.flush()
        }
    }

    /// Makes the names of the folders on the way to a place durable.
    func flushFolders(around location: Location) throws {
        let (parent, _) = try place(of: location)
        for level in parent.indices.dropFirst() { try documents.folder(parent[..<level]).flush() }
    }

    /// The inode of whatever lies there, a folder too.
    package func inode(at location: Location) throws -> UInt64? {
        let (parent, name) = try place(of: location)
        return try documents.folderIfNotReplaced(parent)?.status(name)?.identity.inode
    }
}
