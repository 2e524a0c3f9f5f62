package import DocumentModel

/// Removals that wait for somebody to say whether they are meant (CONT-13).
extension DocumentStore {
    /// What is known of the removals of one side when they are judged.
    package struct RemovalLoad: Sendable {
        /// What is to go, with all that is below it.
        package var gathered: Int
        /// All that is known of the domain.
        package var items: Int
        package var watch: RemovalWatchRecord
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
            var load = try self.load(.told, of: domain, index)
            let before = load.watch
            let verdict = judge(load, &load.watch)
            if load.watch != before { try index.setRemovalWatch(load.watch, of: .told, in: domain) }
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
            try index.hold(id, in: domain, recursive: recursive, discardingEdits: discardingEdits)
            var load = try self.load(.asked, of: domain, index)
            let before = load.watch
            let verdict = judge(load, &load.watch)
            if load.watch != before { try index.setRemovalWatch(load.watch, of: .asked, in: domain) }
            switch verdict {
            case .carryOut: try index.releaseHeldRemovals(of: .asked, in: domain, only: id)
            // The answer is one to what there was when it was asked for.
            case .wait: try index.cover(held: id, in: domain)
            }
            return verdict
        }
    }

    private func load(_ side: RemovalSide, of domain: DomainName, _ index: IndexReader) throws -> RemovalLoad {
        let counts = try index.counts(of: domain)
        return RemovalLoad(
            gathered: try index.countHeld(of: side, in: domain).items, items: counts.documents + counts.folders,
            watch: try index.removalWatch(of: side, in: domain))
    }

    private func refresh(_ outcome: ApplyOutcome) {
        for item in outcome.changed where item.local == nil && item.state != .nameClash {
            refreshPlaceholder(item.id, in: item.domain)
        }
    }
}
