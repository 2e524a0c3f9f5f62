import DocumentModel
import DocumentStorage
import DocumentSync

/// In which order a provider hears of what was done here. Pure.
struct BacklogOrder {
    /// Requests at once.
    private static let width = SyncPacing.Limits().requests

    /// What cannot be told yet.
    var putOff: Set<Int64> = []

    /// Removed documents, as many as go at once; or one folder or one document that was moved, when nothing before it is left
    /// that it has to follow.
    ///
    /// - Parameter open: in the order in which it was done.
    func next(of open: [JournalEntry]) -> [JournalEntry] {
        var passed: [JournalEntry] = []
        var batch: [JournalEntry] = []
        for entry in open {
            if putOff.contains(entry.id) || passed.contains(where: { Self.has(entry, toFollow: $0) }) {
                passed.append(entry)
                continue
            }
            guard entry.action == .drop, entry.payload.kind == .document else { return batch.isEmpty ? [entry] : batch }
            batch.append(entry)
            if batch.count == Self.width { break }
        }
        return batch
    }

    /// Whether something cannot be told before something that was done earlier, and has to wait.
    private static func has(_ entry: JournalEntry, toFollow earlier: JournalEntry) -> Bool {
        if entry.itemID != nil, entry.itemID == earlier.itemID { return true }
        let left = folded(earlier.payload.place)
        switch entry.action {
        // Its folder has to be empty first.
        case .drop: return entry.payload.kind != .document && left.starts(with: folded(entry.payload.place))
        // Its place has to be free first.
        default: return left == folded(entry.payload.destination)
        }
    }

    /// Remotes may take names for the same that differ by case or Unicode form.
    private static func folded(_ place: [ItemName]?) -> [FoldedName] { (place ?? []).map { FoldedName($0) } }
}
