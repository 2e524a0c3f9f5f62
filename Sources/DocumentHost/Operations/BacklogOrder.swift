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
        switch entry.action {
        // Its folder has to be empty first.
        case .drop:
            guard entry.payload.kind != .document else { return false }
            let own = (entry.payload.place ?? []).map { FoldedName($0) }
            return earlier.leftPlaces.contains { $0.starts(with: own) }
        // Its place has to be free first.
        default: return earlier.leftPlaces.contains((entry.payload.destination ?? []).map { FoldedName($0) })
        }
    }
}

extension JournalEntry {
    /// Where its item is at the provider, for all that is known, and is not here any more. Remotes may take names for the same
    /// that differ by case or Unicode form.
    var leftPlaces: [[FoldedName]] {
        // What was moved and then removed may be at either place.
        let places = [payload.place, action == .drop ? payload.destination : nil]
        return places.compactMap { $0?.map { FoldedName($0) } }
    }
}
