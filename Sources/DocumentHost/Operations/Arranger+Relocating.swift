import DocumentModel
import DocumentStorage
import FileCoordination

/// Renames that nobody waits for the provider with: for programs that hold up others meanwhile.
extension Arranger {
    /// Gives an item another place, where nothing is, here and now; its provider hears of it later. A folder goes with all that
    /// is in it.
    ///
    /// - Parameter patience: how long others who use it, or the place, are waited for; nil: as long as it takes.
    /// - Returns: nil when the provider has to be asked first: nothing is done then.
    func renameAtOnce(
        _ location: Location, to destination: Location, on domain: Domain, by tool: ClaimOwner?,
        within patience: Duration?
    ) async throws(DocumentError) -> IndexedItem? {
        try domain.requireModifying(location)
        guard location.domain == destination.domain, let name = destination.name, let around = destination.parent,
            location != destination, !location.isRoot
        else { return nil }
        let found = try storage.read { index in
            (try index.item(at: location), try index.shownItem(at: around), try index.item(at: destination))
        }
        guard let item = found.0, let parent = found.1, item.exists, Self.takes(parent, item),
            parent.item.kind != .document, found.2 == nil || found.2?.id == item.id
        else { return nil }
        // A name in a folder that was not listed may be taken on the remote; who sends something finds that out.
        if item.isArriving, item.state != .sending, !parent.isArriving, !parent.isGone,
            try storage.read({ try !$0.listing(of: parent.id, in: parent.domain).isComplete }),
            try !backlog.holdsMoved(below: location)
        {
            return nil
        }
        guard !around.components.starts(with: location.components) else {
            throw DocumentError(.invalidArgument, "\(location) cannot be moved into itself.", itemID: item.id)
        }
        guard parent.isArriving || parent.item.capabilities.contains(.write) else {
            throw DocumentError(.notPermitted, "Nothing can be put into \(around): it is read-only on the remote.")
        }
        try checkMoving(item, to: parent, from: location)
        if item.item.kind != .document, try backlog.wouldBlock(location, movedTo: destination) { return nil }
        let claim = try await claim(
            toMove: item, as: name, into: parent, at: destination, by: tool, within: patience)
        defer { claim.end() }
        // Meanwhile an earlier move may have been told, and have given it another identifier.
        guard let now = try storage.read({ try $0.item(at: location) }), now.row == item.row else { return nil }
        guard let moved = try await moved(now, from: location, to: parent, as: name, in: claim) else { return nil }
        // A folder that was kept here has to be there for it, and what a rule kept here may be to be sent by now (CONT-13).
        if parent.isArriving { try sender.enqueue(arriving: parent) }
        if moved.isArriving || moved.item.kind != .document { try sender.enqueue(arriving: moved) }
        return moved
    }

    /// One that is gone takes only documents that were made here: with those it is made anew on the remote.
    private static func takes(_ folder: IndexedItem, _ item: IndexedItem) -> Bool {
        folder.exists || item.isArriving && item.item.kind == .document
    }

    private func moved(
        _ item: IndexedItem, from location: Location, to parent: IndexedItem, as name: ItemName, in claim: MovingClaim
    ) async throws(DocumentError) -> IndexedItem? {
        for _ in 0..<Self.mostTries {
            guard let now = try storage.read({ try $0.item(at: location) }), now.row == item.row else { return nil }
            if now.isArriving, let moved = try await moveUnsent(now, to: parent, as: name, in: claim) { return moved }
            if let moved = try await relocate(now, from: location, to: parent, as: name, in: claim) { return moved }
            // What is sent or brought may have come to its end in this moment, or be about to.
            guard locks.isHeld(now.key) else { return nil }
            do { try await Task.sleep(for: Self.moment) } catch { throw DocumentError(wrapping: error) }
        }
        return nil
    }

    /// What its provider does not know yet: there is nothing to be told. A document that it is just being given is moved all the
    /// same; it hears of that when it has answered.
    ///
    /// - Returns: nil when it is known by now, or just being made there.
    private func moveUnsent(
        _ item: IndexedItem, to parent: IndexedItem, as name: ItemName, in claim: MovingClaim
    ) async throws(DocumentError) -> IndexedItem? {
        let moved = try await locks.withLockIfFree(item.key) { () async throws(DocumentError) -> IndexedItem? in
            guard let now = try storage.read({ try $0.item(item.id, in: item.domain) }), now.isArriving,
                let folder = try storage.read({ try $0.item(parent.id, in: parent.domain) }), Self.takes(folder, now),
                try storage.read({ try $0.isShown(folder) })
            else { return nil }
            let before = try storage.read { try $0.coordinated(now) }
            let moved = try await storage.run { try $0.moveArriving(now, to: folder.id, name: name) }
            try broker.moved(before, to: try storage.read { try $0.coordinated(moved) }, in: claim.onItem)
            return moved
        }
        if let moved { return moved }
        guard item.state == .sending else { return nil }
        let before = try storage.read { try $0.coordinated(item) }
        guard let now = try await storage.run({ try $0.moveSending(item, to: parent.id, name: name) }) else {
            return nil
        }
        try broker.moved(before, to: try storage.read { try $0.coordinated(now) }, in: claim.onItem)
        return now
    }

    private func relocate(
        _ item: IndexedItem, from location: Location, to parent: IndexedItem, as name: ItemName, in claim: MovingClaim
    ) async throws(DocumentError) -> IndexedItem? {
        let before = try storage.read { try $0.coordinated(item) }
        // Without the item's lock: whoever tells its provider of an earlier move may have that for long.
        guard
            let entry = try await storage.run({ store in
                try store.relocate(item.id, in: item.domain, from: location, to: parent.id, name: name)
            })
        else { return nil }
        // It is written down: whatever becomes of the rest, the provider is to hear of it.
        defer { backlog.add([entry], of: item.domain) }
        let now = try storage.read { index in
            // Its provider may have heard of it by now.
            try index.subject(of: entry, in: entry.domain) ?? index.item(item.id, in: item.domain)
        }
        guard let moved = now else {
            throw DocumentError(.noSuchItem, "\(location) was removed while you waited for it.")
        }
        try broker.moved(before, to: try storage.read { try $0.coordinated(moved) }, in: claim.onItem)
        return moved
    }
}
