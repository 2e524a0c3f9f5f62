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
    /// It was another one when what is around the file in it is called as it was there, and that one is not on disk any more:
    /// so the whole of it has moved, and not only what was in it. The host may have put placeholders where it was since: then
    /// it is the other one that has those of before.
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
        if let place = found.formerly, try !hasLeft(place, for: folder.location) { folder.former = nil }
        return folder
    }

    private func hasLeft(_ place: Location, for other: Location) throws -> Bool {
        if try tree.inode(at: place) == nil { return true }
        return try isHostsOnly(place) && tree.hasPlaceholders(other)
    }

    /// An empty folder without placeholders may be a program's, which has just begun.
    private func isHostsOnly(_ place: Location) throws -> Bool {
        try tree.hasPlaceholders(place) && tree.holdsOnlyPlaceholders(place)
    }

    /// Where an item's file is that went along with a folder around it.
    ///
    /// - Parameter folders: that have moved, and have not followed yet.
    package func movedFile(of item: IndexedItem, within folders: [UnknownFolder]) throws -> MovedFile? {
        guard !folders.isEmpty else { return nil }
        let candidates = try index.read { index -> [Location] in
            guard let own = try index.diskLocation(of: item.id, in: item.domain) else { return [] }
            return try folders.compactMap { folder in
                let former = try folder.former.flatMap { try index.diskLocation(of: $0, in: item.domain) }
                guard let former, own.components.starts(with: former.components) else { return nil }
                let rest = own.components.dropFirst(former.components.count)
                return Location(domain: item.domain, components: folder.location.components + rest)
            }
        }
        guard !candidates.isEmpty, try isFileMissing(item) else { return nil }
        return try movedFile(of: item, among: candidates)
    }

    /// Takes away what the host has put since where a folder was that has moved: nothing but placeholders.
    package func clearFormerPlace(of folder: UnknownFolder) throws {
        guard let former = folder.former else { return }
        try moves.exclusively {
            let place = try index.read { try $0.diskLocation(of: former, in: folder.location.domain) }
            guard let place, place != folder.location, try isHostsOnly(place) else { return }
            try tree.removeFolder(at: place)
        }
    }

    /// Gives a folder the place back that it has: it cannot follow what a program did.
    ///
    /// - Returns: false when it is not there any more, or something else has its place.
    package func putBack(_ folder: UnknownFolder) throws -> Bool {
        guard let former = folder.former else { return false }
        let isBack = try moves.exclusively {
            let place = try index.read { try $0.diskLocation(of: former, in: folder.location.domain) }
            guard let place, try tree.inode(at: folder.location) != nil else { return false }
            if try isHostsOnly(place) { try tree.removeFolder(at: place) }
            guard try tree.inode(at: place) == nil else { return false }
            _ = try tree.move(from: folder.location, to: place)
            return true
        }
        // The placeholder of what is there went with the folder.
        let holder = try index.read { try $0.item(at: $0.location(onDisk: folder.location)) }
        if let holder { refreshPlaceholder(holder.id, in: folder.location.domain) }
        return isBack
    }

    /// What was changed of a document whose file a program has moved is known from now on, whatever becomes of its place.
    package func recordEdit(of item: IndexedItem, in moved: MovedFile) throws {
        guard let local = item.local, !local.hasSameContents(as: moved.file) else { return }
        _ = try tree.flush(moved.location)
        try index.write { index in
            guard let now = try index.item(item.id, in: item.domain), now.local == item.local else { return }
            try index.setFile(moved.file, of: item.id, in: item.domain)
            if !now.isUnsent { try index.setState(.changed, of: item.id, in: item.domain) }
        }
    }

    /// The document of a coordinated write, when its file is not at its place.
    package func missingFile(of entry: JournalEntry) throws -> IndexedItem? {
        guard let item = try index.read({ try $0.subject(of: entry, in: entry.domain) }), try isFileMissing(item)
        else { return nil }
        return item
    }

    /// The same at the end of a coordinated write, once what was changed is known.
    package func recordChange(_ entry: JournalEntry, in moved: MovedFile) throws {
        let isNew = entry.payload.isNew
        if isNew, try tree.flush(moved.location) != nil { try tree.flushFolders(around: moved.location) }
        try index.write(durably: isNew) { index in
            try index.finish(entry)
            guard let item = try index.item(moved.id, in: entry.domain), !item.isUnsent,
                try !index.isChangeExpected(of: item.id, in: item.domain)
            else { return }
            try dropBases(of: item, index)
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
                return try isWithinPackage(parent) ? nil : (folders, parent)
            }
            // What the host itself has put aside is no program's folder.
            if folder.name?.rawValue.hasPrefix(ItemApplier.asidePrefix) == true { return nil }
            folders.append(folder)
            next = folder.parent
        }
        return nil
    }

    private func isWithinPackage(_ folder: IndexedItem) throws -> Bool {
        var next: IndexedItem? = folder
        while let around = next {
            if around.item.kind == .package { return true }
            next = try around.item.parentID.flatMap { try item($0, in: folder.domain) }
        }
        return false
    }
}
