package import DocumentModel
package import FileCoordination

/// What a connection is told beside answers.
package enum CoordinationEvent: Sendable {
    case message(PresenterMessage, MessageID, to: PresenterID)
    /// A presenter did not answer in time and gets no more messages; why, in a sentence.
    case dropped(PresenterID, String)
    /// One of the connection's claims was part of a deadlock; another one's was refused.
    case deadlock(String)
    /// A presenter of a document that was not created yet is asked where it is (COORD-29).
    case rereadItem(PresenterID)
}

/// The broker's time, given from outside.
package struct BrokerClock: Sendable {
    /// The time on a scale that does not go back.
    package let now: @Sendable () -> Duration
    /// Calls the closure at that time, or a little later.
    package let wake: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    package init(
        now: @escaping @Sendable () -> Duration,
        wake: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.wake = wake
    }

    /// Time stands still: no presenter is ever late.
    package static let unlimited = BrokerClock(now: { .zero }, wake: { _, _ in })
}

extension CoordinationBroker {
    /// What the machine says to the task that asked for a claim.
    enum Step {
        case granted([Location])
        case refused(DocumentError)
        case provide([CoordinatedItem])
        case snapshot([CoordinatedItem])
    }

    /// A task that asked for a claim: it takes the steps one by one.
    struct Waiter {
        let claim: Claim
        var steps: [Step] = []
        var continuation: CheckedContinuation<Step, Never>?
        /// Granted or refused already.
        var isDecided = false

        init(claim: Claim) {
            self.claim = claim
        }

        static func cancelled(_ claim: Claim) -> DocumentError {
            let what = claim.intentions.map(\.item.location.description).joined(separator: " and ")
            return DocumentError(.cancelled, "Waiting for \(what) was cancelled.")
        }
    }

    typealias Effect = @Sendable () -> Void

    struct State {
        var machine = CoordinationStateMachine()
        var waiters: [ClaimID: Waiter] = [:]
        /// Claims that were cancelled before they were asked for.
        var cancelled: Set<ClaimID> = []
        var listeners: [ClaimOwner: @Sendable (CoordinationEvent) -> Void] = [:]
        var owners: [PresenterID: ClaimOwner] = [:]
        /// The time at which somebody wakes us.
        var watched: Duration?
        private var lastNumber: UInt64 = 0
        /// Claims to look at: they have a step or wait for one.
        private var changed: Set<ClaimID> = []

        mutating func takeNumber() -> ClaimID {
            lastNumber += 1
            return ClaimID(lastNumber)
        }

        /// What an action has the broker do outside of the lock.
        mutating func take(_ action: CoordinationAction) -> Effect? {
            switch action {
            case .grant(let id, let locations): add(.granted(locations), to: id)
            case .refuse(let id, let error): add(.refused(error), to: id)
            case .provide(let id, let items): add(.provide(items), to: id)
            case .makeSnapshots(let id, let items): add(.snapshot(items), to: id)
            case .deliver(let message, let id, let presenter):
                return tell(presenter, .message(message, id, to: presenter))
            case .drop(let record):
                let effect = tell(record.presenter, .dropped(record.presenter, record.description))
                owners[record.presenter] = nil
                return effect
            case .report(let deadlock, let owner):
                guard let listener = listeners[owner] else { return nil }
                return { listener(.deadlock(deadlock.description)) }
            case .rereadItem(let presenter): return tell(presenter, .rereadItem(presenter))
            }
            return nil
        }

        private func tell(_ presenter: PresenterID, _ event: CoordinationEvent) -> Effect? {
            guard let owner = owners[presenter], let listener = listeners[owner] else { return nil }
            return { listener(event) }
        }

        private mutating func add(_ step: Step, to id: ClaimID) {
            guard waiters[id]?.isDecided == false else { return }
            waiters[id]?.steps.append(step)
            switch step {
            case .granted, .refused: waiters[id]?.isDecided = true
            case .provide, .snapshot: break
            }
            changed.insert(id)
        }

        /// Nothing that was said before counts any more.
        mutating func giveUp(_ id: ClaimID) {
            guard let waiter = waiters[id], !waiter.isDecided else { return }
            waiters[id]?.steps = []
            add(.refused(Waiter.cancelled(waiter.claim)), to: id)
        }

        mutating func wait(_ id: ClaimID, _ continuation: CheckedContinuation<Step, Never>) {
            waiters[id]?.continuation = continuation
            changed.insert(id)
        }

        /// Resumptions of the tasks that wait for a step and have one by now.
        mutating func readySteps() -> [Effect] {
            defer { changed = [] }
            return changed.sorted().compactMap { id in
                guard let waiter = waiters[id], let continuation = waiter.continuation, let step = waiter.steps.first
                else { return nil }
                waiters[id]?.continuation = nil
                waiters[id]?.steps.removeFirst()
                return { continuation.resume(returning: step) }
            }
        }

        /// The time at which somebody has to wake us and does not yet.
        mutating func deadlineToWatch() -> Duration? {
            guard let next = machine.nextDeadline, watched.map({ next < $0 }) ?? true else { return nil }
            watched = next
            return next
        }
    }
}
