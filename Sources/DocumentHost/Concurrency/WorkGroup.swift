import Synchronization

/// Runs the host's own work as child tasks of the host: what goes on when the one who asked for it has gone.
package final class WorkGroup: Sendable {
    package typealias Job = @Sendable () async -> Void

    private let jobs: AsyncStream<Job>
    private let continuation: AsyncStream<Job>.Continuation

    package init() {
        (jobs, continuation) = AsyncStream.makeStream(of: Job.self)
    }

    /// Has a job run. After the group has ended it is dropped.
    package func add(_ job: @escaping Job) {
        continuation.yield(job)
    }

    /// Runs jobs until the task is cancelled, and then waits for those that run (they are cancelled too).
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await job in jobs {
                group.addTask { await job() }
            }
            group.cancelAll()
        }
    }

    package func finish() {
        continuation.finish()
    }
}
