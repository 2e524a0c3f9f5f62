import Synchronization

/// Runs the tasks of one program on the thread that asks for it, one job after the other, in an order drawn by chance.
final class VirtualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs what can be run, until nothing can any more.
    ///
    /// - Parameter draw: a number below the one that it is given.
    func run(_ draw: (Int) -> Int) {
        while true {
            let count = jobs.withLock { $0.count }
            guard count > 0 else { return }
            let index = count == 1 ? 0 : draw(count)
            let job = jobs.withLock { $0.remove(at: index) }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
