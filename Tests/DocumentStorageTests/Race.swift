import Synchronization

/// Two at once, neither first.
enum Race {
    private final class StartLine: Sendable {
        private let ready = Atomic<Int>(0)

        func start(_ body: @Sendable () throws -> Void) throws {
            ready.add(1, ordering: .acquiringAndReleasing)
            // Not for ever: two races could have a thread each, and each would wait for its other half.
            let limit = ContinuousClock.now + .milliseconds(5)
            while ready.load(ordering: .acquiring) < 2, ContinuousClock.now < limit {}
            try body()
        }
    }

    static func run(
        _ one: @escaping @Sendable () throws -> Void, _ other: @escaping @Sendable () throws -> Void
    ) async throws {
        let line = StartLine()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { @Sendable in try line.start(one) }
            group.addTask { @Sendable in try line.start(other) }
            try await group.waitForAll()
        }
    }
}
