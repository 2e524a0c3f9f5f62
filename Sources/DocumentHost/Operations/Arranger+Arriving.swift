import DocumentModel
import DocumentStorage
import FileCoordination

/// What was made here and not sent yet is renamed, moved and removed without its provider, which does not know it.
extension Arranger {
    /// - Returns: nil when the provider knows the item by now, and is to be asked.
    func moveArriving(
        _ item: IndexedItem, to parent: IndexedItem, as name: ItemName, in claim: MovingClaim
    ) async throws(DocumentError) -> IndexedItem? {
        try await locks.withLock(item.key) { () async throws(DocumentError) -> IndexedItem? in
            guard let now = try storage.read({ try $0.item(item.id, in: item.domain) }), now.isArriving else {
                return nil
            }
            let before = try storage.read { try $0.coordinated(now) }
            let moved = try await storage.run { try $0.moveArriving(now, to: parent.id, name: name) }
            try broker.moved(before, to: try storage.read { try $0.coordinated(moved) }, in: claim.onItem)
            return moved
        }
    }

    /// - Returns: false when the provider knows the item by now, and is to be asked.
    func removeArriving(
        _ item: IndexedItem, _ location: Location, recursive: Bool, discardingUnsent: Bool, by tool: ClaimOwner?,
        within patience: Duration?
    ) async throws(DocumentError) -> Bool {
        guard item.isArriving else { return false }
        if !discardingUnsent { try requireNothingUnsent(in: item, at: location) }
        let (claim, isOwn) = try await claim(
            toRemove: try storage.read { try $0.coordinated(item) }, by: tool, within: patience)
        defer { if isOwn { broker.end(claim) } }
        // Who was waited for may have made something in it.
        if !discardingUnsent { try requireNothingUnsent(in: item, at: location) }
        return try await drop(item, location, recursive: recursive, discarding: discardingUnsent)
    }

    private func requireNothingUnsent(in item: IndexedItem, at location: Location) throws(DocumentError) {
        guard try storage.read({ try $0.present(within: item.id, in: item.domain) }).isEmpty else {
            throw DocumentError(
                .unsyncedEdits,
                "\(location) was not removed: it was not sent yet, and would be lost. Move it out, or say that it may be lost."
            )
        }
    }

    /// Under the claim on the outermost folder, which covers what is in it.
    private func drop(
        _ item: IndexedItem, _ location: Location, recursive: Bool, discarding: Bool
    ) async throws(DocumentError) -> Bool {
        guard item.isArriving else { return false }
        if item.item.kind != .document, try storage.read({ try $0.hasChildren(item.id, in: item.domain) }) {
            guard recursive else {
                throw DocumentError(
                    .directoryNotEmpty,
                    "\(location) is not empty; remove it with what is in it: docent rm -r \(location)")
            }
            for child in try storage.read({ try $0.children(of: item.id, in: item.domain, limit: .max) }).items {
                let place = child.item.name.map { location.appending($0) } ?? location
                guard try await drop(child, place, recursive: true, discarding: discarding) else { return false }
            }
        }
        return try await locks.withLock(item.key) { () async throws(DocumentError) -> Bool in
            guard let now = try storage.read({ try $0.item(item.id, in: item.domain) }), now.isArriving else {
                return false
            }
            try await storage.run { try $0.dropArriving(now, discarding: discarding) }
            return true
        }
    }
}
