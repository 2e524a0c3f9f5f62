import DocumentModel
import DocumentProvider
import DocumentSimulator
import DocumentTransport
import Logging

/// What lies between a host and the remote.
extension HostSimulation {
    static let quiet = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }

    /// A new connection to the provider of a machine, which serves it in a process of its own, as it were.
    func connect(_ life: MachineLife) -> (any TransportEnd)? {
        guard !life.isOver, !life.isDying else { return nil }
        let (ours, theirs) = MemoryEnd.pair(loop: life.providerLoop)
        life.ends.append(theirs)
        Task(executorPreference: life.providerLoop) {
            _ = try? await ProviderSession.run(
                self.scenario.provider, over: theirs, loop: life.providerLoop, logger: Self.quiet)
            theirs.close()
        }
        return ours
    }

    func connected(_ context: ProviderContext) { contexts[context.deviceName] = context }

    private func life(of device: String) -> MachineLife? {
        Int(device.dropFirst()).flatMap { lives.indices.contains($0) ? lives[$0] : nil }
    }

    private var isOutage: Bool { faults.outage?.contains(milliseconds) ?? false }

    /// Before the provider does what it was asked for.
    func request(_ name: String, by device: String) async throws {
        requests += 1
        note("\(device) asks: \(name)")
        guard let life = life(of: device) else { throw CancellationError() }
        await life.providerLoop.pause(.milliseconds(delay()))
        if isOutage { throw DocumentError(.serverUnreachable, "The remote cannot be reached.") }
        if random.once(in: faults.lostRequest) { try lose(life) }
        if random.once(in: faults.refusal) {
            throw DocumentError(random.once(in: 2) ? .busy : .internal, "The remote has no time.")
        }
    }

    /// Before the host is told of what was done.
    func answer(_ name: String, by device: String) async throws {
        guard let life = life(of: device) else { throw CancellationError() }
        await life.providerLoop.pause(.milliseconds(delay()))
        if random.once(in: faults.lostAnswer) { try lose(life) }
    }

    private func lose(_ life: MachineLife) throws {
        note("m\(life.machine) loses its connection")
        disconnect(life)
        throw CancellationError()
    }

    func disconnect(_ life: MachineLife) {
        for end in life.ends { end.close() }
        life.ends = []
    }

    private func delay() -> Int {
        if random.once(in: faults.slow) { return random.once(in: 4) ? random.below(100_000) : random.below(3_000) }
        return 1 + random.below(40)
    }

    func flipsBit() -> Bool { random.once(in: faults.flippedBit) }

    // MARK: News

    func remoteChanged() {
        for machine in lives.indices {
            after(milliseconds: 1 + random.below(300)) { [unowned self] in signal(machine, isResolved: false) }
        }
    }

    func signal(_ machine: Int, isResolved: Bool) {
        guard let life = lives[machine], let context = contexts["m\(machine)"] else { return }
        running = life
        defer { running = nil }
        // One that has no feed has nothing to tell of.
        if scenario.hasFeed { context.signalChanges() }
        if isResolved { context.signalErrorResolved() }
    }
}
