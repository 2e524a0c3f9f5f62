internal import DocumentModel
internal import Logging
internal import SystemPackage

/// What was begun before the start is carried on, or taken back.
extension DocumentStore {
    /// - Parameters:
    ///   - isLast: the tree follows the index, as far as it can: what is not at an item's place is nowhere.
    ///   - leavingSources: as of ``reconcile(leavingSources:)``.
    /// - Returns: false when that has to be so first.
    func recover(
        _ entry: JournalEntry, _ report: inout ReconciliationReport, isLast: Bool, leavingSources: Bool
    ) throws -> Bool {
        let evidence = try self.evidence(for: entry)
        let decision = RecoveryDecision(for: entry, evidence)
        logger.info(
            "an interrupted action is taken up",
            metadata: [
                "journal.step": "\(entry.step)", "item.id": "\(entry.itemID?.rawValue ?? "")",
                "decision": "\(decision)",
            ])
        let name = describe(entry, evidence)
        switch decision {
        case .forget:
            // Its copy, if there is one, is swept.
            try index.write { try $0.finish(entry) }
        case .lookUp:
            report.pending.append(entry)
            report.findings.append(
                "The host ended before the \(entry.action) of \(name) was acknowledged: its provider is asked what became of it."
            )
        case .keepContents:
            try settle(entry, evidence.item, report: &report)
        case .returnToPlaceholder:
            try settlePlaceholder(entry, evidence.item)
        case .adopt(let version, let isChanged):
            guard let item = evidence.item, case .file(let file, _) = evidence.place else { break }
            let location = try locate(item.id, in: item.domain).location
            try adopt(item, file, at: location, version: version, isChanged: isChanged, entry)
            report.adopted += 1
            report.findings.append(
                entry.action == .recordChange
                    ? "\(name) was being replaced when the host ended: what was written is kept, and is to be sent."
                    : "The contents of \(name) had arrived before the host ended, and are kept.")
        case .lookAtFile:
            guard let item = evidence.item else { break }
            // It may have been moved, and the index not know yet.
            if case .file = evidence.place {} else if !isLast { return false }
            try settle(entry, item, report: &report)
        case .sendAnew:
            try takeBackSending(entry, entry.step == .sendSnapshotTaken ? .open : .undone)
            report.findings.append("The change of \(name) was not sent before the host ended: it is to be sent anew.")
        case .askProvider:
            report.pending.append(entry)
            report.findings.append(
                "The change of \(name) was being sent when the host ended: the provider is asked again.")
        case .finishLeaving:
            report.pending.append(entry)
            report.findings.append(
                "\(name) was being moved out when the host ended: there is a copy of it, and it is removed now.")
        case .finishClearing:
            report.pending.append(entry)
            report.findings.append(
                "The data of \(name) was being removed when the host ended: the rest of it is removed now.")
        case .tellProvider:
            report.pending.append(entry)
        case .takeInParts:
            var refused: [DocumentError] = []
            try carryOn(entry, "writing", name, &report) { refused = try recordEdits(entry, dropping: false).refused }
            report.findings += refused.map(\.message)
        case .finishMove:
            if leavingSources, entry.step == .moveRecorded, !evidence.isStaged, isOutside(entry) {
                // Only its old place still has them, besides the provider.
                if let id = entry.itemID { refreshPlaceholder(id, in: entry.domain) }
                report.sources.append(entry)
                report.findings.append(
                    "The move of \(name) was interrupted: what is in its old place is taken from there when that gives an answer."
                )
                break
            }
            var left: JournalEntry?
            try carryOn(entry, "move", name, &report) {
                let contents = try entry.step == .moveRecorded ? movedContents(entry) : nil
                left = try end(placeMoved(entry, contents), leavingSource: leavingSources)
            }
            if let left { report.sources.append(left) }
        case .resumeArrival:
            var left: JournalEntry?
            try carryOn(entry, "moving in", name, &report) {
                if let placed = try resumeArrival(entry) { left = try end(placed, leavingSource: leavingSources) }
            }
            if let left { report.sources.append(left) }
        case .takeIn:
            do {
                guard let made = try resumeMaking(entry) else { break }
                let location = try locate(made.id, in: made.domain).location
                report.findings.append("\(location) was being written for the first time, and is to be sent as it is.")
            } catch let error as DocumentError {
                // It stays in the journal, and is tried again at the next start.
                report.findings.append("\(name) was being written, and cannot be taken in: \(error.message)")
            }
        case .takeBack:
            guard isLast else { return false }
            // Something that could not be moved may be it: with the next start, then.
            guard let item = evidence.item, try !index.read({ try $0.journal() }).contains(where: { $0.step.isForTree })
            else { break }
            let outcome = try index.write { index in
                try index.finish(entry)
                return try index.deleteCleared(item.id, in: item.domain)
            }
            try perform(outcome)
            report.findings.append(
                "\(name) had just been made, and had not come to the disk when this machine stopped.")
        case .performInTree:
            try carryOn(entry, entry.action.rawValue, name, &report) { try perform(entry) }
        }
        return true
    }

    /// Of an arrival or a move whose contents are in their place.
    ///
    /// - Returns: the entry, when its source is left for later.
    private func end(_ placed: JournalEntry, leavingSource: Bool) throws -> JournalEntry? {
        if leavingSource, isOutside(placed) { return placed }
        try removeSource(ofPlaced: placed)
        return nil
    }

    /// What is in the storage root itself, as the trash is, gives an answer.
    private func isOutside(_ entry: JournalEntry) -> Bool {
        entry.payload.sourcePath.map { !$0.starts(with: root.path) } ?? false
    }

    /// The contents of an interrupted move: the copy, or the source once more. Nil when neither is there any longer:
    /// the provider has them.
    ///
    /// - Parameter readingSource: may block for ever.
    func movedContents(_ entry: JournalEntry, readingSource: Bool = true) throws -> StagedFile? {
        if let name = entry.payload.staging, entry.payload.boot == root.boot,
            let staged = try root.staging.request(named: name)?.existingFile(),
            staged.identity.size == entry.payload.file?.size
        {
            return staged
        }
        guard readingSource, let source = entry.payload.sourcePath else { return nil }
        let request = try root.staging.makeRequest(.sending(entry.domain))
        guard let copy = try? root.staging.snapshot(ofFileAt: source, followingLink: false, in: request),
            let taken = copy.source, let sent = entry.payload.file, taken.isStill(sent)
        else {
            discard(request: request.name)
            return nil
        }
        return copy
    }

    private func carryOn(
        _ entry: JournalEntry, _ what: String, _ name: String, _ report: inout ReconciliationReport,
        _ body: () throws -> Void
    ) throws {
        do {
            try body()
            report.findings.append("The \(what) of \(name) was interrupted, and is finished now.")
        } catch let error as DocumentError {
            // It stays in the journal, and is tried again at the next start.
            report.findings.append("The \(what) of \(name) was interrupted and cannot be finished: \(error.message)")
        }
    }

    private func evidence(for entry: JournalEntry) throws -> RecoveryEvidence {
        let item = try entry.itemID.flatMap { id in try index.read { try $0.item(id, in: entry.domain) } }
        var place = RecoveryEvidence.Place.nothing
        if let item {
            // Where it has no place of its own, nobody knows what of it is there.
            place = (try? locate(item.id, in: item.domain).location).map { self.place(at: $0) } ?? .other
        }
        var isStaged = false
        if let name = entry.payload.staging, entry.payload.boot == root.boot,
            let staged = try root.staging.request(named: name)?.existingFile()
        {
            isStaged = staged.identity.size == entry.payload.file?.size
        }
        return RecoveryEvidence(item: item, place: place, isStaged: isStaged)
    }

    func place(at location: Location) -> RecoveryEvidence.Place {
        do {
            guard let file = try tree.file(at: location) else { return .nothing }
            // Where nobody may read it, it is a file all the same: what was written in it is still to be sent.
            return .file(file, stamp: (try? tree.stamp(at: location)) ?? nil)
        } catch {
            return .other
        }
    }

    private func describe(_ entry: JournalEntry, _ evidence: RecoveryEvidence) -> String {
        let components = entry.payload.place ?? entry.payload.name.map { [$0] } ?? []
        return Location(domain: entry.domain, components: components).description
    }

    /// Closes an entry, and gives the item the state that its file says.
    private func settle(
        _ entry: JournalEntry, _ item: IndexedItem?, report: inout ReconciliationReport
    ) throws {
        try index.write { try $0.finish(entry) }
        guard let item else { return }
        // What is missing is found once more among all that have contents here.
        var missing: [IndexedItem] = []
        try look(at: item, &report, &missing)
        if !missing.isEmpty { try settleState(item) }
    }

    private func settlePlaceholder(_ entry: JournalEntry, _ item: IndexedItem?) throws {
        try index.write { index in
            if let item { try index.setPlaceholder(item.id, in: item.domain) }
            try index.finish(entry)
        }
        if let item { refreshPlaceholder(item.id, in: item.domain) }
    }

    func adopt(
        _ item: IndexedItem, _ file: FileIdentity, at location: Location, version: [UInt8], isChanged: Bool,
        _ entry: JournalEntry? = nil
    ) throws {
        let file = isChanged ? flushed(location) ?? file : file
        try index.write { index in
            try index.adopt(file, of: item, version: version, isChanged: isChanged)
            if let entry { try index.finish(entry) }
        }
    }

    /// What counts as changed is on the disk before it is written down as such, and sent: an older state of the file, found again
    /// after a power failure, would be an edit of it.
    ///
    /// - Returns: nil when it cannot be brought there now.
    func flushed(_ location: Location) -> FileIdentity? { (try? tree.flush(location)) ?? nil }
}
