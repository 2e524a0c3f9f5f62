import DocumentModel
import DocumentStorage
import FileCoordination

/// Renames that nobody waits for the provider with: for programs that hold up others meanwhile.
extension Arranger {
    /// Gives a document another place, where nothing is, here and now; its provider hears of it later.
    ///
    /// - Returns: nil when the provider has to be asked first: nothing is done then.
    func renameAtOnce(
        _ location: Location, to destination: Location, on domain: Domain, by tool: ClaimOwner?
    ) async throws(DocumentError) -> IndexedItem? {
        try domain.requireModifying(location)
        guard location.domain == destination.domain, let name = destination.name, let around = destination.parent,
            location != destination
        else { return nil }
        let found = try storage.read { index in
            (try index.item(at: location), try index.item(at: around), try index.item(at: destination))
        }
        guard let item = found.0, let parent = found.1, item.exists, parent.exists, item.item.kind == .document,
            !item.isArriving, found.2 == nil || found.2?.id == item.id
        else { return nil }
        guard parent.isArriving || parent.item.capabilities.contains(.write) else {
            throw DocumentError(.notPermitted, "Nothing can be put into \(around): it is read-only on the remote.")
        }
        try checkMoving(item, to: parent, from: location)
        let claim = try await claim(toMove: item, as: name, into: parent, at: destination, by: tool)
        defer { claim.end() }
        // Meanwhile an earlier move may have been told, and have given it another identifier.
        guard let now = try storage.read({ try $0.item(at: location) }), now.row == item.row else { return nil }
        let before = try storage.read { try $0.coordinated(now) }
        // Without the item's lock: whoever tells its provider of an earlier move may have that for long.
        guard
            let entry = try await storage.run({ store in
                try store.relocate(now.id, in: now.domain, from: location, to: parent.id, name: name)
            })
        else { return nil }
        // It is written down: whatever becomes of the rest, the provider is to hear of it.
        defer { backlog.add([entry], of: item.domain) }
        guard let moved = try storage.read({ try $0.subject(of: entry, in: entry.domain) }) else {
            throw DocumentError(.noSuchItem, "\(location) was removed while you waited for it.")
        }
        try broker.moved(before, to: try storage.read { try $0.coordinated(moved) }, in: claim.onItem)
        // A folder that was kept here has to be there for it (CONT-13).
        if parent.isArriving { try sender.enqueue(arriving: parent) }
        return moved
    }
}
