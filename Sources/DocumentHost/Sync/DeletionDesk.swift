import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Logging

/// Deletions of many items wait for a yes (CONT-13): the shell around ``DeletionWatch``, for each domain and direction.
///
/// What waits, and since when, is in the index, so that neither a question nor an answer is lost with the host.
struct DeletionDesk: Sendable {
    let storage: StorageThreads
    let treeWork: TreeWork
    /// Seconds since 1970.
    let clock: @Sendable () -> Int64
    let logger: Logger
    private let underWay = RemovalsUnderWay()

    // MARK: From the remote

    /// At the end of a listing, or of what a feed had to tell: what it named as gone goes from here, or a question is
    /// asked.
    func settle(_ domain: DomainName) async throws(DocumentError) {
        let (rule, now) = (try guardRule(of: domain), clock())
        let isAsked = try isAsked(.told, in: domain)
        let outcome = try await storage.run { store in
            try store.settleHeldRemovals(of: domain) { load, record in Self.judge(load, &record, rule, now) }
        }
        try await take(outcome)
        if !isAsked, try self.isAsked(.told, in: domain) { say(.told, in: domain) }
    }

    private func take(_ outcome: ApplyOutcome) async throws(DocumentError) {
        try await treeWork.perform(outcome.work)
        try treeWork.tell(of: outcome)
    }

    // MARK: From here

    /// To be called before the provider is asked to remove an item.
    ///
    /// - Throws: `deletionRejected` when it has to wait for a yes; it is written down until then.
    func admit(
        _ item: IndexedItem, at location: Location, recursive: Bool, discardingEdits: Bool
    ) async throws(DocumentError) {
        let (rule, now) = (try guardRule(of: item.domain), clock())
        let isAsked = try isAsked(.asked, in: item.domain)
        let verdict = try await storage.run { store in
            try store.admitRemoval(
                of: item.id, in: item.domain, recursive: recursive, discardingEdits: discardingEdits
            ) { load, record in Self.judge(load, &record, rule, now) }
        }
        guard verdict == .wait else { return }
        throw try refusal(of: item, at: location, isAsked: isAsked)
    }

    /// Runs what has items removed, and is to admit them. Where it ends and has not begun to remove them, as when somebody else uses
    /// one for too long, they do not count: nothing went. What waits for a yes goes on waiting.
    ///
    /// - Parameters:
    ///   - items: those that are to be admitted.
    ///   - body: says when it begins.
    func removing<Value: Sendable>(
        _ items: [IndexedItem], _ body: (_ begins: () -> Void) async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        underWay.begin(items.map(\.key))
        var hasBegun = false
        let result: Result<Value, DocumentError>
        do throws(DocumentError) {
            result = .success(try await body { hasBegun = true })
        } catch {
            result = .failure(error)
        }
        // Where somebody else is about to remove one, too, it counts for that.
        let left = underWay.end(items.map(\.key), hasBegun: hasBegun)
        if case .failure(let error) = result, error.code == .deletionRejected { throw error }
        for key in left {
            do throws(DocumentError) {
                try await storage.run { try $0.takeBackRemoval(of: key.id, in: key.domain) }
            } catch {
                logger.notice(
                    "what was not removed counts as if it had been",
                    metadata: ["item.id": "\(key.id)", "error": "\(error)"])
            }
        }
        return try result.get()
    }

    /// The same for what leaves: that it is to, and whether it may without a yes, is written down in one. The host may die at any
    /// moment, and what is resumed after that was judged.
    ///
    /// - Throws: `deletionRejected` when it has to wait for a yes; the entry stays open until then. With any other error, nothing
    ///   was begun.
    func beginLeaving(
        _ item: IndexedItem, at location: Location, copiedTo path: String, _ parts: [CopiedPart]
    ) async throws(DocumentError) -> JournalEntry {
        // Its provider does not know it: nothing is removed there.
        if item.isArriving {
            return try await storage.run { try $0.beginLeaving(item.id, in: item.domain, copiedTo: path, parts).entry }
        }
        let (rule, now) = (try guardRule(of: item.domain), clock())
        let isAsked = try isAsked(.asked, in: item.domain)
        let begun = try await storage.run { store in
            try store.beginLeaving(item.id, in: item.domain, copiedTo: path, parts) { load, record in
                Self.judge(load, &record, rule, now)
            }
        }
        guard begun.verdict == .wait else { return begun.entry }
        throw try refusal(of: item, at: location, isAsked: isAsked)
    }

    /// - Parameter isAsked: whether somebody was asked before.
    private func refusal(
        of item: IndexedItem, at location: Location, isAsked: Bool
    ) throws(DocumentError) -> DocumentError {
        if !isAsked { say(.asked, in: item.domain) }
        let held = try storage.read { try $0.countHeld(of: .asked, in: item.domain).items }
        return DocumentError(
            .deletionRejected,
            "\(location) is not removed yet: \(held) items of \(item.domain) would go, and so many need a yes. Say so with docent domain deletions \(item.domain) --yes, or keep them with --no.",
            itemID: item.id)
    }

    /// Whether an answer is waited for before an item is removed.
    func isWaiting(_ id: ItemIdentifier, in domain: DomainName) throws(DocumentError) -> Bool {
        try wanted(in: domain).contains { $0.item.id == id }
    }

    /// Whether a removal would have to wait for a yes. Nothing is written down.
    func wouldAsk(_ item: IndexedItem) throws(DocumentError) -> Bool {
        let (rule, now) = (try guardRule(of: item.domain), clock())
        return try storage.read { index in
            let verdict = try index.judgeRemovals(of: .asked, in: item.domain, adding: item.id) { load, record in
                Self.judge(load, &record, rule, now)
            }.verdict
            return verdict == .wait
        }
    }

    /// What somebody here wanted removed.
    func wanted(in domain: DomainName) throws(DocumentError) -> [HeldRemoval] {
        try storage.read { try $0.heldRemovals(of: .asked, in: domain) }
    }

    /// What a removal that waits covers, see ``IndexReader/covered(byHeld:in:)``.
    func covered(by id: ItemIdentifier, in domain: DomainName) throws(DocumentError) -> CoveredItems {
        try storage.read { try $0.covered(byHeld: id, in: domain) }
    }

    /// Somebody was told that there is more, which stays. The next yes is one to what is shown by now.
    func coverAnew(_ id: ItemIdentifier, in domain: DomainName) async throws(DocumentError) {
        try await storage.write { index in
            guard try index.heldRemovals(of: .asked, in: domain).contains(where: { $0.item.id == id }) else { return }
            try index.cover(held: id, in: domain)
        }
    }

    /// It was carried out, or is not wanted any more.
    ///
    /// - Parameter id: nil for all.
    func forget(_ id: ItemIdentifier? = nil, in domain: DomainName) async throws(DocumentError) {
        try await storage.write { index in
            try index.releaseHeldRemovals(of: .asked, in: domain, only: id)
            guard try index.heldRemovals(of: .asked, in: domain).isEmpty else { return }
            try index.setRemovalWatch(RemovalWatchRecord(), of: .asked, in: domain)
        }
    }

    // MARK: Answers

    /// - Parameter keepingContents: no: documents with contents here stay, and are sent again.
    func answerTold(in domain: DomainName, keepingContents: Bool) async throws(DocumentError) {
        let outcome = try await storage.run { store in
            try store.answerHeldRemovals(of: domain, keepingContents: keepingContents)
        }
        try await take(outcome)
    }

    // MARK: What is told

    func held(in domain: DomainName) throws(DocumentError) -> [HeldDeletions] {
        try storage.read { index in
            try [(RemovalSide.told, HeldDeletions.Direction.fromRemote), (.asked, .toRemote)].compactMap {
                side, direction in
                guard let since = try index.removalWatch(of: side, in: domain).asked else { return nil }
                let (items, here) = try index.countHeld(of: side, in: domain)
                guard items > 0 else { return nil }
                let examples = try index.heldRemovals(of: side, in: domain).prefix(3).compactMap {
                    try Self.place(of: $0.item, index)
                }
                return HeldDeletions(
                    direction: direction, items: items, materialised: here, examples: examples,
                    since: Timestamp(seconds: since))
            }
        }
    }

    /// - Returns: nil where it is not shown because of its name: it has none that anybody could be told.
    private static func place(of item: IndexedItem, _ index: IndexReader) throws -> Location? {
        do {
            return try index.shownLocation(of: item)
        } catch let error as DocumentError where error.code == .nameClash {
            return nil
        }
    }

    /// What the user chose.
    func rules(of domain: DomainName) throws(DocumentError) -> DomainRules {
        try storage.read { index in
            var rules = DomainRules()
            if let value = try index.rule(RuleName.deletionMinimum, of: domain) { rules.deletionMinimum = Int(value) }
            if let value = try index.rule(RuleName.deletionPercent, of: domain) { rules.deletionPercent = Int(value) }
            if let value = try index.rule(RuleName.lookAgain, of: domain) { rules.lookAgain = .seconds(value) }
            return rules
        }
    }

    func setRules(_ change: DomainRuleChange, of domain: DomainName) async throws(DocumentError) {
        try await storage.write { index in
            if let value = change.deletionMinimum {
                try index.setRule(RuleName.deletionMinimum, Int64(value), of: domain)
            }
            if let value = change.deletionPercent {
                try index.setRule(RuleName.deletionPercent, Int64(value), of: domain)
            }
            if let value = change.lookAgain {
                try index.setRule(RuleName.lookAgain, value.components.seconds, of: domain)
            }
        }
    }

    private enum RuleName {
        static let deletionMinimum = "deletion-minimum"
        static let deletionPercent = "deletion-percent"
        static let lookAgain = "look-again-seconds"
    }

    private func guardRule(of domain: DomainName) throws(DocumentError) -> DeletionGuard {
        let rules = try rules(of: domain)
        return DeletionGuard(minimum: rules.deletionMinimum, percent: rules.deletionPercent)
    }

    private func isAsked(_ side: RemovalSide, in domain: DomainName) throws(DocumentError) -> Bool {
        try storage.read { try $0.removalWatch(of: side, in: domain).asked != nil }
    }

    /// Once for each question.
    private func say(_ side: RemovalSide, in domain: DomainName) {
        logger.warning(
            "more is to be deleted than goes without a yes: docent status tells what",
            metadata: ["domain": "\(domain)", "side": "\(side)"])
    }

    private static func judge(
        _ load: DocumentStore.RemovalLoad, _ record: inout RemovalWatchRecord, _ rule: DeletionGuard, _ now: Int64
    ) -> DocumentStore.RemovalVerdict {
        var watch = DeletionWatch(
            rule: rule,
            recent: record.recent.map {
                .init(time: $0.time, .init(count: $0.count, excused: $0.excused, trace: $0.trace))
            }, askedSince: record.asked)
        let gathered = load.removals.map {
            DeletionWatch.Gathered(count: $0.count, excused: $0.excused, trace: $0.trace)
        }
        let verdict = watch.judge(gathered, of: load.items, at: now)
        record = RemovalWatchRecord(
            asked: watch.askedSince,
            recent: watch.recent.map {
                .init(time: $0.time, count: $0.what.count, excused: $0.what.excused, trace: $0.what.trace)
            })
        return verdict == .carryOut ? .carryOut : .wait
    }
}
