import DocumentSimulator

/// One life of a provider program, from its start to its death: where its tasks run, and what they wait for.
///
/// Everything of a run happens on one thread.
final class ProgramLife: @unchecked Sendable {
    let executor = VirtualExecutor()
    private let clock: SimulatedClock
    private let draw: (Int) -> Int
    /// Killed: nothing of it goes on.
    private(set) var isDead = false
    /// The run is over: whatever is waited for fails, so that tasks come to their ends.
    private var isOver = false
    private var waiting: [Int: (any Error) -> Void] = [:]
    private var last = 0

    init(clock: SimulatedClock, draw: @escaping (Int) -> Int) {
        self.clock = clock
        self.draw = draw
    }

    func begin(_ body: @escaping @Sendable () async -> Void) {
        guard !isDead else { return }
        _ = Task(executorPreference: executor) { await body() }
        run()
    }

    /// Waits for something that happens outside of the program.
    ///
    /// - Parameter start: begins it, and has what it comes to said once, later.
    func wait<Value: Sendable>(_ start: (@escaping (Result<Value, any Error>) -> Void) -> Void) async throws -> Value {
        last += 1
        let number = last
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                guard !isOver, !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                waiting[number] = { continuation.resume(throwing: $0) }
                start { [weak self] result in
                    guard let self, !isDead, waiting.removeValue(forKey: number) != nil else { return }
                    continuation.resume(with: result)
                    run()
                }
            }
        } onCancel: {
            waiting.removeValue(forKey: number)?(CancellationError())
        }
    }

    func pause(_ duration: Duration) async throws {
        let milliseconds = Int(duration / .milliseconds(1)) + 1
        try await wait { (end: @escaping (Result<Void, any Error>) -> Void) in
            clock.after(milliseconds) { end(.success(())) }
        }
    }

    func kill() { isDead = true }

    /// Nothing that it asks for comes any more.
    func end() {
        isOver = true
        var rounds = 0
        while !waiting.isEmpty, rounds < 1000 {
            rounds += 1
            let failures = waiting.sorted { $0.key < $1.key }.map(\.value)
            waiting = [:]
            for fail in failures { fail(CancellationError()) }
            executor.run { _ in 0 }
        }
    }

    private func run() {
        if !isDead { executor.run(draw) }
    }
}
