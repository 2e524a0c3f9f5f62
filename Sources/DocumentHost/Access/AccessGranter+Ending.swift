import DocumentModel
import DocumentStorage
import FileCoordination
import Logging

/// The ends of accesses: what was written is recorded, whoever waits goes on, and nobody's provider provides for nothing.
extension AccessGranter {
    /// - Parameter beforeOthers: what is to be done when all is recorded, and before whoever waits goes on.
    /// - Throws: `invalidArgument` when the tool holds no such access.
    func end(
        _ number: UInt64, by owner: ClaimOwner, beforeOthers: () -> Void = {}
    ) async throws(DocumentError) {
        guard let access = accesses.remove(ClaimID(number), of: owner) else {
            throw DocumentError(.invalidArgument, "Access \(number) is not held; it was ended before.")
        }
        try await end(access, isComplete: true, beforeOthers)
    }

    /// Makes durable what was written in an access so far, and what names there are in folders.
    ///
    /// - Throws: `invalidArgument` when the tool holds no such access.
    func flush(_ number: UInt64, by owner: ClaimOwner) async throws(DocumentError) {
        let access = try held(number, by: owner)
        for change in access.changes { try await storage.run { try $0.flushChange(change) } }
        for edits in access.edits { try await storage.run { try $0.flushEdits(edits) } }
        for awaited in access.awaited { try await storage.run { try $0.flushExpected(awaited.entry) } }
        for intention in access.intentions where intention.item.kind != .document {
            guard case .item(let key) = intention.item.subject else { continue }
            try await storage.run { try $0.flushNames(of: key.id, in: key.domain) }
        }
    }

    /// - Throws: `invalidArgument` when the tool holds no such access.
    func held(_ number: UInt64, by owner: ClaimOwner) throws(DocumentError) -> Access {
        guard let access = accesses.access(ClaimID(number), of: owner) else {
            throw DocumentError(.invalidArgument, "Access \(number) is not held; it was ended before.")
        }
        return access
    }

    /// A tool's connection has ended, and all that it held with it (COORD-8). What it wrote counts.
    ///
    /// - Parameter unused: only those that nothing is done under any more.
    func endAll(of owner: ClaimOwner, unused: Bool = false) {
        let ended = accesses.removeAll(of: owner, unused: unused)
        // Those that wait end by their tasks' cancellation; those that are held end when their changes are recorded.
        for access in ended {
            work.add { [self] in
                do throws(DocumentError) {
                    try await end(access, isComplete: false)
                } catch {
                    logger.error(
                        "what a tool wrote before it ended could not be recorded",
                        metadata: [
                            "items": "\(access.keys.map(\.id))", "error": "\(error)",
                        ])
                }
            }
        }
    }

    /// - Parameter isComplete: the tool has said so; else it is gone, perhaps in the middle of a save.
    private func end(
        _ access: Access, isComplete: Bool, _ beforeOthers: () -> Void = {}
    ) async throws(DocumentError) {
        var effects: [ClaimEffect]?
        defer {
            // They may have got other identifiers since it was granted.
            let items = access.awaited.isEmpty ? broker.items(of: access.claim) : []
            let keys = items.isEmpty ? access.keys.map(broker.current) : items
            broker.end(access.claim, effects: effects)
            accesses.quota.giveBack(access.share)
            for key in keys { providing.claimEnded(on: key) }
        }
        // Whatever becomes of the places, what was written to documents is recorded, too.
        var failure: DocumentError?
        if !access.awaited.isEmpty {
            var places: [Int: ClaimEffect] = [:]
            do throws(DocumentError) {
                places = try await takeIn(access)
            } catch {
                failure = error
            }
            effects = access.intentions.enumerated().map { number, intention in
                let isPlace = access.awaited.contains { $0.intention == number }
                return isPlace ? places[number] ?? .unchanged : intention.intent.usualEffect
            }
        }
        for snapshot in access.snapshots {
            do throws(DocumentError) {
                try await storage.run { _ in try snapshot.request.remove() }
            } catch {
                failure = failure ?? error
            }
        }
        for change in access.changes {
            do throws(DocumentError) {
                try await record(change, of: access)
            } catch {
                // What else was written counts all the same.
                failure = failure ?? error
            }
        }
        for entry in access.edits {
            do throws(DocumentError) {
                try await parts.record(entry, dropping: isComplete)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        beforeOthers()
    }

    /// Records what was written to a document, and has it sent.
    private func record(_ change: JournalEntry, of access: Access) async throws(DocumentError) {
        var item: IndexedItem
        do throws(DocumentError) {
            // Under who moves or removes it, its file goes where that one says.
            let isAtPlace = access.isForWhole || access.hasReplaced(change)
            let (found, isMissing) = try await storage.run { store -> (IndexedItem, Bool) in
                if !isAtPlace, let missing = try store.missingFile(of: change) { return (missing, true) }
                return (try store.recordChange(change), false)
            }
            item = found
            if isMissing {
                if try await disk.follows(item, change) { return }
                item = try await storage.run { try $0.recordChange(change) }
            }
        } catch {
            // Removed inside of the access that was to remove it (COORD-16).
            if error.code == .noSuchItem, access.isForDeleting || access.hasReplaced(change) { return }
            // What its provider did not know was removed by who wrote it, without a word.
            if error.code == .noSuchItem, change.itemID?.isArriving == true { return }
            // A full disk, for one: what was written lies in the files, and is recorded as soon as it can be.
            for key in access.keys { localChanges.suspect(key, because: error) }
            throw error
        }
        guard item.state == .changed else { return }
        if item.isArriving { try arrivals.send(item) } else { sender.enqueue(item.key) }
    }
}
