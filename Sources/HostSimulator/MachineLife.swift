import DocumentHost
import DocumentModel
import DocumentTransport
import Glibc

/// One life of a machine's host, from its opening to its death: where its jobs wait.
///
/// It is kept when it is over, so that nothing of it comes to an end by itself and closes what is not its own any more.
final class MachineLife: @unchecked Sendable {  // Everything of a run happens on one thread.
    let machine: Int
    let loop: EventLoop
    /// The provider's own, as if it were in another process.
    let providerLoop: EventLoop
    let work = HostWork()
    var host: DocumentHost?
    var running: Task<Void, Never>?
    /// It dies as soon as the job that runs has ended: nothing that it does from now on is done.
    var isDying = false
    var losesPower = false
    var losesIndex = false
    var isOver = false
    /// Descriptors that have no path.
    var watchers: [Int32] = []
    var ends: [any TransportEnd] = []
    var people = 0

    init(machine: Int) {
        self.machine = machine
        loop = EventLoop(steppedAs: "host-\(machine)")
        providerLoop = EventLoop(steppedAs: "provider-\(machine)")
    }
}

typealias HostWork = SteppedWork
