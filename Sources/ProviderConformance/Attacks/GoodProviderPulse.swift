import DocumentClient
import DocumentModel
import Foundation
import Synchronization
import SystemPackage

/// Has a well-behaved provider do everything that providers are for, again and again, and keeps how long it took.
final class GoodProviderPulse: Sendable {
    enum Phase: Sendable { case quiet, attacked }

    private let machine: HostMachine
    private let pace: MachinePace
    private let figures = Mutex<[Phase: PulseFigures]>([:])
    private let isStopped = Mutex(false)

    /// - Throws: ``KitError``.
    init(machine: HostMachine) throws {
        self.machine = machine
        pace = try MachinePace(folder: machine.folder + "/work")
    }

    private static func place() throws -> Location {
        Location(domain: try DomainName(HostMachine.good)).appending(try ItemName("good.txt"))
    }

    /// Adds the domain of the well-behaved provider.
    func prepare() async throws {
        let identifier = try ProviderIdentifier(try MisbehavingBundle.bundle(with: [.modifying]).identifier)
        let domain = try DomainName(HostMachine.good)
        try await machine.ask { client in
            try await client.addDomain(domain, provider: identifier, settings: ["behaviour": "well-behaved"])
            for try await _ in client.items(in: Location(domain: domain)) {}
        }
    }

    /// Has the host make what it makes once and keeps: threads, and open files for questions side by side.
    func warm() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<24 {
                group.addTask { [self] in
                    try? await machine.ask { client in
                        for _ in 0..<50 { _ = try await client.item(at: try Self.place()) }
                    }
                }
            }
        }
        await beat(.quiet, rounds: 5)
        figures.withLock { $0 = [:] }
    }

    /// Works so many rounds, or until ``stop()``, but not fewer than say something; on one connection. What goes wrong is
    /// kept.
    func beat(_ phase: Phase, rounds: Int = .max) async {
        do {
            try await machine.ask(as: "pulse") { client in
                var done = 0
                while done < rounds, done < PulseComparison.leastCycles || !isStopped.withLock({ $0 }) {
                    let round = done
                    try await within(.seconds(60), else: CheckFailure("The well-behaved provider had to wait.")) {
                        [self] in
                        try await work(client, phase, round: round)
                    }
                    done += 1
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
        } catch {
            figures.withLock { $0[phase, default: PulseFigures()].failures.append("\(error)") }
        }
    }

    /// Before it beats until ``stop()``.
    func begin() { isStopped.withLock { $0 = false } }

    /// Ends what beats, after its round.
    func stop() { isStopped.withLock { $0 = true } }

    var comparison: PulseComparison {
        figures.withLock { figures in
            PulseComparison(quiet: figures[.quiet] ?? PulseFigures(), attacked: figures[.attacked] ?? PulseFigures())
        }
    }

    /// One round: every step asks the provider something.
    private func work(_ client: DocumentClient, _ phase: Phase, round: Int) async throws {
        let place = try Self.place()
        try await measure(phase, .list) {
            var names: [String] = []
            for try await item in client.items(in: Location(domain: place.domain), refresh: true) {
                names.append("\(item.location)")
            }
            guard names.contains("\(place)") else {
                throw CheckFailure("The well-behaved provider's folder lacks its document.", detail: "\(names)")
            }
        }
        // What is not here has to be brought.
        try await evict(place, client)
        let contents = try await measure(phase, .open) {
            try await client.coordinate(readingItemAt: place) { path, _ in
                try Data(contentsOf: URL(fileURLWithPath: path.string))
            }
        }
        guard contents.count == 5 else {
            throw CheckFailure("The well-behaved provider's document has other contents.")
        }
        let new = Data("\(10_000 + round % 10_000)".utf8)
        try await measure(phase, .change) {
            try await client.coordinate(writingItemAt: place) { path, _ in
                try new.write(to: URL(fileURLWithPath: path.string))
            }
        }
        try await measure(phase, .send) { try await client.waitUntilSent(place) }
        try await measure(phase, .machine) { [pace] in try await pace.step() }
    }

    /// A misbehaving tool may claim the document, too, and rightly keeps it from being evicted for as long.
    private func evict(_ place: Location, _ client: DocumentClient) async throws {
        while true {
            do {
                _ = try await client.evict(place)
                return
            } catch {
                guard error.code == .busy else { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    private func measure<Value>(
        _ phase: Phase, _ step: PulseFigures.Step, _ body: () async throws -> Value
    ) async throws -> Value {
        let began = ContinuousClock.now
        let value = try await body()
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        figures.withLock { $0[phase, default: PulseFigures()].add(seconds, to: step) }
        return value
    }
}
