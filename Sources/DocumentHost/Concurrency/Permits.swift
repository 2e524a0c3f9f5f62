package import DocumentModel
import Synchronization

/// A bounded number of tasks at a time, first come, first served.
package final class Permits: Sendable {
    private struct State {
        var count: Int
        /// Less than none when there were more of them before.
        var free: Int
        var line = WaitingLine()
        var nextTicket: UInt64 = 0
        /// How often one was given back.
        var returns: UInt64 = 0
    }

    private let state: Mutex<State>
    private let clock: any Clock<Duration>

    package init(_ count: Int, clock: any Clock<Duration> = ContinuousClock()) {
        state = Mutex(State(count: count, free: count))
        self.clock = clock
    }

    /// How many there are. Fewer: those that are out stay out until they are given back.
    package var count: Int {
        get { state.withLock { $0.count } }
        set {
            let next = state.withLock { state in
                state.free += newValue - state.count
                state.count = newValue
                var next: [WaitingLine.Turn] = []
                while state.free > 0, let one = state.line.popFirst() {
                    state.free -= 1
                    next.append(one)
                }
                return next
            }
            for one in next { one.resume(returning: true) }
        }
    }

    /// - Throws: `cancelled` when the task is cancelled while it waits for the others; then `body` was not called.
    package func withPermit<Value: Sendable>(
        _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        try await take()
        defer { giveBack() }
        return try await body()
    }

    /// Waits for a permit. Whoever takes one gives it back.
    ///
    /// - Throws: `cancelled` when the task is cancelled meanwhile; then none was taken.
    package func take() async throws(DocumentError) {
        let ticket = state.withLock { state -> UInt64? in
            guard state.free <= 0 else {
                state.free -= 1
                return nil
            }
            state.nextTicket += 1
            return state.nextTicket
        }
        guard let ticket else { return }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Bool? in
                    guard state.free <= 0 else {
                        state.free -= 1
                        return true
                    }
                    // Cancelled before it stood in the line, where it would not have been found.
                    if Task.isCancelled { return false }
                    state.line.append(continuation, ticket: ticket)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { $0.line.remove(ticket) }?.resume(returning: false)
        }
        guard isMine else { throw DocumentError(wrapping: CancellationError()) }
    }

    /// As ``take()``, as long as others come to an end.
    ///
    /// - Parameter patience: how long nobody may give one back.
    /// - Returns: false when that was too long; then none was taken.
    /// - Throws: `cancelled` when the task is cancelled meanwhile; then none was taken.
    package func take(patience: Duration) async throws(DocumentError) -> Bool {
        if takeAtOnce() { return true }
        let isTaken = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await self.take()) != nil }
            group.addTask {
                await self.standsStill(for: patience)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            // It may have come just then.
            let second = await group.next() ?? false
            return first || second
        }
        guard !isTaken, Task.isCancelled else { return isTaken }
        throw DocumentError(wrapping: CancellationError())
    }

    /// Waits until nobody has given one back for so long, or the task is cancelled.
    private func standsStill(for patience: Duration) async {
        while true {
            let before = state.withLock { $0.returns }
            guard (try? await clock.sleep(for: patience)) != nil else { return }
            if state.withLock({ $0.returns }) == before { return }
        }
    }

    /// - Returns: false when somebody would have to be waited for.
    package func takeAtOnce() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }

    package func giveBack() {
        let next = state.withLock { state -> WaitingLine.Turn? in
            state.returns += 1
            guard state.free >= 0, let next = state.line.popFirst() else {
                state.free += 1
                return nil
            }
            return next
        }
        next?.resume(returning: true)
    }
}

/// So many permits for each domain: a provider that never comes to an end takes none from the others.
package final class DomainPermits: Sendable {
    private let width: Int
    private let permits = Mutex<[DomainName: Permits]>([:])

    package init(each width: Int) {
        self.width = width
    }

    package func of(_ domain: DomainName) -> Permits {
        permits.withLock { permits in
            if let known = permits[domain] { return known }
            let made = Permits(width)
            permits[domain] = made
            return made
        }
    }
}
