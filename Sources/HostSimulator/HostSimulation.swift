import CHostSimulation
import CLibCrypto
import DocumentHost
import DocumentModel
import DocumentProvider
import DocumentSimulator
import DocumentTransport
import Glibc
import Logging
import SystemPackage

/// One run: several hosts, each with a storage root of its own in memory, over one provider, on one thread.
package final class HostSimulation: @unchecked Sendable {  // One thread, as it says.
    nonisolated(unsafe) static var current: HostSimulation?

    let scenario: HostScenario
    let folder: String
    let remote: SimulatedRemote
    let ledger = ContentsLedger()
    let mistake: HostMistake?
    /// For the order of what goes on, and for what fails.
    var random: SeededRandom
    var faults: HostScenario.Faults
    var disks: [SimulatedDisk] = []
    var lives: [MachineLife?] = []
    /// Those that are over.
    var buried: [MachineLife] = []
    /// Whose job runs.
    var running: MachineLife?
    /// A person's own changes of files do not fail.
    var isPerson = false
    var contexts: [String: ProviderContext] = [:]
    var dates: [Int64] = []
    /// What people on each machine have wanted removed, and may be asked about once more.
    var wantedGone: [Int: Set<ItemIdentifier>] = [:]
    /// How many new files programs have begun on each machine, and were never told that those are kept.
    var unfinished: [Int: Int] = [:]
    /// Some document at the remote has been such a file.
    var hasEmpty = false
    /// What programs write over files on each machine, and were not told yet that it is kept.
    var overwriting: [Int: Set<Int>] = [:]
    /// What power failures have left of that.
    var torn: Set<[UInt8]> = []
    /// What people can get at on their machines, in the end.
    var reached: Set<Int> = []
    /// Contents of files that a host did not know.
    var rescued: [[UInt8]] = []
    /// The documents that the provider has made, by the names of what it was asked for.
    var made: [String: ItemIdentifier] = [:]
    /// What each machine has given to the provider last.
    var given: [MachineContents: GivenContents] = [:]
    /// What each machine has asked it to take, by the machine and what it was asked by.
    var asked: [String: Set<Int>] = [:]
    /// Nothing fails any more, nor does anybody do anything of his own.
    var isCalm = false
    /// What people were told about pins of documents.
    var pins: [MachineDocument: Bool] = [:]
    /// How often people have taken documents' contents from a machine.
    var evictions: [MachineDocument: Int] = [:]
    /// What was removed by people on each machine, and has not left its trash.
    var trashed: [Int: Set<Int>] = [:]
    var settled: Set<SettledSide> = []
    /// Which contents win each conflict, as a machine has said.
    var winners: [ItemIdentifier: Int] = [:]
    /// How often the provider has answered each machine what it has of an item.
    var looks: [Int: Int] = [:]
    /// Whether somebody was asked about deletions just now.
    var isAsked = false
    /// Contents of versions that the host of a machine has dropped.
    var droppedVersions: [Int: Set<Int>] = [:]
    /// Documents of which a machine keeps as many older versions as it ever does.
    var crowded: Set<MachineDocument> = []
    /// Who has been told of what becomes of something, on all machines.
    var presenters: [SimulatedPresenter] = []
    /// How often each machine was started.
    var boots: [Int: Int] = [:]
    var jobs: [(due: UInt64, number: Int, job: UnsafeMutableRawPointer, life: MachineLife?)] = []
    var events: [(due: UInt64, number: Int, body: () -> Void)] = []
    var lastNumber = 0
    var time: UInt64 = 1_000_000_000
    var steps = 0
    var requests = 0
    var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    var complaint: String?
    var deaths = 0
    let onLine: ((String) -> Void)?

    static let domain = "work"
    static let dateAtBeginning: Int64 = 1_700_000_000_000_000_000

    /// - Parameters:
    ///   - folder: new and empty, in memory, with a slash at its end.
    ///   - onLine: is told of each step; nil: nobody is.
    package init(
        _ scenario: HostScenario, in folder: String, mistake: HostMistake? = nil, onLine: ((String) -> Void)? = nil
    ) {
        self.scenario = scenario
        self.folder = folder
        self.mistake = mistake
        remote = SimulatedRemote(mistake: mistake, refusesLikeNames: scenario.likeNames == .refused)
        self.onLine = onLine
        random = SeededRandom(seed: scenario.seed ^ 0x5EED)
        faults = scenario.faults
        Self.current = self
        remote.onChange = { [unowned self] in remoteChanged() }
        var hooks = simulation_hooks(
            before: { HostSimulation.current?.before($0.pointee) ?? 0 },
            after: { HostSimulation.current?.after($0.pointee) },
            enqueue: { HostSimulation.current?.enqueue($0, $1) })
        simulation_begin(folder, &hooks)
        simulation_seed(scenario.seed)
        simulation_set_time(time)
        lives = Array(repeating: nil, count: scenario.machines)
        dates = Array(repeating: Self.dateAtBeginning, count: scenario.machines)
        for machine in 0..<scenario.machines { disks.append(SimulatedDisk(graves: "\(folder)graves-\(machine)")) }
    }

    var milliseconds: Int { Int((time - 1_000_000_000) / 1_000_000) }

    var date: Timestamp {
        let now = Self.dateAtBeginning + Int64(time)
        return Timestamp(seconds: now / 1_000_000_000, nanoseconds: UInt32(now % 1_000_000_000))
    }

    func root(of machine: Int) -> String { "\(folder)m\(machine)" }

    // MARK: What is told

    func note(_ text: @autoclosure () -> String) {
        guard let onLine else { return mix(UInt64(steps)) }
        mix(UInt64(steps))
        onLine("\(milliseconds) ms: \(text())")
    }

    func mix(_ value: UInt64) {
        trace = (trace ^ value) &* 0x100_0000_01B3
    }

    func mix(_ text: String) {
        for byte in text.utf8 { mix(UInt64(byte)) }
    }

    func complain(_ text: String) {
        guard complaint == nil else { return }
        // The folder is another one in each process.
        let parts = text.split(separator: folder, omittingEmptySubsequences: false)
        complaint = "\(milliseconds) ms: \(parts.joined())"
        note(text)
    }

    func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 32
        EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil)
        return digest
    }

    func logger(_ machine: Int) -> Logger {
        guard let onLine else { return Self.quiet }
        var logger = Logger(label: "m\(machine)") { _ in LineLog { onLine("    m\(machine) \($0)") } }
        logger.logLevel = .notice
        return logger
    }

    // MARK: The run

    /// - Returns: what did not hold; nil when all did.
    package func play() -> String? {
        for machine in 0..<scenario.machines { open(machine) }
        for step in scenario.steps {
            at(1_000_000_000 + UInt64(step.time) * 1_000_000) { [unowned self] in perform(step) }
        }
        if let outage = faults.outage {
            for machine in 0..<scenario.machines {
                at(1_000_000_000 + UInt64(outage.upperBound) * 1_000_000) { [unowned self] in
                    signal(machine, isResolved: true)
                }
            }
        }
        run(until: 1_000_000_000 + UInt64(HostScenario.end) * 1_000_000)
        faults = HostScenario.Faults()
        if complaint == nil { judge() }
        return complaint
    }

    package var figures: String {
        "\(steps) steps, \(simulation_changes()) changes of files, \(requests) requests, \(deaths) deaths, trace \(String(trace, radix: 16))"
    }

    func at(_ due: UInt64, _ body: @escaping () -> Void) {
        lastNumber += 1
        events.append((due, lastNumber, body))
        events.sort { ($0.due, $0.number) > ($1.due, $1.number) }
    }

    func after(milliseconds: Int, _ body: @escaping () -> Void) {
        at(time + UInt64(milliseconds) * 1_000_000, body)
    }
}
