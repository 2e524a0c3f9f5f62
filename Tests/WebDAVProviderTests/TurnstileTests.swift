import Synchronization
import Testing

@testable import WebDAVProvider

@Suite("How many at a time")
struct TurnstileTests {
    private final class Inside: Sendable {
        private let state = Mutex((now: 0, most: 0, all: 0))
        var most: Int { state.withLock { $0.most } }
        var all: Int { state.withLock { $0.all } }

        func come() {
            state.withLock { state in
                state.now += 1
                state.all += 1
                state.most = max(state.most, state.now)
            }
        }

        func go() { state.withLock { $0.now -= 1 } }
    }

    @Test("no more than so many are inside, and all get in")
    func limit() async throws {
        let turnstile = Turnstile(3)
        let inside = Inside()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await turnstile.pass {
                        inside.come()
                        await Task.yield()
                        inside.go()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.most <= 3)
        #expect(inside.all == 50)
    }

    @Test("whoever is cancelled while waiting leaves, and takes nobody's place")
    func cancelling() async throws {
        let turnstile = Turnstile(1)
        let (held, hold) = AsyncStream.makeStream(of: Void.self)
        let (isIn, comesIn) = AsyncStream.makeStream(of: Void.self)
        let holder = Task {
            try await turnstile.pass {
                comesIn.yield()
                for await _ in held { break }
            }
        }
        for await _ in isIn { break }
        for _ in 0..<20 {
            let waiter = Task { try await turnstile.pass {} }
            waiter.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
        }
        hold.yield()
        try await holder.value
        try await turnstile.pass {}
    }
}
