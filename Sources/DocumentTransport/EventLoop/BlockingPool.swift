/// A few dedicated threads for calls that block, in the order in which they were asked for.
package struct BlockingPool: Sendable {
    package init(threads: Int, name: String) {}

    /// Runs the body on one of the pool's threads.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try body()
    }

    /// Ends and joins the threads, after what was asked for.
    package func shutdown() {}
}
