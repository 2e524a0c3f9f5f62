import DocumentModel

extension RemoteTree {
    private static let mostGraves = 64

    var anchor: SyncAnchor {
        get throws(DocumentError) {
            switch mistake {
            case .anchorNeverMoves: try anchor(at: 1)
            case .anchorAhead: try anchor(at: sequence + 1)
            default: try anchor(at: sequence)
            }
        }
    }

    /// What changed after an anchor, each item once, in its state of now.
    func changes(since anchor: SyncAnchor, count: Int) throws(DocumentError) -> ItemChanges {
        let start = try point(in: anchor)
        var told: [(changed: UInt64, record: RemoteRecord?, grave: ItemIdentifier?)] = []
        for record in records.values where record.changed > start { told.append((record.changed, record, nil)) }
        for grave in graves where grave.changed > start { told.append((grave.changed, nil, grave.id)) }
        told.sort { $0.changed < $1.changed }
        let page = told.prefix(max(count, 1))
        let isWhole = page.count == told.count
        let end = isWhole || mistake == .anchorSkipsChanges ? sequence : page.last?.changed ?? sequence
        var changes = ItemChanges(
            updated: [], deleted: page.compactMap(\.grave),
            anchor: try self.anchor(at: max(end, mistake == .anchorAhead ? sequence + 1 : 0)),
            more: mistake == .moreForEver || (!isWhole && mistake != .moreNeverSaid && mistake != .anchorSkipsChanges)
        )
        for record in page.compactMap(\.record) { changes.updated.append(try record.item) }
        switch mistake {
        case .anchorNeverMoves: changes.anchor = anchor
        case .feedOmitsDeletes: changes.deleted = []
        case .feedTellsStranger where !page.isEmpty:
            changes.updated.append(try stranger)
        case .feedBuriesTheLiving where !page.isEmpty:
            if let oldest = records.values.min(by: { $0.serial < $1.serial }) { changes.deleted.append(oldest.id) }
        default: break
        }
        return changes
    }

    /// Drops what is known of the oldest removals: anchors of before them are too old.
    mutating func forgetOldGraves() {
        let surplus = graves.count - Self.mostGraves
        guard surplus > 0 else { return }
        oldestAnchor = graves[surplus - 1].changed
        graves.removeFirst(surplus)
    }

    private func anchor(at sequence: UInt64) throws(DocumentError) -> SyncAnchor {
        try SyncAnchor(Array("anchor \(epoch) \(sequence)".utf8))
    }

    private func point(in anchor: SyncAnchor) throws(DocumentError) -> UInt64 {
        let parts = String(decoding: anchor.bytes, as: UTF8.self).split(separator: " ")
        let newest = mistake == .anchorAhead ? sequence + 1 : sequence
        guard parts.count == 3, parts[0] == "anchor", UInt64(parts[1]) == epoch, let point = UInt64(parts[2]),
            point <= newest
        else {
            if mistake == .unknownAnchorAccepted { return sequence }
            throw expired
        }
        guard point >= oldestAnchor || mistake == .expiredAnchorAccepted || mistake == .anchorNeverMoves else {
            throw expired
        }
        return point
    }

    private var expired: DocumentError {
        DocumentError(.anchorExpired, "The feed of changes does not reach back to this anchor. List everything again.")
    }

    private var stranger: Item {
        get throws(DocumentError) {
            Item(
                id: try ItemIdentifier("another domain's"), parentID: .root, name: try ItemName("Stranger.txt"),
                kind: .document, size: 1, version: try ItemVersion(content: [1], metadata: [1])
            )
        }
    }
}
