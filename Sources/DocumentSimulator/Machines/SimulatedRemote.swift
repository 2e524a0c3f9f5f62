internal import DocumentModel

/// A server with a provider program on each machine, which take their time: what they are asked comes to an answer by steps
/// of their own, in the virtual time of a run, and the programs die with their machines.
package protocol SimulatedRemote: AnyObject {
    /// A run begins. Nothing is done before.
    func begin(_ clock: SimulatedClock, faults: Scenario.Faults)

    /// A machine's provider program starts.
    func start(_ machine: Int)

    /// It is killed, whatever it was doing.
    func kill(_ machine: Int)

    /// Asks a machine's provider program; the answer comes later, or never when it is killed before.
    func ask(_ call: SimulatedProvider.Call, of machine: Int, answer: @escaping (SimulatedProvider.Reply) -> Void)

    /// What is on the server now, as providers tell of it.
    var provider: SimulatedProvider { get }

    /// Changes when anything on the server does.
    var changeCount: Int { get }

    /// Somebody else writes a document there, whether it was there or not.
    func write(_ contents: UInt64, to name: String)

    /// Somebody else removes a document there.
    func remove(_ name: String)

    /// The run is over; what is left of the programs is ended.
    func end()
}

/// The virtual time of a run, for what takes part in it.
package struct SimulatedClock {
    /// Milliseconds since the start.
    package let now: () -> Int
    /// Seconds since 1970 at a machine whose clock is right.
    package let wallSeconds: () -> Int64
    /// Whether anything goes wrong at the moment.
    package let isFaulty: () -> Bool
    /// Has something done after so many milliseconds.
    package let after: (Int, @escaping () -> Void) -> Void
}
