import Synchronization

/// Work of pools that have no threads: somebody else carries it out, in whatever order. For simulations.
package final class SteppedWork: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])

    package init() {}

    /// How much waits.
    package var count: Int { work.withLock { $0.count } }

    /// Carries out what was asked for as the `index`th of what waits.
    package func run(at index: Int) {
        let body = work.withLock { $0.indices.contains(index) ? $0.remove(at: index) : nil }
        body?()
    }

    func append(_ body: @escaping @Sendable () -> Void) {
        work.withLock { $0.append(body) }
    }
}
