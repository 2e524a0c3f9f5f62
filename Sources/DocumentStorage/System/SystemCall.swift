internal import Synchronization

/// The families of system calls that this target makes. Each one passes ``kernel(_:_:)``.
package enum SystemCall: String, CaseIterable, Sendable {
    case open, read, write, truncate, status, fileSystem
    case makeFolder, readFolder, rename, link, unlink
    case getAttribute, setAttribute, setTimes, setMode
    case copyRange, clone, seekHole, flush, flushLog, reserve
    case lock, lease, watch
}

/// The one place that every system call of this target passes: where a test forces an error number.
///
/// - Returns: what the call gave; a negative error number for a failure.
@inline(__always)
func kernel<Result: SignedInteger>(_ call: SystemCall, _ body: () -> Result) -> Int {
    #if DEBUG
        if let forced = FaultPlan.current?.next(call) { return -Int(forced) }
    #endif
    return Int(body())
}

#if DEBUG
    /// Errors that system calls are to give, instead of being made. Debug builds only; a task's own.
    package final class FaultPlan: Sendable {
        @TaskLocal package static var current: FaultPlan?

        private struct Rule {
            var call: SystemCall
            var error: Int32
            var passing: Int
            var times: Int
        }

        private struct Interruption {
            var call: SystemCall
            var passing: Int
            var body: Hook<Void>
        }

        private let rules = Mutex<[Rule]>([])
        private let interruptions = Mutex<[Interruption]>([])
        private let made = Mutex<[SystemCall]>([])

        package init() {}

        /// - Parameters:
        ///   - passing: how many calls of the family go through first.
        ///   - times: how many fail after that.
        package func fail(_ call: SystemCall, with error: Int32, passing: Int = 0, times: Int = .max) {
            rules.withLock { $0.append(Rule(call: call, error: error, passing: passing, times: times)) }
        }

        /// Lets something else happen once, just before a call is made.
        ///
        /// - Parameter passing: how many calls of the family go through first.
        package func before(_ call: SystemCall, passing: Int = 0, _ body: @escaping @Sendable () -> Void) {
            interruptions.withLock { $0.append(Interruption(call: call, passing: passing, body: Hook(body))) }
        }

        /// What was called, in order.
        package var calls: [SystemCall] { made.withLock { $0 } }

        fileprivate func next(_ call: SystemCall) -> Int32? {
            made.withLock { $0.append(call) }
            let due = interruptions.withLock { interruptions in
                let due = interruptions.filter { $0.call == call && $0.passing == 0 }
                interruptions.removeAll { $0.call == call && $0.passing == 0 }
                for index in interruptions.indices where interruptions[index].call == call {
                    interruptions[index].passing -= 1
                }
                return due
            }
            for interruption in due { interruption.body(()) }
            return rules.withLock { rules in
                for index in rules.indices where rules[index].call == call {
                    if rules[index].passing > 0 {
                        rules[index].passing -= 1
                    } else if rules[index].times > 0 {
                        rules[index].times -= 1
                        return rules[index].error
                    }
                }
                return nil
            }
        }
    }
#endif
