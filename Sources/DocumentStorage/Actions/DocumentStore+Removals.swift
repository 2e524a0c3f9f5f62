package import DocumentModel

/// Removals that wait for somebody to say whether they are meant (CONT-13).
extension DocumentStore {
    /// What is known of the removals of one side when they are judged.
    package struct RemovalLoad: Sendable {
        /// What is to go, each with all that is below it.
        package var removals: [GatheredRemoval]
        /// All that is known of the domain.
        package var items: Int
        package var watch: RemovalWatchRecord

        /// How many items are to be deleted.
        package var gathered: Int { removals.reduce(0) { $0 + $1.count - $1.excused } }
    }

    /// What becomes of them.
    package enum RemovalVerdict: Hashable, Sendable {
        case carryOut
        /// They stay held.
        case wait
    }

    /// At the end of a listing, or of what a feed had to tell: what the provider says is gone goes from here, or waits.
    ///
    /// - Parameter judge: pure; may change the record, which is written down with what follows.
    /// - Returns: what is to be done in the tree.
    package func settleHeldRemovals(
        of domain: DomainName, judge: (RemovalLoad, inout RemovalWatchRecord) -> RemovalVerdict
    ) throws -> ApplyOutcome {
        let record = try index.read { index in
            let isAny = try index.hasHeldRemovals(of: .told, index.reference(to: domain))
            return (isAny, try index.removalWatch(of: .told, in: domain))
        }
        // The usual case writes nothing.
        guard record.0 || record.1.asked != nil else { return ApplyOutcome() }
        let outcome = try index.write { index in
            let (verdict, watch) = try index.judgeRemovals(of: .told, in: domain, judge: judge)
            if watch != record.1 { try index.setRemovalWatch(watch, of: .told, in: domain) }
            guard verdict == .carryOut else { return ApplyOutcome() }
            return try index.carryOutHeldRemovals(in: domain, keepingContents: false)
        }
        refresh(outcome)
        return outcome
    }

    /// Somebody said what becomes of what the provider says is gone.
    ///
    /// - Parameter keepingContents: documents with contents here stay, and are to be sent anew.
    /// - Returns: what is to be done in the tree.
    package func answerHeldRemovals(
        of domain: DomainName, keepingContents: Bool
    ) throws -> ApplyOutcome {
        let outcome = try index.write { index in
            try index.setRemovalWatch(RemovalWatchRecord(), of: .told, in: domain)
            return try index.carryOutHeldRemovals(in: domain, keepingContents: keepingContents)
        }
        refresh(outcome)
        return outcome
    }

    /// Whether a removal that somebody here asks for may go to the provider; else it is written down, to be carried out
    /// when somebody says yes.
    ///
    /// - Parameter judge: as of ``settleHeldRemovals(of:judge:)``; the removal counts as gathered.
    package func admitRemoval(
        of id: ItemIdentifier, in domain: DomainName, recursive: Bool, discardingEdits: Bool,
        judge: (RemovalLoad, inout RemovalWatchRecord) -> RemovalVerdict
    ) throws -> RemovalVerdict {
        try index.write(durably: false) { index in
            try index.admitRemoval(
                of: id, in: domain, recursive: recursive, discardingEdits: discardingEdits, judge: judge)
        }
    }

    /// A removal that was admitted has not begun: it does not count. What is gone by now does, whoever has removed it; so does what
    /// has another name or other contents since.
    package func takeBackRemoval(of id: ItemIdentifier, in domain: DomainName) throws {
        try index.write(durably: false) { index in
            guard try index.item(id, in: domain)?.exists == true,
                let removal = try index.gatheredRemovals(of: .asked, in: domain, adding: id, only: true).first?.removal,
                let trace = removal.trace
            else { return }
            var watch = try index.removalWatch(of: .asked, in: domain)
            guard watch.takeBack(trace) else { return }
            try index.setRemovalWatch(watch, of: .asked, in: domain)
        }
    }

    private func refresh(_ outcome: ApplyOutcome) {
        for item in outcome.changed where item.local == nil && item.state != .nameClash {
            refreshPlaceholder(item.id, in: item.domain)
        }
    }
}

extension IndexTransaction {
    /// As ``DocumentStore/admitRemoval(of:in:recursive:discardingEdits:judge:)``.
    func admitRemoval(
        of id: ItemIdentifier, in domain: DomainName, recursive: Bool, discardingEdits: Bool,
        judge: (DocumentStore.RemovalLoad, inout RemovalWatchRecord) -> DocumentStore.RemovalVerdict
    ) throws -> DocumentStore.RemovalVerdict {
        try hold(id, in: domain, recursive: recursive, discardingEdits: discardingEdits)
        let (verdict, watch) = try judgeRemovals(of: .asked, in: domain, adding: id, judge: judge)
        try setRemovalWatch(watch, of: .asked, in: domain)
        switch verdict {
        case .carryOut: try releaseHeldRemovals(of: .asked, in: domain, only: id)
        // The answer is one to what there was when it was asked for.
        case .wait: try cover(held: id, in: domain)
        }
        return verdict
    }
}

extension IndexReader {
    /// What becomes of the removals of one side. What is replaced, and what is removed in a package that itself goes on
    /// existing, is no deletion (CONT-13); that is looked up where it makes a difference.
    ///
    /// - Parameters:
    ///   - id: is to go as well.
    ///   - judge: as of ``DocumentStore/settleHeldRemovals(of:judge:)``.
    /// - Returns: with the record as it is then.
    package func judgeRemovals(
        of side: RemovalSide, in domain: DomainName, adding id: ItemIdentifier? = nil,
        judge: (DocumentStore.RemovalLoad, inout RemovalWatchRecord) -> DocumentStore.RemovalVerdict
    ) throws -> (verdict: DocumentStore.RemovalVerdict, watch: RemovalWatchRecord) {
        // However many wait already: somebody removes them one by one, and each is refused.
        if let id, let watch = try openQuestion(of: side, in: domain, about: id) { return (.wait, watch) }
        let counts = try counts(of: domain)
        let gathered = try gatheredRemovals(of: side, in: domain, adding: id)
        var load = DocumentStore.RemovalLoad(
            removals: gathered.map(\.removal), items: counts.documents + counts.folders,
            watch: try removalWatch(of: side, in: domain))
        load.watch.replaced(by: load.removals)
        if !load.watch.isCrowded {
            var watch = load.watch
            let verdict = judge(load, &watch)
            if verdict == .carryOut { return (verdict, watch) }
            let isAny = try excuse(&load, gathered.map(\.place), adding: id, in: domain)
            if !isAny { return (verdict, watch) }
        } else {
            _ = try excuse(&load, gathered.map(\.place), adding: id, in: domain)
            load.watch.settle()
        }
        var watch = load.watch
        return (judge(load, &watch), watch)
    }

    /// Whether an answer is waited for, and the removal of one item is something that waits for it, whatever becomes of the others.
    ///
    /// - Returns: the record, which stays as it is.
    private func openQuestion(
        of side: RemovalSide, in domain: DomainName, about id: ItemIdentifier
    ) throws -> RemovalWatchRecord? {
        let watch = try removalWatch(of: side, in: domain)
        guard watch.asked != nil,
            let (removal, place) = try gatheredRemovals(of: side, in: domain, adding: id, only: true).first, let place,
            try excused(removal, at: place, adding: row(of: id, reference(to: domain))) < removal.count
        else { return nil }
        return watch
    }

    /// - Returns: whether anything is.
    private func excuse(
        _ load: inout DocumentStore.RemovalLoad, _ places: [RemovalPlace?], adding id: ItemIdentifier?,
        in domain: DomainName
    ) throws -> Bool {
        let own = try reference(to: domain)
        let added = try id.flatMap { try row(of: $0, own) }
        for (index, place) in places.enumerated() {
            guard let place else { continue }
            load.removals[index].excused = try excused(load.removals[index], at: place, adding: added)
        }
        for index in load.watch.recent.indices {
            load.watch.recent[index].excused = try excused(load.watch.recent[index], in: domain, adding: added)
        }
        return load.removals.contains { $0.excused > 0 } || load.watch.recent.contains { $0.excused > 0 }
    }
}
