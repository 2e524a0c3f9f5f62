import Synchronization

/// A clock that stands still until a test moves it on.
package final class ManualClock: Clock, Sendable {
    package struct Instant: InstantProtocol {
        fileprivate var sinceStart: Duration

        package func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        package func duration(to other: Instant) -> Duration {
            other.sinceStart - sinceStart
        }

        package static func < (one: Instant, other: Instant) -> Bool {
            one.sinceStart < other.sinceStart
        }
    }

    private struct Sleeper {
        let deadline: Instant
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(sinceStart: .zero)
        var nextTicket = 0
        var sleepers: [Int: Sleeper] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }

    package var minimumResolution: Duration { .nanoseconds(1) }

    /// How many sleep now.
    package var sleepers: Int { state.withLock { $0.sleepers.count } }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let isAwake = state.withLock { state in
                    guard !Task.isCancelled, deadline > state.now else { return true }
                    state.sleepers[ticket] = Sleeper(deadline: deadline, wake: wake)
                    return false
                }
                guard isAwake else { return }
                wake.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(()))
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: ticket) }?.wake.resume(throwing: CancellationError())
        }
    }

    /// Moves on, and wakes those whose time has come.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for ticket in due.keys { state.sleepers.removeValue(forKey: ticket) }
            return due.values
        }
        for sleeper in woken { sleeper.wake.resume() }
    }

    /// Waits until so many sleep.
    package func untilSleeping(_ count: Int) async {
        while sleepers < count { await Task.yield() }
    }
}
