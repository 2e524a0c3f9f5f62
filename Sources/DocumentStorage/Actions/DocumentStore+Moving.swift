package import DocumentModel
internal import Logging

/// A rename, a move to another folder, or a removal, that the provider is to be asked for.
package struct Change: Sendable {
    package var entry: JournalEntry
    package var item: IndexedItem
    package var location: Location
    /// The same in every retry.
    package var operation: String
}

extension DocumentStore {
    // MARK: Asked for here

    package func beginRenaming(
        _ id: ItemIdentifier, in domain: DomainName, to parent: ItemIdentifier, name: ItemName
    ) throws -> Change {
        try refuseTaken(name, in: parent, of: domain, except: id)
        var payload = JournalPayload()
        payload.parentID = parent
        payload.name = name
        return try begin(.renameBegan, id, in: domain, payload)
    }

    /// - Parameters:
    ///   - discardingEdits: changes that were not sent go, too; without it they refuse the removal.
    ///   - skippingTrash: there is a copy of its contents, or they are to go for good: not into the trash.
    package func beginRemoving(
        _ id: ItemIdentifier, in domain: DomainName, discardingEdits: Bool = false, skippingTrash: Bool = false
    ) throws -> Change {
        if !discardingEdits,
            let unsent = try index.read({ try $0.present(within: id, in: domain) }).first(where: \.isUnsent)
        {
            throw try refusedRemoval(of: unsent)
        }
        var payload = JournalPayload()
        payload.discardsEdits = discardingEdits
        payload.skipsTrash = skippingTrash
        return try begin(.removeBegan, id, in: domain, payload)
    }

    private func begin(
        _ step: JournalStep, _ id: ItemIdentifier, in domain: DomainName, _ payload: JournalPayload
    ) throws -> Change {
        let (item, location) = try locate(id, in: domain)
        let operation = RandomName.make()
        var payload = payload
        payload.operation = operation
        payload.place = location.components
        payload.base = item.item.version
        payload.kind = item.item.kind
        let entry = try index.write(durably: false) { index in
            try index.begin(step, item: id, in: domain, payload: payload)
        }
        try reached(step)
        return Change(entry: entry, item: item, location: location, operation: operation)
    }

    /// The provider has renamed or moved it. What it has told of the item meanwhile stays as it told it, its place, too.
    package func finish(_ change: Change, as item: Item) throws -> IndexedItem {
        try reached(.renameAnswered)
        let domain = change.entry.domain
        let outcome = try index.write { index in
            // It is the later one.
            try index.finishRelocations(of: change.item.id, in: domain)
            // Identifiers that follow names: it is the same item here, with what was changed of it, and so is what is in it.
            let (began, followed) = try index.following(change.item, as: item.id)
            var outcome = try index.apply(item, answeringMoveOf: began)
            outcome.work = followed.work + outcome.work
            try index.finish(change.entry)
            return try withOpenWork(of: [item.id], in: domain, outcome, index)
        }
        try reached(.renameRecorded)
        try perform(outcome)
        if let rejected = outcome.rejected.first?.error { throw rejected }
        return try current(item.id, in: domain)
    }

    /// Why a document with changes that were not sent is not removed without another word, and what can be done.
    package func refusedRemoval(of item: IndexedItem) throws -> DocumentError {
        let name = item.item.name?.rawValue ?? ""
        guard item.state == .conflict else {
            return DocumentError(
                .unsyncedEdits, "“\(name)” has changes that were not sent yet: send them first.", itemID: item.id)
        }
        let location = try locate(item.id, in: item.domain).location
        return DocumentError(
            .inConflict,
            "“\(name)” was changed here and on the remote: docent resolve \(location) says which contents it keeps; with --discard-unsent it is removed all the same, and both go into the trash.",
            itemID: item.id)
    }

    /// The provider has removed it.
    package func finishRemoving(_ change: Change) throws {
        guard let id = change.entry.itemID else { return }
        try reached(.removeAnswered)
        let (domain, payload) = (change.entry.domain, change.entry.payload)
        try trashSides(
            of: index.read { try $0.subtree(of: id, in: domain) }.map(\.id), in: domain,
            discardingEdits: payload.discardsEdits, skippingTrash: payload.skipsTrash)
        let outcome = try index.write { index in
            let outcome = try remove(
                [id], in: domain, discardingEdits: payload.discardsEdits, skippingTrash: payload.skipsTrash, index)
            try index.finish(change.entry)
            return outcome
        }
        try reached(.removeRecorded)
        try perform(outcome)
    }

    /// The provider has removed some of what is in a folder that is to go.
    package func recordRemoved(_ ids: [ItemIdentifier], with change: Change) throws {
        let (domain, payload) = (change.entry.domain, change.entry.payload)
        try trashSides(
            of: ids, in: domain, discardingEdits: payload.discardsEdits, skippingTrash: payload.skipsTrash)
        let outcome = try index.write { index in
            try remove(
                ids, in: domain, discardingEdits: payload.discardsEdits, skippingTrash: payload.skipsTrash, index)
        }
        try perform(outcome)
    }

    /// The provider does not have it any more, and has told of that before it was known. It goes as soon as nobody uses it.
    ///
    /// - Parameter holding: it is only written down, see ``settleHeldRemovals(of:judge:)``.
    package func recordGone(_ id: ItemIdentifier, in domain: DomainName, holding: Bool = false) throws {
        try follow(try index.write { try $0.delete([id], in: domain, holding: holding) })
    }

    func remove(
        _ ids: [ItemIdentifier], in domain: DomainName, discardingEdits: Bool, skippingTrash: Bool = false,
        includingArriving: Bool = false, _ index: IndexTransaction
    ) throws -> ApplyOutcome {
        var outcome = try withOpenWork(
            of: ids, in: domain, try index.delete(ids, in: domain, includingArriving: includingArriving), index)
        guard discardingEdits || skippingTrash else { return outcome }
        outcome.work = try outcome.work.map { entry in
            var entry = entry
            entry.payload.discardsEdits = entry.payload.discardsEdits || discardingEdits
            entry.payload.skipsTrash = entry.payload.skipsTrash || skippingTrash
            return try index.advance(entry, to: entry.step)
        }
        return outcome
    }

    /// The provider may have told of the same before it has answered: then the tree is to follow that, which waits for
    /// everybody to end. Whoever has asked for it need not wait.
    private func withOpenWork(
        of ids: [ItemIdentifier], in domain: DomainName, _ outcome: ApplyOutcome, _ index: IndexTransaction
    ) throws -> ApplyOutcome {
        let known = Set(outcome.work.map(\.id))
        let open = try ids.flatMap { try index.journal(of: $0, in: domain) }
            .filter { $0.step.isForTree && !known.contains($0.id) }
        var outcome = outcome
        outcome.work = (open + outcome.work).sorted { $0.id < $1.id }
        return outcome
    }

    /// The provider has refused it, for sure.
    package func abandon(_ change: Change) throws {
        try index.write(durably: false) { try $0.finish(change.entry) }
    }

    // MARK: On disk

    /// Has the tree follow an answer of the provider, as soon as nobody uses the items where somebody waits for that.
    func follow(_ outcome: ApplyOutcome) throws {
        guard !outcome.work.isEmpty else { return }
        let (over, rest) = try index.read { index in
            try outcome.work.reduce(into: (over: ApplyOutcome(), rest: ApplyOutcome())) { work, entry in
                // Its identifier is another item's by now: nobody who uses that has to let go of it.
                let isOver =
                    try entry.step == .removeRecorded && index.subject(of: entry, in: entry.domain)?.isGone == false
                if isOver { work.over.work.append(entry) } else { work.rest.work.append(entry) }
            }
        }
        try perform(over)
        if !follower.take(rest.work) { try perform(rest) }
    }

    /// Carries out in the tree what an outcome asks for. What cannot be carried out stays in the journal, and the item
    /// says why.
    func perform(_ outcome: ApplyOutcome) throws {
        var cleared: [ClearedRemoval] = []
        for entry in outcome.work {
            // What is moved finds the places free that removals have left.
            if entry.action != .remove { try forgetNoting(&cleared) }
            try noting(entry) { if let removal = try performLeavingCleared(entry) { cleared.append(removal) } }
        }
        try forgetNoting(&cleared)
    }

    private func forgetNoting(_ removals: inout [ClearedRemoval]) throws {
        defer { removals = [] }
        guard let last = removals.last else { return }
        try noting(last.entry, with: removals.dropLast().map(\.entry)) { try forget(removals) }
    }

    /// - Parameter others: what is not carried out then, either.
    private func noting(
        _ entry: JournalEntry, with others: [JournalEntry] = [], _ body: () throws -> Void
    ) throws {
        do {
            try body()
        } catch let error as DocumentError {
            logger.warning(
                "the tree could not follow the index",
                metadata: ["item.id": "\(entry.itemID?.rawValue ?? "")", "error": "\(error)"])
            guard let id = entry.itemID else { return }
            _ = try? index.write(durably: false) { try $0.setProblem(error, of: id, in: entry.domain) }
            // Else only the next start would take it up.
            _ = follower.take(others + [entry])
        }
    }

    /// Carries out one recorded rename or removal in the tree; doing it again is no error.
    package func perform(_ entry: JournalEntry) throws {
        if let removal = try performLeavingCleared(entry) { try forget([removal]) }
    }

    /// The same, but for the end of a removal.
    ///
    /// - Returns: what ``forget(_:)`` is to be told, together with others.
    package func performLeavingCleared(_ entry: JournalEntry) throws -> ClearedRemoval? {
        // Done already: names may belong to other items by now. It may have got another identifier since it was recorded.
        guard let entry = try index.read({ try $0.open(entry) }) else { return nil }
        switch entry.step {
        case .renameRecorded, .renameMoved: try performMove(entry)
        case .removeRecorded, .removeCleared: return try clear(entry)
        default: throw DocumentError(.internal, "The journal's entry \(entry.id) (\(entry.step)) is not for the tree.")
        }
        return nil
    }

    /// By its number: the item may have got another identifier since it was recorded.
    func isOpen(_ entry: JournalEntry) throws -> Bool { try index.read { try $0.open(entry) } != nil }

    private func performMove(_ entry: JournalEntry) throws {
        guard let id = entry.itemID, let place = entry.payload.place, let destination = entry.payload.destination else {
            throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a move needs.")
        }
        let isMoved: Bool
        do {
            isMoved = try moves.exclusively { try move(id, from: place, to: destination, entry) }
        } catch let error as DocumentError where error.code == .directoryNotEmpty {
            let target = try index.read { try OpenMoves(in: entry.domain, before: entry, $0).target(of: destination) }
            guard try putBackFiles(in: Location(domain: entry.domain, components: target)) else { throw error }
            isMoved = try moves.exclusively { try move(id, from: place, to: destination, entry) }
        }
        refreshPlaceholder(id, in: entry.domain)
        if isMoved { try reached(.renameFinished) }
    }

    /// - Returns: nil when what is there is not known to be the item's file.
    private func ownFile(
        of id: ItemIdentifier, in domain: DomainName, at location: Location
    ) throws -> FileIdentity? {
        guard let item = try index.read({ try $0.item(id, in: domain) }), item.item.kind == .document,
            let file = try? tree.file(at: location), isFile(file, try? tree.stamp(at: location), of: item)
        else { return nil }
        return file
    }

    /// - Returns: false when the item stays where it is.
    private func move(
        _ id: ItemIdentifier, from place: [ItemName], to destination: [ItemName], _ entry: JournalEntry
    ) throws -> Bool {
        // Those recorded before may still wait for somebody to end.
        let earlier = try index.read { try OpenMoves(in: entry.domain, before: entry, $0) }
        let source = Location(domain: entry.domain, components: earlier.undone(place))
        let target = Location(domain: entry.domain, components: earlier.target(of: destination))
        guard !earlier.isToMove(within: source.components) else {
            throw DocumentError(
                .busy, "\(source) is moved when what is to leave it has left: somebody still uses that.", itemID: id)
        }
        guard !earlier.hinder(id, from: place, to: destination) else {
            let isTaken = try entry.payload.kind == .document && tree.inode(at: target) != nil
            throw DocumentError(
                isTaken ? .destinationExists : .busy,
                "\(source) is moved to \(target) when what was to be moved before has been: somebody still uses that.",
                itemID: id)
        }
        // At its new place it is once more what it was here, by the time of its inode's change.
        let before = try? tree.file(at: source)
        let unrecorded = try unrecordedFile(at: source, of: id, entry)
        var file: FileIdentity?
        do {
            if case .nobodys = unrecorded {
                try root.placeholders.remove(at: source)
            } else if let moved = try ownFile(of: id, in: entry.domain, at: target), source != target {
                // A machine that stopped in between has moved it already; what is at its old place by now is another one's.
                file = moved
            } else {
                file = try tree.move(from: source, to: target)
            }
        } catch let error as DocumentError where error.code == .destinationExists || error.code == .directoryNotEmpty {
            // What is in the way is going to leave: this stays in the journal until then.
            guard !earlier.isLeaving(target.components) else { throw error }
            // A file that belongs to nobody is in the way. The item stays where its file is, and wants to move.
            try index.write { index in
                // Else this stays in the journal, which says where its file is.
                guard try index.revertMove(entry) else { throw error }
                try index.setProblem(error, of: id, in: entry.domain)
                try index.finish(entry)
            }
            return false
        }
        try reached(.renameMoved)
        try index.write(durably: false) { index in
            if let file {
                if case .own(let stamp) = unrecorded, let item = try index.item(id, in: entry.domain) {
                    try index.adopt(stamp.file(as: file), of: item, version: stamp.contentVersion, isChanged: false)
                } else {
                    try index.setRenamed(file, from: before, of: id, in: entry.domain)
                }
            }
            try index.forgetHindrance(of: id, in: entry.domain)
            try index.finish(entry)
        }
        return true
    }
}
