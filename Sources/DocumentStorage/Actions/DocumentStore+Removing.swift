internal import DocumentModel
internal import Logging

/// A removal that the tree has followed, and that the index does not know to be done.
package struct ClearedRemoval: Sendable {
    package var entry: JournalEntry
    var location: Location
    /// Some of it holds what the provider never had, and stays.
    var isKept = false
    var taken: [TakenFile] = []
}

/// Removals in the tree: contents and placeholders go; then the index forgets them, for many at once.
extension DocumentStore {
    /// Removes the contents of what is gone, and what is derived of it.
    func clear(_ entry: JournalEntry) throws -> ClearedRemoval {
        guard let id = entry.itemID, let place = entry.payload.place else {
            throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a removal needs.")
        }
        var removal = ClearedRemoval(entry: entry, location: Location(domain: entry.domain, components: place))
        do {
            try clearContents(within: id, &removal)
            let earlier = try index.read { try OpenMoves(in: entry.domain, before: entry, withRemovals: false, $0) }
            removal.location = Location(domain: entry.domain, components: earlier.undone(place))
            if !removal.isKept { try moves.exclusively { try clearDerived(at: removal.location, entry) } }
        } catch let error as DocumentError {
            // Whatever keeps the rest of it: what has left is not here any more.
            try keepingTrash(of: removal.taken) {
                try flush(removal.taken)
                try index.write(durably: false) { try record(removal.taken, in: $0) }
            }
            try trimTrash(after: removal.taken)
            throw error
        }
        try reached(.removeCleared)
        return removal
    }

    /// Has the index forget what the tree does not have any more.
    ///
    /// Each folder that a document's file has left is flushed once, before that: what the index does not know would be nobody's
    /// if it lay there again after a power failure.
    ///
    /// - Throws: what keeps one of them from being forgotten; the others are all the same.
    package func forget(_ removals: [ClearedRemoval]) throws {
        do {
            try forgetTogether(removals)
        } catch {
            guard removals.count > 1 else { throw error }
            var refusal: (any Error)?
            var isRecorded = false
            for removal in removals {
                do {
                    guard try isOpen(removal.entry) else {
                        isRecorded = true
                        continue
                    }
                    try forgetTogether([removal])
                } catch {
                    refusal = refusal ?? error
                }
            }
            if let refusal = refusal ?? (isRecorded ? error : nil) { throw refusal }
        }
    }

    private func forgetTogether(_ removals: [ClearedRemoval]) throws {
        var left = removals
        while !left.isEmpty {
            let taken = left.flatMap(\.taken)
            try keepingTrash(of: taken) { try flush(taken) }
            var isRowGone = false
            let outcomes = try keepingTrash(of: taken) {
                try index.write(durably: false) { index in
                    try record(taken, in: index)
                    return try left.map { removal -> ApplyOutcome? in
                        guard let id = removal.entry.itemID else { return ApplyOutcome() }
                        let domain = removal.entry.domain
                        // While that was cleared, it may have been told of again, or contents may have come.
                        let isGone = try index.item(id, in: domain)?.isGone == true
                        if isGone, !removal.isKept, try !index.present(within: id, in: domain).isEmpty { return nil }
                        try index.finish(removal.entry)
                        guard isGone, !removal.isKept else { return ApplyOutcome() }
                        isRowGone = true
                        return try index.deleteCleared(id, in: domain)
                    }
                }
            }
            // It is recorded: what keeps some of what follows from being done keeps none of the rest from it.
            var refusal: (any Error)?
            func trying(_ body: () throws -> Void) throws {
                do { try body() } catch let error as DocumentError { refusal = refusal ?? error }
            }
            // Somebody else gets its name. Of what had only a placeholder nothing is to be known.
            if isRowGone { try trying { try index.flush() } }
            try trying { try trimTrash(after: taken) }
            var again: [ClearedRemoval] = []
            for (removal, outcome) in zip(left, outcomes) {
                try trying {
                    if let outcome { try forgotten(removal, outcome) } else { again.append(try clear(removal.entry)) }
                }
            }
            if let refusal {
                if !again.isEmpty { try trying { try forget(again) } }
                throw refusal
            }
            left = again
        }
        // Nobody goes on with what has come of it in parts. The next start finds what cannot be dropped now.
        do {
            try dropNeedlessParts()
        } catch {
            logger.notice("parts that nobody needs stay", metadata: ["error": "\(error)"])
        }
    }

    /// Where they are first, and then where they are not any more.
    private func flush(_ taken: [TakenFile]) throws {
        for domain in Set(taken.filter { $0.trashed != nil }.map(\.location.domain)) { try root.trash.flush(domain) }
        try tree.flushFolders(left: taken.map(\.location))
    }

    /// Whatever keeps the rest from being done: what went into the trash is known to be there. Nobody takes it there again.
    private func keepingTrash<Value>(of taken: [TakenFile], _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            try? index.write(durably: false) { try recordTrash(of: taken, in: $0) }
            throw error
        }
    }

    private func forgotten(_ removal: ClearedRemoval, _ outcome: ApplyOutcome) throws {
        try reached(.removeFinished)
        let domain = removal.entry.domain
        if let holder = try index.read({ try $0.item(at: removal.location) }) {
            refreshPlaceholder(holder.id, in: domain)
        }
        // What was told of again has lost its placeholders.
        let left = try index.read { index in
            try removal.entry.itemID.map { try index.subtree(of: $0, in: domain) } ?? []
        }
        if left.first?.isGone == false {
            for item in left { refreshPlaceholder(item.id, in: domain) }
        }
        // Its name may have been waited for.
        for item in outcome.changed { refreshPlaceholder(item.id, in: item.domain) }
        try perform(outcome)
    }

    /// Removes the contents of all items at or below one that is gone, for as long as it is.
    private func clearContents(within id: ItemIdentifier, _ removal: inout ClearedRemoval) throws {
        let entry = removal.entry
        try recordReplacements(within: id, in: entry.domain)
        for item in try index.read({ try $0.present(within: id, in: entry.domain) }) {
            guard try index.read({ try $0.item(id, in: entry.domain) })?.isGone == true else { break }
            guard let local = item.local, let location = try? locate(item.id, in: item.domain).location else {
                try index.write(durably: false) { try $0.setPlaceholder(item.id, in: item.domain) }
                continue
            }
            var item = item
            // With what else is removed its file may be gone already. What is just being moved is where it was, or is to be.
            let isThere = try moves.exclusively {
                try (try? locate(item.id, in: item.domain).location).map { try tree.file(at: $0) != nil } ?? false
            }
            if !item.isUnsent, isThere { item = try recordChange(of: item.id, in: item.domain) }
            if item.isUnsent, !entry.payload.discardsEdits {
                removal.isKept = true
                let error = DocumentError(
                    .noSuchItem,
                    "It was removed at the provider while it had unsent changes here: they are kept, in its file.",
                    itemID: item.id)
                // It stays changed: what is sent of it makes it anew (VER-15).
                try index.write(durably: false) { try $0.setProblem(error, of: item.id, in: item.domain) }
                continue
            }
            let skips = entry.payload.skipsTrash
            // What was just sent would be an edit again, whose file is gone.
            try index.flushDeferred()
            let taken =
                try entry.payload.discardsEdits
                ? discardFile(of: item.id, in: item.domain, skippingTrash: skips)
                : takeAway(item.local ?? local, of: item, at: location, skippingTrash: skips)
            if let taken {
                removal.taken.append(taken)
            } else {
                try index.write(durably: false) { try $0.setPlaceholder(item.id, in: item.domain) }
            }
        }
    }

    /// What was written anew where no contents were, and could not be recorded when that had ended, as on a full disk, is recorded
    /// before anything around it goes. Not for who has removed it here, and does not want it.
    private func recordReplacements(within id: ItemIdentifier, in domain: DomainName) throws {
        let left = try index.read { index -> [JournalEntry] in
            guard let item = try index.item(id, in: domain), item.isGone, try index.isRemovedByOthers(item) else {
                return []
            }
            return try index.openReplacements(within: item)
        }
        for entry in left {
            guard let written = entry.itemID, let location = try? locate(written, in: domain).location,
                try tree.file(at: location) != nil
            else { continue }
            _ = try recordChange(entry)
        }
    }

    /// Whatever was written to it since it was looked at last is not wanted either. It may have moved since: what has come
    /// to its place is another one's.
    ///
    /// - Parameter skippingTrash: as of ``takeAway(_:of:at:skippingTrash:)``; not what nobody has looked at.
    /// - Returns: nil when there is none.
    func discardFile(of id: ItemIdentifier, in domain: DomainName, skippingTrash: Bool) throws -> TakenFile? {
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try moves.exclusively {
                    guard let (item, location) = try? locate(id, in: domain), item.local != nil,
                        let file = try tree.file(at: location)
                    else { return nil }
                    let isKnown = item.local.map(file.isStill) ?? false
                    return try takeAway(file, of: item, at: location, skippingTrash: skippingTrash && isKnown)
                }
            } catch let error as DocumentError where error.code == .unsyncedEdits && attempt < Self.mostDiscards {
                // Somebody writes just now.
                continue
            }
        }
    }

    private static var mostDiscards: Int { 20 }

    /// Placeholders are derived: those of what else has the place by now are made again.
    private func clearDerived(at location: Location, _ entry: JournalEntry) throws {
        try root.placeholders.remove(at: location)
        guard entry.payload.kind != .document else { return }
        let holder = try index.read { try $0.item(at: location) }
        guard holder == nil || holder?.id == entry.itemID || holder?.item.kind == .document else { return }
        do {
            try tree.removeFolder(at: location)
        } catch let error as DocumentError where error.code == .directoryNotEmpty {
            // Files that belong to no item stay; they are reported now, and at every start.
            logger.notice("\(error.message)")
            leftFiles.left(((try? tree.files(within: location)) ?? []).map(\.location))
        }
    }
}
