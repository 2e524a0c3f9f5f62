package import DocumentModel

/// What a file turns out to be that lies where no item has its contents.
package enum StrayFile: Sendable {
    /// There is none, or it is somebody's by now.
    case none
    /// The item's own: it had no contents here, and has these now.
    case taken(IndexedItem)
    /// An item's, whose place it has left: a program has renamed or moved it.
    case moved(IndexedItem, to: Location)
    /// At the place of an item that has no contents here, and it did not come from there.
    case inTheWay(IndexedItem, Location)
    /// Nobody's.
    case unknown(Location)
}

/// What lies at the place of a document that has no contents here, as far as the index knows.
enum UnrecordedFile {
    /// Nothing, or what is being put there.
    case none
    case nobodys
    /// What the document was given some time. Somebody may have written to it since.
    case own(ItemStamp)
}

/// Files that programs have put into the tree without asking (DOWN-3, COORD-40).
extension DocumentStore {
    /// Finds out whose a file is. What is an item's own is taken up: flushed, and to be sent where it was changed.
    ///
    /// - Parameters:
    ///   - expected: whose it may be, where somebody has found that out.
    ///   - base: the version of an item's contents that were here until a program removed them, where that is known: what a
    ///     program puts in their place was made from them.
    package func judgeStray(
        named name: ItemName, in folder: ItemIdentifier, of domain: DomainName, expected: ItemIdentifier? = nil,
        base: (ItemIdentifier) -> ItemVersion?
    ) throws -> StrayFile {
        let (around, holder) = try index.read { index in
            (try index.diskLocation(of: folder, in: domain), try index.holder(of: name, in: folder, of: domain))
        }
        guard let location = around?.appending(name), let file = try? tree.file(at: location) else {
            try giveFreePlace(named: name, in: folder, of: domain)
            return .none
        }
        let stamp = try tree.stamp(at: location)
        var verdict = StrayFile.unknown(location)
        if let item = holder, item.item.name == name {
            guard item.local == nil else { return .none }
            let isAwaited = item.item.kind == .document && item.state == .placeholder && !item.isGone
            verdict = isAwaited ? try takeUp(item, file, stamp, at: location, base: base(item.id)) : .none
            if case .taken = verdict { return verdict }
        }
        // Whoever has the name: a document's file is that document's, and it is to have it back.
        guard let owner = try owner(of: file, stamp, expected, near: folder, in: domain) else { return verdict }
        return .moved(owner, to: location)
    }

    /// What was in the way of an item that the provider has moved is not there any more.
    private func giveFreePlace(named name: ItemName, in folder: ItemIdentifier, of domain: DomainName) throws {
        guard try index.read({ try $0.isWanted(name, in: folder, of: domain) }) else { return }
        try follow(try index.write(durably: false) { try $0.retryWanted(in: domain) })
    }

    /// At the place of an item that has no contents.
    private func takeUp(
        _ item: IndexedItem, _ file: FileIdentity, _ stamp: ItemStamp?, at location: Location, base: ItemVersion?
    ) throws -> StrayFile {
        let own = stamp.flatMap { $0.isOf(item.id, in: item.domain) ? $0 : nil }
        guard let version = own?.contentVersion ?? base?.content else {
            return .inTheWay(item, location)
        }
        let isChanged = own.map { !$0.matches(file) } ?? true
        var file = file
        if isChanged {
            guard let flushed = try tree.flush(location) else { return .none }
            file = flushed
        }
        let isTaken = try index.write { index in
            guard try index.isStill(item, at: location) else { return false }
            try index.adopt(file, of: item, version: version, isChanged: isChanged)
            return true
        }
        return isTaken ? .taken(try current(item.id, in: item.domain)) : .none
    }

    /// Gives a document's file the name back that the document has: it cannot follow its file.
    ///
    /// - Parameter location: where its file is.
    /// - Returns: false when it is not there any more, or something else has the document's place.
    package func putBack(_ id: ItemIdentifier, in domain: DomainName, from location: Location) throws -> Bool {
        let isBack = try moves.exclusively {
            guard let (item, place) = try? locate(id, in: domain), place != location,
                let file = try tree.file(at: location), isFile(file, try tree.stamp(at: location), of: item)
            else { return false }
            let back: FileIdentity?
            do {
                back = try tree.move(from: location, to: place)
            } catch let error as DocumentError where error.code == .destinationExists {
                return false
            }
            guard let back, back.inode == file.inode else { return false }
            try index.write(durably: false) { try $0.setRenamed(back, from: nil, of: id, in: domain) }
            return true
        }
        // The placeholder of what is there went with the file.
        if let holder = try index.read({ try $0.item(at: location) }) { refreshPlaceholder(holder.id, in: domain) }
        return isBack
    }

    /// A number of an inode is used again for other files: the stamp says that it is the same, or that nothing of it has
    /// changed but its name.
    func isFile(_ file: FileIdentity, _ stamp: ItemStamp?, of item: IndexedItem) -> Bool {
        guard let local = item.local, local.inode == file.inode else { return false }
        return stamp?.isOf(item.id, in: item.domain) == true || file.hasSameContents(as: local)
    }

    /// The item whose file it is, one with its file in the same folder, or as the stamp says, or as is expected; when its own
    /// place is empty. Also one in conflict, and one that is gone and holds what was not sent.
    private func owner(
        of file: FileIdentity, _ stamp: ItemStamp?, _ expected: ItemIdentifier?, near folder: ItemIdentifier,
        in domain: DomainName
    ) throws -> IndexedItem? {
        let candidates = try index.read { index -> [(item: IndexedItem, place: Location?)] in
            var found = try index.contents(of: folder, in: domain)
            for id in [stamp?.itemID, expected].compactMap(\.self) {
                if let item = try index.item(id, in: domain) { found.append(item) }
            }
            return try found.filter { isFile(file, stamp, of: $0) }.map {
                ($0, try index.diskLocation(of: $0.id, in: domain))
            }
        }
        for (item, place) in candidates where item.exists {
            if let place, try tree.inode(at: place) == nil || isDisplaced(item, at: place) { return item }
        }
        return nil
    }

    /// Looks at what lies at the place of an item that is about to leave it. What somebody has put there stays where people were
    /// told that it is, whatever becomes of the document's name; what was the document's own before the index was lost goes along.
    func unrecordedFile(at place: Location, of id: ItemIdentifier, _ entry: JournalEntry) throws -> UnrecordedFile {
        let isWithout = try index.read { index in
            guard let item = try index.item(id, in: entry.domain), item.item.kind == .document, item.local == nil else {
                return false
            }
            // Its contents may have come there, and the index not know yet.
            return try !index.journal(of: id, in: entry.domain).contains { $0.action.mayPutContents }
        }
        guard isWithout, try tree.inode(at: place) != nil else { return .none }
        guard (try? tree.file(at: place)) != nil, let stamp = try? tree.stamp(at: place),
            stamp.isOf(id, in: entry.domain)
        else { return .nobodys }
        return .own(stamp)
    }
}

extension ItemStamp {
    /// A file as it was when it was stamped: what somebody has written to it since shows, and is found as any other edit is.
    func file(as now: FileIdentity) -> FileIdentity {
        var file = now
        (file.size, file.modified) = (size, modified)
        return file
    }
}

extension JournalAction {
    /// Whether it may have put contents at an item's place that the index does not know of.
    fileprivate var mayPutContents: Bool {
        [.materialise, .recordChange, .arrive, .make, .editPackage, .evict].contains(self)
    }
}
