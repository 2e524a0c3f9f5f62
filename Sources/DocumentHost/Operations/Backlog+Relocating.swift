import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher

/// Documents that were given other places here.
extension Backlog {
    /// Has the provider move a document to where it is here. What was moved at the remote meanwhile goes to there.
    ///
    /// - Returns: false when its folder is still to be sent, and nothing was asked.
    func relocate(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) -> Bool {
        // It may have got another identifier since, or be settled.
        guard let item = try storage.read({ try $0.subject(of: entry, in: entry.domain) }) else {
            try await finish(entry, nil, as: nil)
            return true
        }
        return try await locks.withLock(item.key) { () async throws(DocumentError) in
            guard let item = try storage.read({ try $0.subject(of: entry, in: entry.domain) }), !item.isGone,
                let parentID = entry.payload.parentID, let name = entry.payload.name
            else {
                try await finish(entry, nil, as: nil)
                return true
            }
            guard let folder = try storage.read({ try $0.item(parentID, in: entry.domain) }), !folder.isGone else {
                // The remote has removed it: the document is where it was.
                try await finish(entry, item, as: try await look(item.id, on: domain))
                return true
            }
            guard !folder.isArriving else { return false }
            let there = try await place(item, in: folder.id, as: name, entry, on: domain)
            try await finish(entry, item, as: there)
            return true
        }
    }

    /// - Returns: the document as the provider has it then; nil when it has it no more.
    private func place(
        _ item: IndexedItem, in folder: ItemIdentifier, as name: ItemName, _ entry: JournalEntry, on domain: Domain
    ) async throws(DocumentError) -> Item? {
        let origin = (folder: entry.payload.originID, name: entry.payload.place?.last)
        var call = ProviderCall.ModifyCall(
            id: item.id, baseVersion: try ItemVersion(content: [], metadata: entry.payload.base?.metadata ?? []),
            name: name == origin.name ? nil : name, parentID: folder == origin.folder ? nil : folder,
            operation: entry.payload.operation ?? "")
        do throws(DocumentError) {
            return try await modify(call, on: domain)
        } catch {
            let refusal = error
            if [.transient, .resolvable].contains(refusal.code.errorClass) || refusal.code == .cancelled {
                throw refusal
            }
            guard let there = try await look(item.id, on: domain) else { return nil }
            if refusal.code == .versionNoLongerAvailable, there.parentID == origin.folder, there.name == origin.name {
                // Something else of it was changed; its place was not.
                call.baseVersion = try ItemVersion(content: [], metadata: there.version.metadata)
                do throws(DocumentError) {
                    return try await modify(call, on: domain)
                } catch {
                    if [.transient, .resolvable].contains(error.code.errorClass) || error.code == .cancelled {
                        throw error
                    }
                }
            }
            if there.parentID != folder || there.name != name {
                logger.notice(
                    "what was moved or renamed here is where the remote has it",
                    metadata: ["domain": "\(domain.name)", "item.id": "\(item.id)", "error": "\(refusal)"])
            }
            return there
        }
    }

    private func modify(_ call: ProviderCall.ModifyCall, on domain: Domain) async throws(DocumentError) -> Item {
        try await onceMoreAfterDeath { () async throws(DocumentError) in try await domain.provider.modify(call) }
    }

    private func finish(_ entry: JournalEntry, _ item: IndexedItem?, as there: Item?) async throws(DocumentError) {
        if let item, let there, there.id != item.id {
            // Claims and presenters follow first: whoever asks from now on meets them.
            broker.identified(try storage.read { try $0.coordinated(item) }, as: there.id)
        }
        try await storage.run { store in
            try store.finishRelocating(entry, as: there)
            if let item, there == nil { try store.recordGone(item.id, in: item.domain) }
        }
    }
}
