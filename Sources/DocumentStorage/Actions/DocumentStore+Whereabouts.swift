package import DocumentModel

/// A document's file that a program has given another place in the document's domain.
package struct MovedFile: Hashable, Sendable {
    package var id: ItemIdentifier
    package var location: Location
    /// The folder that it lies in; nil when that is none of the domain's, as far as is known.
    package var folder: ItemIdentifier?
    /// What is to become one of the domain's folders first; nil when it lies in one, and where none can be made.
    package var unknownFolder: UnknownFolder?
    package var file: FileIdentity
}

/// Where documents' files are by now that are not at their places.
extension DocumentStore {
    /// Whether an item that has contents here has not its own file at its place: there is none, or it is displaced.
    package func isFileMissing(_ item: IndexedItem) throws -> Bool {
        guard let local = item.local, let location = try? locate(item.id, in: item.domain).location else {
            return false
        }
        guard let inode = try tree.inode(at: location) else { return true }
        return try inode != local.inode && isDisplaced(item, at: location)
    }

    /// Whether another document's file lies at an item's place, which has been moved there from its own: then the item's own
    /// is elsewhere, perhaps, and its contents are not to be taken for the item's. Where documents' files have changed places
    /// in a circle, each has the contents that lie at its place.
    func isDisplaced(_ item: IndexedItem, at location: Location) throws -> Bool {
        if try isAnothers(item, try? tree.file(at: location), at: location) { return true }
        var (next, place) = (item, location)
        var seen: Set<ItemIdentifier> = [item.id]
        while let other = try occupant(of: place, besides: next), seen.insert(other.id).inserted {
            guard let own = try index.read({ try $0.diskLocation(of: other.id, in: other.domain) }), own != place else {
                return false
            }
            if try tree.inode(at: own) == nil { return true }
            (next, place) = (other, own)
        }
        return false
    }

    /// Whether the file at an item's place is recorded of another document, which has its place there, too: whatever the reason, it
    /// is that one's, and never both's.
    func isAnothers(_ item: IndexedItem, _ file: FileIdentity?, at location: Location) throws -> Bool {
        guard let local = item.local, let file, file.inode != local.inode else { return false }
        let stamped = (try? tree.stamp(at: location))?.itemID
        return try index.read { index in
            let others = [
                try index.item(at: location), try index.item(at: index.location(onDisk: location)),
                try stamped.flatMap { try index.item($0, in: item.domain) },
            ]
            return others.contains { other in
                guard let other, other.id != item.id, other.local?.inode == file.inode else { return false }
                let place = try? index.diskLocation(of: other.id, in: item.domain)
                return place == location
            }
        }
    }

    /// - Throws: `busy` when the file at an item's place is another document's: who looks later finds its own.
    func refuseAnothers(_ item: IndexedItem, at location: Location) throws {
        guard try isAnothers(item, try? tree.file(at: location), at: location) else { return }
        throw DocumentError(
            .busy, "The file of another document lies at \(location): the document's own is looked for again.",
            itemID: item.id)
    }

    /// Whether it is missing at its place because another document's file lies there.
    package func isDisplaced(_ item: IndexedItem) throws -> Bool {
        guard let location = try? locate(item.id, in: item.domain).location else { return false }
        return try isDisplaced(item, at: location)
    }

    /// The other document whose file lies at an item's place.
    package func occupant(ofPlaceOf item: IndexedItem) throws -> IndexedItem? {
        guard let location = try? locate(item.id, in: item.domain).location else { return nil }
        return try occupant(of: location, besides: item)
    }

    private func occupant(of location: Location, besides item: IndexedItem) throws -> IndexedItem? {
        guard let local = item.local, let file = try? tree.file(at: location), file.inode != local.inode,
            let stamp = try? tree.stamp(at: location), let id = stamp.itemID, id != item.id,
            let other = try index.read({ try $0.item(id, in: item.domain) }), isFile(file, stamp, of: other)
        else { return nil }
        return other
    }

    /// Where an item's file is by now that is not at its place, in the same folder: a program has put it aside, or renamed it.
    package func movedFile(of item: IndexedItem) throws -> MovedFile? {
        guard let local = item.local, let location = try? locate(item.id, in: item.domain).location,
            let folder = location.parent, try isFileMissing(item)
        else { return nil }
        return try movedFile(of: item, among: tree.names(in: folder, withInode: local.inode).map(folder.appending))
    }

    /// Where the files of an item, of all others in its folder, and of all of its domain with changes that were not sent, are by
    /// now that are not at their places, wherever in the domain that is. One look at the whole of it for all of them: programs
    /// mostly move and remove several.
    ///
    /// - Returns: every one of them, with nil where there is no such file; without those with changes when not all could be
    ///   looked through.
    package func movedFiles(besides item: IndexedItem) throws -> [ItemIdentifier: MovedFile?] {
        let missing = try missingFiles(besides: item)
        let wanted = Set(missing.compactMap(\.local?.inode))
        var candidates: [UInt64: [Location]] = [:]
        var isWhole = true
        if !wanted.isEmpty {
            do {
                try tree.forEachFile(of: item.domain) { _ in
                } _: { file in
                    if wanted.contains(file.inode) { candidates[file.inode, default: []].append(file.location) }
                }
            } catch {
                // A folder that nobody may look into keeps nobody from what the remote has.
                if item.isUnsent { throw error }
                isWhole = false
            }
        }
        var found: [ItemIdentifier: MovedFile?] = [:]
        var moved: [ItemIdentifier: [MovedFile]] = [:]
        for item in missing {
            let places = item.local.flatMap { candidates[$0.inode] } ?? []
            guard let file = try movedFile(of: item, among: places) else { continue }
            found[item.id] = .some(file)
            if let parent = item.item.parentID, file.unknownFolder?.former != nil {
                moved[parent, default: []].append(file)
            }
        }
        for item in missing where found[item.id] == nil {
            let file = try item.item.parentID.flatMap { moved[$0] }.flatMap { try savedAnew(item, beside: $0) }
            // What was changed is not given up because of that.
            if file != nil || isWhole || !item.isUnsent { found[item.id] = .some(file) }
        }
        return found
    }

    /// A document whose file is no more, with one of its name in the folder that its own was moved to as a whole.
    ///
    /// - Parameter others: all of its own folder whose files were found; when they are not all together, it is not known where
    ///   the folder is.
    func savedAnew(_ item: IndexedItem, beside others: [MovedFile]) throws -> MovedFile? {
        guard let name = item.item.name, let other = others.first, let folder = other.location.parent,
            others.allSatisfy({ $0.location.parent == folder }),
            // One that nobody may read is nobody's edit.
            let file = try? tree.file(at: folder.appending(name)), (try? tree.open(folder.appending(name))) != nil,
            try tree.stamp(at: folder.appending(name)).map({ $0.isOf(item.id, in: item.domain) }) ?? true,
            try !isRecorded(file, at: folder.appending(name), beside: item)
        else { return nil }
        return MovedFile(
            id: item.id, location: folder.appending(name), folder: nil, unknownFolder: other.unknownFolder, file: file)
    }

    /// The documents at or below an item that is gone whose own files are not at their places.
    package func missingFiles(within id: ItemIdentifier, in domain: DomainName) throws -> [IndexedItem] {
        guard try index.read({ try $0.item(id, in: domain) })?.isGone == true else { return [] }
        return try index.read { try $0.present(within: id, in: domain) }.filter { try isFileMissing($0) }
    }

    private func missingFiles(besides item: IndexedItem) throws -> [IndexedItem] {
        let (known, places) = try index.read { index in
            var known = try item.item.parentID.map { try index.contents(of: $0, in: item.domain) } ?? []
            let siblings = Set(known.map(\.id))
            known += try index.unsent(in: item.domain).filter { !siblings.contains($0.id) }
            return (known, try index.diskPlaces(of: known, in: item.domain))
        }
        return try zip(zip(known, places), tree.files(at: places)).compactMap { entry, file in
            let (item, place) = entry
            guard let file, let place, let local = item.local, file.inode != local.inode else {
                return file == nil ? item : nil
            }
            return try isDisplaced(item, at: place) ? item : nil
        }
    }

    /// - Parameter places: where files with the number of the item's inode lie.
    package func movedFile(of item: IndexedItem, among places: [Location]) throws -> MovedFile? {
        for place in places where place.domain == item.domain {
            // Where nothing of it has changed but its name, nobody needs to read it.
            guard let file = try? tree.file(at: place),
                try isFile(file, nil, of: item) || isFile(file, tree.stamp(at: place), of: item),
                try !isRecorded(file, at: place, beside: item)
            else { continue }
            let (own, folder) = try index.read { index in
                (
                    try index.diskLocation(of: item.id, in: item.domain),
                    try place.parent.flatMap { try index.item(at: index.location(onDisk: $0)) }
                )
            }
            // A folder around it may have been moved just now.
            guard own != place else { return nil }
            let isKnown = folder.map { !$0.isGone && $0.item.kind != .document } ?? false
            return MovedFile(
                id: item.id, location: place, folder: isKnown ? folder?.id : nil,
                unknownFolder: isKnown ? nil : try unknownFolder(around: place, of: item), file: file)
        }
        return nil
    }

    /// Whether a file is another document's by now: somebody has saved over that one by renaming this one's file.
    package func isRecorded(_ file: FileIdentity, at place: Location, beside item: IndexedItem) throws -> Bool {
        let holder = try index.read { try $0.item(at: $0.location(onDisk: place)) }
        return holder.map { $0.id != item.id && $0.local?.inode == file.inode } ?? false
    }
}
