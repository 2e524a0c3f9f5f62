internal import DocumentModel

/// Folders whose names others have left in the index, and not on disk yet.
extension IndexTransaction {
    /// A folder has come to a place that another one is still to leave on disk, because somebody uses that: what comes into the new
    /// one must not come into the old one, and go away with it. Until then it lies aside.
    ///
    /// - Returns: its move to its place, to be carried out after the other one's; nil when nothing is in its way.
    func keepApart(_ id: ItemIdentifier, in domain: DomainName) throws -> JournalEntry? {
        let moves = try OpenMoves(in: domain, withRemovals: false, self)
        guard !moves.isEmpty, let item = try item(id, in: domain), item.item.kind != .document else { return nil }
        let row = try knownRow(of: id, reference(to: domain))
        guard let place = try shownPlace(of: row), moves.isOccupied(place) else { return nil }
        var payload = JournalPayload()
        payload.place = try place.dropLast() + [ItemName(ItemApplier.asideName(of: row))]
        payload.destination = place
        payload.kind = item.item.kind
        return try begin(.renameRecorded, item: id, in: domain, payload: payload)
    }

    /// The place of a row in the tree; nil when it is not shown there.
    func shownPlace(of row: Int64) throws -> [ItemName]? {
        do {
            return try place(of: row)
        } catch let error as DocumentError where error.code == .nameClash {
            return nil
        }
    }

    /// What kept an item from its place on disk does so no more.
    func forgetHindrance(of id: ItemIdentifier, in domain: DomainName) throws {
        guard let problem = try item(id, in: domain)?.problem,
            [.busy, .destinationExists, .directoryNotEmpty].contains(problem.code)
        else { return }
        try setProblem(nil, of: id, in: domain)
    }
}
