package import DocumentModel

/// Runs the host's own work as child tasks of the host: what goes on when the one who asked for it has gone.
package final class WorkGroup: Sendable {
    package typealias Job = @Sendable () async -> Void

    private let jobs: AsyncStream<Job>
    private let continuation: AsyncStream<Job>.Continuation

    package init() {
        (jobs, continuation) = AsyncStream.makeStream(of: Job.self)
    }

    /// Has a job run.
    ///
    /// - Returns: false when the group has ended and the job will never run: whoever waits for it has to be told.
    @discardableResult
    package func add(_ job: @escaping Job) -> Bool {
        if case .terminated = continuation.yield(job) { return false }
        return true
    }

    /// What whoever waits for a job of a group that has ended is told.
    package static var hasEnded: DocumentError {
        DocumentError(.cancelled, "The host has ended; open it again, and keep run() running while it is used.")
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

    /// Nothing is taken any more. What was added and not taken is run by ``run()`` all the same.
    package func finish() {
        continuation.finish()
    }
}
