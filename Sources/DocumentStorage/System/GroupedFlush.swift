internal import Synchronization

/// A flush that several threads want at once is made once for all of them: it serves whoever has asked before it began.
final class GroupedFlush: Sendable {
    private let asked = Atomic<UInt64>(0)
    /// Up to which asking all were served.
    private let served = Mutex<UInt64>(0)

    /// How often it was asked for.
    var count: UInt64 { asked.load(ordering: .sequentiallyConsistent) }

    /// Returns when everything that was written before the call is on disk.
    ///
    /// - Parameter flush: is not run when another thread's has served this one, too.
    func run(_ flush: () throws -> Void) rethrows {
        let own = asked.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        try served.withLock { served in
            guard served < own else { return }
            let all = asked.load(ordering: .sequentiallyConsistent)
            try flush()
            served = all
        }
    }
}
