package import DocumentModel
package import FileCoordination
import Synchronization

/// The one broker of claims (COORD-39): the shell around ``CoordinationStateMachine`` that lets tasks wait.
package final class CoordinationBroker: Sendable {
    private struct Waiter {
        let claim: Claim
        let continuation: CheckedContinuation<Result<Void, DocumentError>, Never>

        var cancelled: Result<Void, DocumentError> {
            .failure(DocumentError(.cancelled, "Waiting for \(claim.item.location) was cancelled."))
        }
    }

    private struct State {
        var machine = CoordinationStateMachine()
        var nextID: UInt64 = 1
        var waiters: [ClaimID: Waiter] = [:]
        /// Claims that were cancelled before they began to wait.
        var cancelled: Set<ClaimID> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for a claim. Cancelling the task gives the claim up (COORD-37).
    package func claim(
        _ item: CoordinatedItem, for intent: ClaimIntent, by owner: ClaimOwner, purpose: String? = nil,
        nestedIn: Set<ClaimID> = []
    ) async throws(DocumentError) -> ClaimID {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return ClaimID(state.nextID)
        }
        let claim = Claim(
            id: id, owner: owner, item: item, intent: intent, purpose: purpose, nestedIn: nestedIn)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                perform { state in
                    let waiter = Waiter(claim: claim, continuation: continuation)
                    guard state.cancelled.remove(id) == nil else {
                        return ([], [(waiter, waiter.cancelled)])
                    }
                    state.waiters[id] = waiter
                    return (state.machine.request(claim), [])
                }
            }
        } onCancel: {
            perform { state in
                guard let waiter = state.waiters.removeValue(forKey: id) else {
                    if !state.machine.isHeld(id) { state.cancelled.insert(id) }
                    return ([], [])
                }
                return (state.machine.end(id), [(waiter, waiter.cancelled)])
            }
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        try result.get()
        return id
    }

    /// A claim now, or nil when it would have to wait.
    package func claimWithoutWaiting(
        _ item: CoordinatedItem, for intent: ClaimIntent, by owner: ClaimOwner
    ) -> ClaimID? {
        state.withLock { state in
            let claim = Claim(id: ClaimID(state.nextID), owner: owner, item: item, intent: intent)
            state.nextID += 1
            if state.machine.request(claim) == [.grant(claim.id)] { return claim.id }
            // It waits behind others; nobody can have come after it yet, so that taking it back grants nothing.
            _ = state.machine.end(claim.id)
            return nil
        }
    }

    /// Ends a claim; unknown ones are ignored.
    package func end(_ id: ClaimID) {
        perform { ($0.machine.end(id), []) }
    }

    /// Ends all that a connection holds or waits for.
    package func ownerEnded(_ owner: ClaimOwner) {
        perform { state in
            let waiters = state.waiters.values.filter { $0.claim.owner == owner }
            for waiter in waiters { state.waiters[waiter.claim.id] = nil }
            return (state.machine.ownerEnded(owner), waiters.map { ($0, $0.cancelled) })
        }
    }

    package func isClaimed(_ key: CoordinatedItem.Key, contentsToo: Bool = false) -> Bool {
        state.withLock { $0.machine.isClaimed(key, contentsToo: contentsToo) }
    }

    package var heldCount: Int { state.withLock { $0.machine.heldCount } }

    package var explanations: [String] { state.withLock { $0.machine.explanations } }

    private typealias Resumption = (waiter: Waiter, result: Result<Void, DocumentError>)

    /// Feeds the machine, and resumes those that it decided on, outside the lock.
    private func perform(
        _ input: (inout State) -> (actions: [CoordinationStateMachine.Action], resumptions: [Resumption])
    ) {
        let resumptions = state.withLock { state in
            let (actions, decided) = input(&state)
            var resumptions = decided
            for action in actions {
                switch action {
                case .grant(let id):
                    if let waiter = state.waiters.removeValue(forKey: id) { resumptions.append((waiter, .success(()))) }
                case .refuse(let id, let error):
                    if let waiter = state.waiters.removeValue(forKey: id) {
                        resumptions.append((waiter, .failure(error)))
                    }
                }
            }
            return resumptions
        }
        for (waiter, result) in resumptions { waiter.continuation.resume(returning: result) }
    }
}
