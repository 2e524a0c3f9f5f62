import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

/// One changed document to its provider: snapshot, then what the planner says, until it has nothing more to say. What the
/// provider answers is evidence of what the remote is like; what follows from it is planned anew.
struct Delivery: Sendable {
    typealias ProgressObserver = @Sendable (TransferProgress?) -> Void

    enum Outcome: Sendable {
        /// What was to be done is done; whether there is more, the index says.
        case done
        /// The provider has all that was here when its answer was recorded.
        case sent
        /// Somebody uses it, and was not waited for.
        case inUse
        /// It was paused, or excluded from sync, before it had ended.
        case paused
    }

    /// What becomes of an edit when the remote was changed, too.
    enum Settling: Sendable {
        /// The document is in conflict, and both contents are kept (VER-2).
        case keepingBoth
        /// Nothing is sent, and everything stays as it is (VER-14).
        case refusing
        /// The edit is sent over what the remote has, which is kept as older contents here (VER-14).
        case overwriting
    }

    let storage: StorageThreads
    let domains: DomainRegistry
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let digests: DigestTaker
    let owner: ClaimOwner
    let logger: Logger
    /// Counts from some moment, and never backwards.
    let clock: @Sendable () -> Duration
    /// How many documents of a domain are under way at once: copied, sent, and recorded.
    let places: DomainPermits
    /// How many of them the provider is asked to take at once.
    let turns: DomainPermits
    let folders: FolderReviver
    let made: MadeItems

    /// How long all of a domain's places may be taken by the same documents before those that wait are told.
    static let patience = Duration.seconds(300)
    /// What is larger is not copied before its turn has come: copies that wait take room on the disk.
    static let largestAhead: Int64 = 1 << 20

    /// Sends an item if it is changed.
    ///
    /// - Parameters:
    ///   - waiting: for those who use the document, too.
    ///   - prepare: finds out what has to be known before a folder is made where it is by then.
    func deliver(
        _ key: ItemKey, waiting: Bool, settling: Settling = .keepingBoth, preparing prepare: Sender.Preparation? = nil,
        _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> Outcome {
        let domain = try domains.domain(key.domain)
        let known = try storage.read { index in
            try index.item(key.id, in: key.domain).map { item in
                (item, try index.operation(on: item) == nil ? nil : try index.coordinated(item))
            }
        }
        guard let (item, unsent) = known else { return .done }
        // It was made here, and its provider knows it by another name by now.
        guard item.id == key.id else {
            return try await deliver(item.key, waiting: waiting, settling: settling, preparing: prepare, report)
        }
        guard item.state != .conflict else {
            throw .inConflict(at: try location(of: item))
        }
        guard let unsent else { return .done }
        let session = domain.provider
        if try await makeArriving(foldersOf: item, preparing: prepare, with: session) == .itself { return .done }
        let isInNew = item.item.parentID?.isArriving == true
        let coordinated = isInNew ? try storage.read { try $0.coordinated(item) } : unsent
        // A large one has its turn from the beginning.
        let isLarge = item.local.map { $0.size > Self.largestAhead } ?? false
        let turns = turns.of(key.domain)
        let ahead = self.places.of(key.domain)
        let places = isLarge ? turns : ahead
        // The next ones would wait for long.
        if isLarge { ahead.count = SyncPacing.Limits().documents }
        let turn = ProviderTurn(session, isLarge ? nil : turns, clock: clock) { took in
            ahead.count = SyncPacing.Limits().documents(after: took)
        }
        try await keepBase(of: item, at: coordinated.location, with: turn)
        // Nobody writes while the snapshot is made; they may as soon as it is.
        guard let claim = try await claimAndPlace(coordinated, in: places, waiting: waiting) else { return .inUse }
        var isClaimed = true
        defer {
            if isClaimed { broker.end(claim) }
            places.giveBack()
        }
        return try await locks.withLock(key) { () async throws(DocumentError) in
            guard let begun = try await begin(key) else { return .done }
            broker.end(claim)
            isClaimed = false
            return try await carryOut(begun, to: turn, settling: settling, report)
        }
    }

    /// A claim, and a place of the domain's. Whoever waits for a place keeps nobody from the document, and whoever waits
    /// for the document keeps no place.
    ///
    /// - Returns: nil when somebody uses the document, and is not waited for.
    /// - Throws: `busy` when none of those that are under way comes to an end.
    private func claimAndPlace(
        _ item: CoordinatedItem, in places: Permits, waiting: Bool
    ) async throws(DocumentError) -> ClaimID? {
        while true {
            let claim: ClaimID
            if waiting {
                claim = try await broker.claim(item, for: .reading(.withoutChanges), by: owner)
            } else {
                guard let free = broker.claimWithoutWaiting(item, for: .reading(.withoutChanges), by: owner) else {
                    return nil
                }
                claim = free
            }
            if places.takeAtOnce() { return claim }
            broker.end(claim)
            guard try await places.take(patience: Self.patience) else {
                throw ProviderTurn.none(of: places, for: item.location)
            }
            if let claim = broker.claimWithoutWaiting(item, for: .reading(.withoutChanges), by: owner) { return claim }
            places.giveBack()
        }
    }

    struct Begun: Sendable {
        let sending: Sending
        /// What was known of it just before; nil when that has changed.
        let trees: SyncTrees?
    }

    /// What the provider was asked for before, and has not answered for, is asked for again under its old name, so that it is not
    /// done twice: also what the host's death interrupted.
    ///
    /// - Returns: nil when it was sent, or is in conflict, since it was looked at.
    func begin(_ key: ItemKey) async throws(DocumentError) -> Begun? {
        try await storage.run { store in
            let (interrupted, trees, seen) = try store.root.index.read { index in
                let trees = try index.unsentTrees(of: key.id, in: key.domain)
                return (
                    try index.journal(of: key.id, in: key.domain).last { $0.action == .send }, trees,
                    try trees.map { _ in try index.located(key.id, in: key.domain) }
                )
            }
            guard let trees else { return nil }
            guard let interrupted else {
                let sending: Sending
                do {
                    sending = try store.beginSending(key.id, in: key.domain, seen: seen)
                } catch let error as DocumentError where error.isOutOfSpace {
                    // Nothing was begun that it could be noted with, and people are to see what it waits for.
                    _ = try? store.root.index.write(durably: false) { index in
                        guard try index.item(key.id, in: key.domain)?.state == .changed else { return }
                        try index.setProblem(error, of: key.id, in: key.domain)
                    }
                    throw error
                }
                let isStill = (trees.synced[key.id]?.version ?? []) == sending.base.content && !sending.isRepeated
                return Begun(sending: sending, trees: isStill ? trees : nil)
            }
            return Begun(sending: try store.resumeSending(interrupted), trees: nil)
        }
    }

    /// Asks the planner and does what it says, until the provider has the contents, or both sides are kept.
    func carryOut(
        _ begun: Begun, to turn: ProviderTurn, settling: Settling = .keepingBoth, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> Outcome {
        let sending = begun.sending
        let id = sending.item.id
        var evidence = RemoteEvidence(resuming: sending.isRepeated ? sending.base.content : nil)
        let isUnanswered = Flag()
        if sending.isRepeated { isUnanswered.set() }
        var known = begun.trees
        while true {
            var conflict: DocumentError?
            do throws(DocumentError) {
                let now: SyncTrees
                if let known {
                    now = known
                } else {
                    guard try !storage.read({ try $0.isCalledOff(sending) }) else {
                        throw DocumentError(.cancelled, "\(sending.location) was removed while it was sent.")
                    }
                    now = try storage.read { index in
                        try index.trees(around: try index.item(id, in: sending.item.domain) ?? sending.item)
                    }
                }
                known = nil
                let trees = evidence.applied(to: now, of: id)
                switch trees.operation(on: id) {
                case .send(_, let base, _): return try await send(sending, base: base, to: turn, isUnanswered, report)
                case .compare:
                    conflict = try await settle(
                        sending, with: turn, because: evidence.refusal, settling, isUnanswered, report)
                case .create:
                    // Not every provider refuses to make something in a folder that is gone; it may just be made anew.
                    let isGone = try storage.read { index in
                        let folders = try index.folders(around: sending.item)
                        return folders.isEmpty || folders.contains { $0.isGone }
                    }
                    try await make(
                        sending, modified: sending.snapshot.source?.modified, inFolder: isGone ? .gone : .known,
                        settling: settling, with: turn, isUnanswered)
                case .revive where settling == .refusing: throw Self.conflicting(sending, because: evidence.refusal)
                case .revive: try await makeAnew(sending, in: trees, with: turn, isUnanswered)
                default: throw evidence.refusal ?? DocumentError(.busy, "\(sending.location) cannot be sent just now.")
                }
            } catch {
                if evidence.takes(error) { continue }
                // That it was paused, or that the host ends, is nothing that is wrong with it.
                let problem = error.code == .cancelled ? nil : error
                try await storage.run { store in
                    try store.abandon(sending, because: problem, error.code.outcome(isUnanswered: isUnanswered.isSet))
                }
                let isSaid = error.code == .cancelled || error.message.contains("\(sending.location)")
                throw isSaid ? error : error.wrapped("\(sending.location) cannot be sent: \(error.message)")
            }
            if let conflict { throw conflict }
            return .done
        }
    }

    func send(
        _ sending: Sending, base: [UInt8], after overwritten: Timestamp? = nil, to turn: ProviderTurn,
        _ isUnanswered: Flag, _ report: @escaping ProgressObserver
    ) async throws(DocumentError) -> Outcome {
        // PROV-9: after the write; one call may stand for several.
        try await turn.session.itemChanged(sending.item.id)
        let call = ProviderCall.ModifyCall(
            id: sending.item.id, baseVersion: try ItemVersion(content: base),
            contentsPath: sending.snapshot.path.string, modified: sending.stamp?.following(overwritten),
            operation: sending.operation)
        let item = try await turn.taken(for: sending.location) { session throws(DocumentError) in
            report(TransferProgress(done: 0, expected: sending.snapshot.source.map { UInt64(max($0.size, 0)) }))
            return try await onceMoreAfterDeath(noting: isUnanswered) { () async throws(DocumentError) in
                try await session.modify(call, onProgress: report)
            }
        }
        guard item.id == sending.item.id else {
            throw turn.session.broken("took \(sending.location) and answered with another item")
        }
        let now = try await storage.run { try $0.finish(sending, as: item) }
        digests.take(now)
        return now.state == .materialised ? .sent : .done
    }

    /// The item is gone on the remote, on positive evidence: the edit survives as a new item (VER-15), in its folder, which is
    /// made anew, too, where that is gone.
    private func makeAnew(
        _ sending: Sending, in trees: SyncTrees, with turn: ProviderTurn, _ isUnanswered: Flag
    ) async throws(DocumentError) {
        do throws(DocumentError) {
            // As the engine records it: nothing was agreed on any more, and what is here was made here.
            var trees = trees
            for change in SyncRecorder.changes(of: .revive(sending.item.id), nil, in: trees, fresh: sending.item.id) {
                trees.apply(change)
            }
            trees.remote[sending.item.id] = nil
            var isFolderThere = false
            if case .create? = trees.operation(on: sending.item.id) { isFolderThere = true }
            try await make(
                sending, modified: sending.stamp, inFolder: isFolderThere ? .known : .gone, isAnew: true, with: turn,
                isUnanswered)
            logger.notice(
                "an edit survived a deletion",
                metadata: ["domain": "\(sending.item.domain)", "item.id": "\(sending.item.id)"])
        } catch {
            throw error.wrapped(
                "\(sending.location) is gone on the remote, and your edit of it could not be sent as a new document; it is kept in its place here."
            )
        }
    }

    func location(of item: IndexedItem) throws(DocumentError) -> Location {
        try storage.read { try $0.location(of: item.id, in: item.domain) } ?? Location(domain: item.domain)
    }
}

extension DocumentError.Code {
    /// What becomes of a sending that has failed so.
    ///
    /// - Parameter isUnanswered: the provider was asked for it before, by the same name, and has not answered.
    fileprivate func outcome(isUnanswered: Bool) -> SendingOutcome {
        switch self {
        // Who knew the name would have said what came of it.
        case _ where errorClass == .definitive: .refused
        case .contractBroken, .protocolViolation: .senseless
        // The answer was lost, or could not be written down, or comes from somebody who does not know.
        case _ where isUnanswered, .serverUnreachable, .cancelled: .open
        // Who is busy or does not run has done nothing.
        case .busy, .providerUnavailable: .undone
        default: errorClass == .transient ? .open : .undone
        }
    }
}

extension Sending {
    /// When its contents count as written: not before those that they began from, however wrong the clock is (VER-12).
    fileprivate var stamp: Timestamp? {
        let isBase = item.item.version.content == base.content && !base.content.isEmpty
        return snapshot.source?.modified.following(isBase ? item.item.modified : nil)
    }
}
