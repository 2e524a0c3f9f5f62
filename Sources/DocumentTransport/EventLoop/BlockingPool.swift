import Synchronization

/// A few dedicated threads for calls that block, in the order in which they were asked for.
///
/// The threads end when the last copy of the pool is gone, or at ``shutdown()``.
package struct BlockingPool: Sendable {
    private let owner: Owner

    /// - Parameter stepping: carries out the work instead of threads; nil: there are threads.
    package init(threads: Int, name: String, steppedBy stepping: SteppedWork? = nil) {
        owner = Owner(threads: max(threads, 1), name: name, steppedBy: stepping)
    }

    /// Runs the body on one of the pool's threads. It is run also when the task is cancelled.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withUnsafeThrowingContinuation { continuation in
            let accepted = owner.append { continuation.resume(with: Result(catching: body)) }
            if !accepted {
                continuation.resume(throwing: CancellationError())
            }
        }
    }

    /// Ends and joins the threads, after what was asked for. Later work is refused with `CancellationError`.
    package func shutdown() {
        owner.shutdown()
    }

    /// What the threads share; does not know them, so that they do not keep the pool alive.
    private final class Queue: Sendable {
        private struct State {
            var work: Deque<@Sendable () -> Void> = Deque()
            var isClosed = false
        }

        private let state = Mutex(State())
        private let pending = Semaphore()

        func append(_ body: @escaping @Sendable () -> Void) -> Bool {
            let accepted = state.withLock { state in
                guard !state.isClosed else { return false }
                state.work.append(body)
                return true
            }
            if accepted { pending.signal() }
            return accepted
        }

        func close(threads: Int) {
            state.withLock { $0.isClosed = true }
            for _ in 0..<threads { pending.signal() }
        }

        /// Runs what comes until the queue is closed and empty.
        func serve() {
            while true {
                pending.wait()
                guard let body = state.withLock({ $0.work.popFirst() }) else { return }
                body()
            }
        }
    }

    private final class Owner: Sendable {
        private let queue = Queue()
        private let stepping: SteppedWork?
        private let threads: Mutex<[LoopThread]>

        init(threads count: Int, name: String, steppedBy stepping: SteppedWork?) {
            let queue = queue
            self.stepping = stepping
            threads = Mutex(
                (0..<(stepping == nil ? count : 0)).compactMap { _ in LoopThread.start(name: name) { queue.serve() } })
        }

        func append(_ body: @escaping @Sendable () -> Void) -> Bool {
            guard let stepping else { return queue.append(body) }
            stepping.append(body)
            return true
        }

        func shutdown() {
            let ending = threads.withLock { threads in
                defer { threads = [] }
                return threads
            }
            queue.close(threads: ending.count)
            // The last copy of a pool may go away on one of its own threads, which cannot wait for itself.
            for thread in ending where !thread.isCurrent {
                thread.join()
            }
        }

        deinit {
            shutdown()
        }
    }
}
