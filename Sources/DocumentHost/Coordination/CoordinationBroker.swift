package import DocumentModel
package import FileCoordination
import Synchronization

/// The one broker of claims and presenters (COORD-39): the shell around ``CoordinationStateMachine`` that lets tasks
/// wait, passes messages on, and watches the time.
package final class CoordinationBroker: Sendable {
    /// What a claim was granted for.
    package struct Grant: Sendable {
        package let id: ClaimID
        /// Where the items are now, in the order in which they were asked for (COORD-7).
        package let locations: [Location]
    }

    /// Brings contents or makes snapshots while the claim keeps others out.
    package typealias Preparation = @Sendable ([CoordinatedItem]) async throws(DocumentError) -> Void

    /// How long presenters may take to let go of what nobody uses.
    private static let patienceWithPresenters = Duration.seconds(2)

    private let state = Mutex(State())
    private let clock: BrokerClock

    package init(clock: BrokerClock = .unlimited) {
        self.clock = clock
    }

    // MARK: - Claims

    /// Waits for a claim. Cancelling the task gives the claim up (COORD-37).
    ///
    /// - Parameter patience: how long others are waited for; nil: as long as it takes.
    /// - Throws: `busy` when that is over.
    package func claim(
        _ item: CoordinatedItem, for intent: ClaimIntent, by owner: ClaimOwner, style: Claim.Style = .access,
        purpose: Purpose? = nil, nestedIn: Set<ClaimID> = [], within patience: Duration? = nil
    ) async throws(DocumentError) -> ClaimID {
        try await claim { id in
            Claim(
                id: id, owner: owner, item: item, intent: intent, style: style, purpose: purpose, nestedIn: nestedIn,
                patience: patience)
        }.id
    }

    /// Waits for a claim of any kind.
    ///
    /// - Parameters:
    ///   - make: makes the claim for the number that it gets.
    ///   - provide: has the contents of the items provided (COORD-9); asked only when the claim says that it wants them.
    ///   - snapshot: makes snapshots of the items (COORD-14).
    package func claim(
        provide: Preparation? = nil, snapshot: Preparation? = nil, _ make: (ClaimID) -> Claim
    ) async throws(DocumentError) -> Grant {
        let id = state.withLock { $0.takeNumber() }
        let claim = make(id)
        let result = await withTaskCancellationHandler {
            perform { state in
                state.waiters[id] = Waiter(claim: claim)
                guard state.cancelled.remove(id) == nil else {
                    state.giveUp(id)
                    return []
                }
                return state.machine.request(claim, at: clock.now())
            }
            return await steps(of: id, provide, snapshot)
        } onCancel: {
            perform { state in
                guard let waiter = state.waiters[id] else {
                    state.cancelled.insert(id)
                    return []
                }
                guard !waiter.isDecided else { return [] }
                state.giveUp(id)
                return state.machine.end(id, at: clock.now())
            }
        }
        state.withLock { state in
            state.waiters[id] = nil
            _ = state.cancelled.remove(id)
        }
        return try result.get()
    }

    /// Does what the machine says until it grants the claim or refuses it.
    private func steps(
        of id: ClaimID, _ provide: Preparation?, _ snapshot: Preparation?
    ) async -> Result<Grant, DocumentError> {
        while true {
            let step = await withCheckedContinuation { continuation in
                perform { state in
                    state.wait(id, continuation)
                    return []
                }
            }
            switch step {
            case .granted(let locations): return .success(Grant(id: id, locations: locations))
            case .refused(let error): return .failure(error)
            case .provide(let items):
                let failure = await failure(of: provide, with: items)
                perform { $0.machine.provided(id, failure: failure, at: self.clock.now()) }
            case .snapshot(let items):
                let failure = await failure(of: snapshot, with: items)
                perform { $0.machine.snapshotsMade(id, failure: failure, at: self.clock.now()) }
            }
        }
    }

    private func failure(of preparation: Preparation?, with items: [CoordinatedItem]) async -> DocumentError? {
        do throws(DocumentError) {
            try await preparation?(items)
            return nil
        } catch {
            return error
        }
    }

    /// A claim now, or nil when somebody would have to be waited for or asked.
    package func claimWithoutWaiting(
        _ item: CoordinatedItem, for intent: ClaimIntent, by owner: ClaimOwner
    ) -> ClaimID? {
        claimWithoutWaiting { Claim(id: $0, owner: owner, item: item, intent: intent) }
    }

    /// The same for a claim of any kind, made for the number that it gets.
    package func claimWithoutWaiting(_ make: (ClaimID) -> Claim) -> ClaimID? {
        state.withLock { state in
            let claim = make(state.takeNumber())
            return state.machine.grantAtOnce(claim, at: clock.now()) ? claim.id : nil
        }
    }

    /// A claim as soon as presenters have let go of the item, or nil when somebody uses it, or they do not let go soon. An editor
    /// may present a document for as long as it is open: without asking, it could not be claimed until then.
    ///
    /// To be called without a lock that others need to let go.
    package func claimUnlessUsed(
        _ item: CoordinatedItem, for intent: ClaimIntent, by owner: ClaimOwner
    ) async throws(DocumentError) -> ClaimID? {
        if let claim = claimWithoutWaiting(item, for: intent, by: owner) { return claim }
        let isUsed = state.withLock { state in
            let claim = Claim(id: state.takeNumber(), owner: owner, item: item, intent: intent)
            return state.machine.wouldWait(claim)
        }
        if isUsed { return nil }
        do throws(DocumentError) {
            return try await claim(item, for: intent, by: owner, within: Self.patienceWithPresenters)
        } catch {
            if Task.isCancelled { throw error }
            return nil
        }
    }

    /// Ends a claim; unknown ones are ignored.
    ///
    /// - Parameter effects: what was done to the items; nil: what the intents say.
    package func end(_ id: ClaimID, effects: [ClaimEffect]? = nil) {
        perform { $0.machine.end(id, effects: effects, at: self.clock.now()) }
    }

    /// COORD-37: what waits for a coordinator is refused, what runs goes on, later claims are refused.
    package func cancel(_ coordinator: CoordinatorID) {
        perform { $0.machine.cancel(coordinator, at: self.clock.now()) }
    }

    package func isCancelled(_ coordinator: CoordinatorID) -> Bool {
        state.withLock { $0.machine.isCancelled(coordinator) }
    }

    /// A connection has ended: nobody waits for its presenters. What it holds ends when what it wrote is written down.
    package func presentersEnded(of owner: ClaimOwner) {
        perform { state in
            state.listeners[owner] = nil
            for (presenter, other) in state.owners where other == owner { state.owners[presenter] = nil }
            return state.machine.presentersEnded(of: owner, at: clock.now())
        }
    }

    /// Ends all that a connection holds, waits for and presents.
    package func ownerEnded(_ owner: ClaimOwner) {
        perform { state in
            for (id, waiter) in state.waiters where waiter.claim.owner == owner { state.giveUp(id) }
            state.listeners[owner] = nil
            return state.machine.ownerEnded(owner, at: clock.now())
        }
    }

    // MARK: - Presenters

    /// Says where a connection's presenters' messages and its deadlock reports go.
    package func listen(_ owner: ClaimOwner, _ listener: @escaping @Sendable (CoordinationEvent) -> Void) {
        state.withLock { $0.listeners[owner] = listener }
    }

    /// Registers a presenter, made for the number that it gets; nil: none after all.
    package func add(_ make: (PresenterID) -> Presenter?) {
        let id = PresenterID(state.withLock { $0.takeNumber().rawValue })
        guard let presenter = make(id) else { return }
        perform { state in
            state.owners[id] = presenter.owner
            return state.machine.add(presenter, at: self.clock.now())
        }
    }

    package func presenterCount(of owner: ClaimOwner) -> Int {
        state.withLock { $0.machine.presenterCount(of: owner) }
    }

    package func remove(_ presenter: PresenterID) {
        perform { state in
            state.owners[presenter] = nil
            return state.machine.remove(presenter, at: self.clock.now())
        }
    }

    /// A presenter gets no more messages, and its tool is told why.
    package func drop(_ presenter: PresenterID, because reason: String) {
        let listener = state.withLock { state in state.owners[presenter].flatMap { state.listeners[$0] } }
        remove(presenter)
        listener?(.dropped(presenter, reason))
    }

    /// Those of something that comes into a domain, or leaves one, and of what is inside of it.
    package func presenters(movingWith item: CoordinatedItem, notOf owner: ClaimOwner?) -> [MovingPresenter] {
        state.withLock { $0.machine.presenters(movingWith: item, notOf: owner) }
    }

    /// A presenter's item has come into a domain, or has left it (CONT-8, CONT-9).
    package func follow(_ presenter: MovingPresenter, to place: CoordinatedItem, in claim: ClaimID?) {
        perform { $0.machine.follow(presenter, to: place, in: claim, at: self.clock.now()) }
    }

    /// What a presenter presents, where it is now.
    package func presented(by presenter: PresenterID) -> CoordinatedItem? {
        state.withLock { $0.machine.presented(by: presenter) }
    }

    package func setItem(_ item: CoordinatedItem?, of presenter: PresenterID) {
        perform { $0.machine.setItem(item, of: presenter, at: self.clock.now()) }
    }

    /// A presenter has answered a message. Only its own: others' are ignored.
    package func answered(_ message: MessageID, by owner: ClaimOwner, failure: DocumentError?) {
        perform { state in
            guard state.machine.addressee(of: message).flatMap({ state.owners[$0] }) == owner else { return [] }
            return state.machine.answered(message, failure: failure, at: self.clock.now())
        }
    }

    // MARK: - What happens to items

    /// Inside a claim, an item has got another place (COORD-30).
    package func moved(
        _ item: CoordinatedItem, to destination: CoordinatedItem, in claim: ClaimID
    ) throws(DocumentError) {
        var failure: DocumentError?
        perform { state in
            do throws(DocumentError) {
                return try state.machine.moved(item, to: destination, in: claim, at: self.clock.now())
            } catch {
                failure = error
                return []
            }
        }
        if let failure { throw failure }
    }

    /// Something has changed that nobody coordinated (COORD-28, COORD-40).
    package func noticed(_ effect: ClaimEffect, on item: CoordinatedItem) {
        perform { $0.machine.noticed(effect, on: item, at: self.clock.now()) }
    }

    /// An item is where none was: who claims the place, claims the item from now on.
    package func occupied(by item: CoordinatedItem) {
        perform { $0.machine.occupied(by: item, at: self.clock.now()) }
    }

    /// Where an item stands has changed (COORD-41).
    package func attributesChanged(_ attributes: Set<String>, of item: CoordinatedItem) {
        perform { $0.machine.attributesChanged(attributes, of: item, at: self.clock.now()) }
    }

    /// An item lies here by now, as the remote says (COORD-28).
    package func placed(_ item: CoordinatedItem) {
        perform { $0.machine.placed(item, at: self.clock.now()) }
    }

    /// An item that was made here has its provider's identifier from now on.
    package func identified(_ item: CoordinatedItem, as id: ItemIdentifier) {
        perform { $0.machine.identified(item, as: id, at: self.clock.now()) }
    }

    /// Items have identifiers that others may have had before. Must not block.
    func appeared(_ keys: [CoordinatedItem.Key]) {
        state.withLock { state in
            for key in keys { state.machine.appeared(key) }
        }
    }

    /// Whether an item has this identifier from now on, also when it is still known by its first one elsewhere.
    package func isIdentified(_ item: CoordinatedItem, as key: CoordinatedItem.Key) -> Bool {
        state.withLock { $0.machine.current(item).subject == .item(key) }
    }

    package func version(
        _ version: String, _ event: PresenterMessage.VersionEvent, of item: CoordinatedItem, in claim: ClaimID? = nil
    ) {
        perform { $0.machine.version(version, event, of: item, in: claim, at: self.clock.now()) }
    }

    /// An identifier as it is used now.
    package func current(_ key: CoordinatedItem.Key) -> CoordinatedItem.Key {
        state.withLock { $0.machine.current(key) }
    }

    // MARK: - What is held

    /// The items that a claim is on, by the identifiers that they have now.
    package func items(of claim: ClaimID) -> [CoordinatedItem.Key] {
        state.withLock { $0.machine.items(of: claim) }
    }

    /// The claims on an item, and on what lies in it when it is a package; also those that wait.
    package func claims(on key: CoordinatedItem.Key) -> Set<ClaimID> {
        state.withLock { $0.machine.claims(on: key) }
    }

    package func isClaimed(_ item: CoordinatedItem, contentsToo: Bool = false) -> Bool {
        state.withLock { $0.machine.isClaimed(item, contentsToo: contentsToo) }
    }

    /// The same of an item that lies in no package.
    package func isClaimed(_ key: CoordinatedItem.Key, contentsToo: Bool = false) -> Bool {
        state.withLock { $0.machine.isClaimed(key, contentsToo: contentsToo) }
    }

    /// Whether nobody claims or presents anything.
    package var isIdle: Bool { state.withLock { $0.machine.isIdle } }

    package var heldCount: Int { state.withLock { $0.machine.heldCount } }

    /// What every wait waits for, the oldest first.
    package var explanations: [String] { state.withLock { $0.machine.explanations.map(\.description) } }

    /// Who holds what, the oldest first.
    package var holdings: [String] { state.withLock { $0.machine.holdings.map(\.description) } }

    /// Presenters that did not answer in time, the newest last.
    package var dropped: [String] { state.withLock { $0.machine.dropped.map(\.description) } }

    // MARK: - Carrying out

    /// Feeds the machine, and does what it says outside of the lock.
    private func perform(_ input: (inout State) -> [CoordinationAction]) {
        let (effects, deadline) = state.withLock { state -> ([Effect], Duration?) in
            let actions = input(&state)
            var effects = actions.compactMap { state.take($0) }
            effects += state.readySteps()
            return (effects, state.deadlineToWatch())
        }
        for effect in effects { effect() }
        if let deadline {
            clock.wake(deadline) { [weak self] in self?.timePassed(deadline) }
        }
    }

    private func timePassed(_ deadline: Duration) {
        perform { state in
            if state.watched == deadline { state.watched = nil }
            return state.machine.timePassed(to: self.clock.now())
        }
    }
}
