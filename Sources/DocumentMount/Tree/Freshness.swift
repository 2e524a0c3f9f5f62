import Synchronization

/// How long the kernel may keep what it is told: long, while the host tells of what happens; and not at all when something has
/// happened between the look and the answer. The kernel may have been told of that before it had what it is to let go of.
package final class Freshness: Sendable {
    /// When somebody looked at what the kernel is told.
    package struct Look: Sendable {
        fileprivate let happenings: UInt64
    }

    private struct State {
        var happenings: UInt64 = 0
        var isTold = false
    }

    /// In seconds. A bound for what nobody tells: what a program writes to a document's file without a pause.
    package static let longest = 60.0
    /// In seconds, while nobody tells what happens.
    package static let short = 1.0

    private let state = Mutex(State())

    package init() {}

    /// To be had before one looks.
    package func look() -> Look { state.withLock { Look(happenings: $0.happenings) } }

    /// Something has happened: before the kernel is told of it.
    ///
    /// - Parameter isTold: whether what happens from now on is told, too.
    package func happened(isTold: Bool) {
        state.withLock { state in
            state.happenings += 1
            state.isTold = isTold
        }
    }

    /// A program has changed something: what was looked at before is not to be kept.
    package func changed() { state.withLock { $0.happenings += 1 } }

    /// Whether nothing has happened since.
    package func isStill(_ look: Look) -> Bool { state.withLock { $0.happenings == look.happenings } }

    /// Answers the kernel; nothing happens meanwhile.
    ///
    /// - Parameter body: gets how long the kernel may keep the answer, in seconds. It does not wait.
    package func answer<Value>(_ look: Look, _ body: (_ lifetime: Double) -> Value) -> Value {
        state.withLock { state in
            body(state.happenings != look.happenings ? 0 : state.isTold ? Self.longest : Self.short)
        }
    }
}
