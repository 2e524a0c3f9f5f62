import DocumentModel
import Synchronization

/// Requests that wait for contents to be brought. A connection has places for so many requests at once: those of a provider
/// that hangs are not to take them from the names, the listings and the documents that are here, nor from other domains: none
/// takes more than it leaves to all others together, so that the last places are for domains that have none.
final class ContentsQueue: Sendable {
    private struct Waiter {
        let number: UInt64
        let domain: DomainName
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// How many run, by their domain.
        var running: [DomainName: Int] = [:]
        /// In the order in which they came.
        var waiters: [Waiter] = []
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let mostOfDomain: Int
    private let most: Int

    /// - Parameters:
    ///   - mostOfDomain: how many of one domain run at once: more than providers are asked for at once.
    ///   - most: how many of all run at once; fewer than a connection has places for.
    init(mostOfDomain: Int = 16, most: Int = 48) {
        self.mostOfDomain = mostOfDomain
        self.most = most
    }

    /// Runs the body when its domain has a place.
    ///
    /// - Parameter isHere: asked when there is none: whether nothing has to be brought for it, so that it needs none.
    /// - Throws: what the body throws; `CancellationError` when the task was cancelled before.
    func with<Value>(
        _ domain: DomainName, unless isHere: () async throws -> Bool = { false }, _ body: () async throws -> Value
    ) async throws -> Value {
        if !state.withLock({ enterAtOnce(domain, &$0) }) {
            if try await isHere() { return try await body() }
            guard await enter(domain) else { throw CancellationError() }
        }
        defer { leave(domain) }
        return try await body()
    }

    private func enterAtOnce(_ domain: DomainName, _ state: inout State) -> Bool {
        guard hasPlace(domain, state) else { return false }
        state.running[domain, default: 0] += 1
        return true
    }

    private func enter(_ domain: DomainName) async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isIn: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if enterAtOnce(domain, &state) { return true }
                    state.waiters.append(Waiter(number: number, domain: domain, continuation: continuation))
                    return nil
                }
                if let isIn { continuation.resume(returning: isIn) }
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }

    private func leave(_ domain: DomainName) {
        let next = state.withLock { state -> Waiter? in
            state.running[domain] = state.running[domain].flatMap { $0 > 1 ? $0 - 1 : nil }
            guard let index = nextWaiter(state) else { return nil }
            let waiter = state.waiters.remove(at: index)
            state.running[waiter.domain, default: 0] += 1
            return waiter
        }
        next?.continuation.resume(returning: true)
    }

    /// Of those that have a place, the first one of the domain that has the fewest inside: there is none for another one then.
    private func nextWaiter(_ state: State) -> Int? {
        state.waiters.indices.filter { hasPlace(state.waiters[$0].domain, state) }
            .min { inside(state.waiters[$0].domain, state) < inside(state.waiters[$1].domain, state) }
    }

    /// Whether one more may come in: when more are free than its domain has.
    private func hasPlace(_ domain: DomainName, _ state: State) -> Bool {
        let own = inside(domain, state)
        return own < mostOfDomain && own < most - state.running.values.reduce(0, +)
    }

    private func inside(_ domain: DomainName, _ state: State) -> Int { state.running[domain] ?? 0 }
}
