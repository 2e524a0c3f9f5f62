import DocumentModel
import DocumentStorage
import DocumentSync

/// In which order a provider hears of what was done here. Pure.
struct BacklogOrder {
    /// Requests at once.
    private static let width = SyncPacing.Limits().requests

    /// What cannot be told yet.
    var putOff: Set<Int64> = []

    /// Removed documents, as many as go at once; or one removed folder, or one item that was moved, when nothing before it is left
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
            if earlier.leftFolder != nil, earlier.leftFolder == entry.itemID { return true }
            let own = (entry.payload.place ?? []).map { FoldedName($0) }
            return earlier.leftPlaces.contains { $0.starts(with: own) }
        default:
            // The folders that it comes into have to be where they are.
            if entry.payload.follows.contains(earlier.id) { return true }
            // Its place has to be free first.
            if let folder = earlier.leftFolder, folder == entry.payload.parentID,
                let left = earlier.leftPlaces.first?.last,
                left == entry.payload.name.map({ FoldedName($0) })
            {
                return true
            }
            return earlier.leftPlaces.contains((entry.payload.destination ?? []).map { FoldedName($0) })
        }
    }
}

extension JournalEntry {
    /// The folder that its item is in at the provider, for all that is known, and not here any more.
    var leftFolder: ItemIdentifier? { action == .drop ? payload.parentID : payload.originID }

    /// Where its item is at the provider, for all that is known, and is not here any more. Remotes may take names for the same
    /// that differ by case or Unicode form.
    var leftPlaces: [[FoldedName]] {
        // What was moved and then removed may be at either place.
        let places = [payload.place, action == .drop ? payload.destination : nil]
        return places.compactMap { $0?.map { FoldedName($0) } }
    }
}
