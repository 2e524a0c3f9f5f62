package import DocumentModel

/// A folder on disk that is none of its domain's, with a document's file in it or below it, and that lies in one that is.
package struct UnknownFolder: Hashable, Sendable {
    package var location: Location
    package var parent: ItemIdentifier
    /// The folder of the domain's that it was until a program gave it another name or place; nil when a program has made it.
    package var former: ItemIdentifier?
}

/// Folders that programs have moved or made, without asking (DOWN-3).
extension DocumentStore {
    /// The outermost folder around a document's file that the index does not have.
    ///
    /// It was another one when that is not on disk any more, and what is around the file in it is called as it was there: so
    /// the whole of it has moved, and not only what was in it.
    ///
    /// - Returns: nil where none is made: a rule keeps it here, or it lies in a package.
    func unknownFolder(around place: Location, of item: IndexedItem) throws -> UnknownFolder? {
        let found = try index.read { index -> (folder: UnknownFolder, formerly: Location?)? in
            guard let (folders, parent) = try index.unknownFolders(around: place), let outermost = folders.last,
                try index.ignoringRule(at: outermost, isFolder: true) == nil
            else { return nil }
            var former: IndexedItem? = item
            for depth in folders.indices {
                let keptName = depth == 0 || former?.item.name == folders[depth - 1].name
                former = keptName ? try former?.item.parentID.flatMap { try index.item($0, in: item.domain) } : nil
            }
            let unknown = UnknownFolder(location: outermost, parent: parent.id, former: nil)
            guard let former, former.exists, former.item.name != nil,
                let formerly = try index.diskLocation(of: former.id, in: former.domain)
            else { return (unknown, nil) }
            return (UnknownFolder(location: outermost, parent: parent.id, former: former.id), formerly)
        }
        guard let found else { return nil }
        var folder = found.folder
        if let place = found.formerly, try tree.inode(at: place) != nil { folder.former = nil }
        return folder
    }

    /// Gives a folder the place back that it has: it cannot follow what a program did.
    ///
    /// - Returns: false when it is not there any more, or something else has its place.
    package func putBack(_ folder: UnknownFolder) throws -> Bool {
        guard let former = folder.former else { return false }
        return try moves.exclusively {
            let place = try index.read { try $0.diskLocation(of: former, in: folder.location.domain) }
            guard let place, try tree.inode(at: place) == nil, try tree.inode(at: folder.location) != nil else {
                return false
            }
            _ = try tree.move(from: folder.location, to: place)
            return true
        }
    }
}

extension IndexReader {
    /// The folders around a place that are none of the domain's, from the inside out, and the one of the domain's that they
    /// lie in.
    fileprivate func unknownFolders(around place: Location) throws -> (folders: [Location], parent: IndexedItem)? {
        var folders: [Location] = []
        var next = place.parent
        while let folder = next {
            // At a document's place there can be none: whoever takes it in finds that out, and it goes back.
            if let parent = try item(at: location(onDisk: folder)), !parent.isGone, parent.item.kind != .document {
                return parent.item.kind == .folder ? (folders, parent) : nil
            }
            folders.append(folder)
            next = folder.parent
        }
        return nil
    }
}
