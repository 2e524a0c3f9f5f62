import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import ProviderLauncher
import SystemPackage

/// Ends conflicts the way the user says (VER-5).
struct ConflictResolver: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let sender: Sender
    let owner: ClaimOwner

    func resolve(
        _ item: IndexedItem, at location: Location, keeping choice: ConflictResolution, on domain: Domain
    ) async throws(DocumentError) {
        guard item.state == .conflict else {
            throw DocumentError(.invalidArgument, "\(location) is not in conflict; there is nothing to resolve.")
        }
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) }, for: .writing(.forReplacing), by: owner)
        defer { broker.end(claim) }
        let kept = try storage.read { try $0.conflicts(in: domain.name) }.filter { $0.itemID == item.id }
        if choice == .both { try await sendLocalAsCopy(item, at: location, on: domain) }
        let now = try await storage.run { store in
            let now = try store.resolveConflict(of: item.id, in: domain.name, keepingLocal: choice == .local)
            // Resolved: the other side's version goes (VER-6).
            for conflict in kept { try store.root.versions.remove(conflict.kept) }
            return now
        }
        if choice == .local { sender.enqueue(now.key) }
    }

    /// The local contents become a document of their own, beside the other; only then may they leave this one.
    private func sendLocalAsCopy(
        _ item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) {
        guard let parent = item.item.parentID, let name = item.item.name, let local = item.local else { return }
        let session = domain.provider
        // Where its file is, also while a move of it waits.
        let onDisk = try storage.read { try $0.diskLocation(of: item.id, in: item.domain) }
        let source = storage.store.root.tree.path(of: onDisk ?? location)
        for attempt in 1...20 {
            let copy = try ConflictName.make(for: name, at: Self.words(local.modified), attempt: attempt)
            let export = try await storage.run { store in
                try store.beginExport(
                    of: source, to: parent, name: copy, kind: .document, in: domain.name, removingSource: false)
            }
            do throws(DocumentError) {
                let made = try await session.create(
                    ProviderCall.CreateCall(
                        parentID: parent, name: copy, kind: .document, contentsPath: export.contents?.path.string,
                        modified: local.modified, operation: export.operation),
                    onProgress: { _ in })
                _ = try await storage.run { try $0.finish(export, as: made) }
                return
            } catch {
                try await storage.run { try $0.abandon(export) }
                guard error.code == .nameCollision else { throw error }
            }
        }
        throw DocumentError(
            .nameCollision, "No free name was found for the copy of \(location); remove some of its conflict copies.")
    }

    /// `2026-11-21 14.05.09`, in UTC: the same on every machine.
    private static func words(_ time: Timestamp) -> String {
        // Days to year, month and day, by the civil calendar's 400-year cycle.
        let days = Int(time.seconds >= 0 ? time.seconds / 86_400 : (time.seconds - 86_399) / 86_400)
        let second = Int(time.seconds) - days * 86_400
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(year)-\(two(month))-\(two(day)) \(two(second / 3600)).\(two(second / 60 % 60)).\(two(second % 60))"
    }
}
