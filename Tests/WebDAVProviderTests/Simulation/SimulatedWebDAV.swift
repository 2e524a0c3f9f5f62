import DocumentModel
import DocumentProvider
import DocumentSimulator
import DocumentSync
import DocumentTestSupport
import Glibc
import Logging
import SystemPackage

@testable import WebDAVProvider

/// The shipped WebDAV provider, one program for each machine, and one server in memory for all of them.
final class SimulatedWebDAV: SimulatedRemote, @unchecked Sendable {
    /// What a program knows of the server, and how it writes there.
    struct Verdict: Sendable {
        var guarantee: Guarantee
        var hasExactTags: Bool
    }

    private struct Program {
        var life: ProgramLife
        var domain: WebDAVDomain?
    }

    private let manner: SimulatedServer.Manner
    private let verdict: Verdict
    private let folder: FilePath
    private var random: SeededRandom
    private var clock: SimulatedClock?
    private var faults: Scenario.Faults?
    private var server: SimulatedServer?
    private var programs: [Int: Program] = [:]
    private var dead: [ProgramLife] = []
    private var lastFile = 0
    private var seen = SimulatedProvider(allowsClashes: true)
    private var seenSerial = -1
    private static let quiet = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }

    /// - Parameter folder: for the programs' state and for files on their way; empty.
    init(_ manner: SimulatedServer.Manner, _ verdict: Verdict, seed: UInt64, folder: FilePath) {
        (self.manner, self.verdict, self.folder) = (manner, verdict, folder)
        random = SeededRandom(seed: seed ^ 0xDA5)
    }

    private func draw(_ count: Int) -> Int { random.below(count) }

    // MARK: Lives

    func begin(_ clock: SimulatedClock, faults: Scenario.Faults) {
        (self.clock, self.faults) = (clock, faults)
        server = SimulatedServer(manner, wallSeconds: clock.wallSeconds)
    }

    func start(_ machine: Int) {
        guard let clock, let faults, let server else { return }
        let life = ProgramLife(clock: clock) { [unowned self] in draw($0) }
        programs[machine] = Program(life: life, domain: try? domain(machine, life, clock, faults, server))
    }

    private func domain(
        _ machine: Int, _ life: ProgramLife, _ clock: SimulatedClock, _ faults: Scenario.Faults,
        _ server: SimulatedServer
    ) throws -> WebDAVDomain {
        let settings = WebDAVSettings(address: try ServerAddress("http://127.0.0.1:1/dav/"))
        let began = ContinuousClock.now
        nonisolated(unsafe) let clock = clock
        var timing = Timing()
        timing.now = { began + .milliseconds(clock.now()) }
        timing.pause = { try await life.pause($0) }
        timing.executor = life.executor
        timing.chance = { [unowned self] in Double(draw(1000)) / 1000 }
        timing.mark = { [unowned self] in random.next() }
        var certificate = Certificate(subject: "simulated", findings: ProbeFindings())
        (certificate.guarantee, certificate.hasExactTags) = (verdict.guarantee, verdict.hasExactTags)
        let state = folder.appending("machine-\(machine)")
        // There from an earlier life.
        _ = mkdir(state.string, 0o700)
        return try WebDAVDomain(
            settings, gate: WriteGate(settings, known: certificate),
            ledger: WriteLedger(in: state, logger: Self.quiet), logger: Self.quiet, timing: timing,
            transport: FaultyWay(
                to: server, at: settings.address, clock: clock, faults: faults, life: life
            ) { [unowned self] in draw($0) })
    }

    func kill(_ machine: Int) {
        guard let program = programs.removeValue(forKey: machine) else { return }
        program.life.kill()
        dead.append(program.life)
    }

    func end() {
        for machine in programs.keys.sorted() { kill(machine) }
        for life in dead { life.end() }
        dead = []
    }

    // MARK: The server by itself

    var changeCount: Int { server?.serial ?? 0 }

    func write(_ contents: UInt64, to name: String) {
        guard let server, let path = try? RemotePath(ItemIdentifier(name)) else { return }
        // Of two that others write within a second and with the same length nobody could tell one from the other.
        server.put(SimulatedContents.bytes(contents, padding: 1 + Int(contents % 60)), at: path)
    }

    func remove(_ name: String) {
        guard let server, let path = try? RemotePath(ItemIdentifier(name)) else { return }
        _ = server.remove(path)
    }

    var provider: SimulatedProvider {
        guard let server, server.serial != seenSerial else { return seen }
        seenSerial = server.serial
        let there = server.children(of: .root).filter { !OwnNames.isOwn($0.names[0]) && !server.isFolder($0) }
        let known = Set(there.compactMap { try? $0.identifier })
        for id in seen.identifiers where !known.contains(id) { seen.mirrorRemoval(id) }
        for path in there {
            guard let node = server.nodes[path], let bytes = node.bytes, let id = try? path.identifier else {
                continue
            }
            var properties = Properties()
            (properties.length, properties.modified) = (Int64(bytes.count), node.modified)
            properties.tag = server.tag(of: node).flatMap { EntityTag($0) }
            guard let item = try? properties.item(at: path, .all), let remote = Self.remote(item) else { continue }
            seen.mirror(id, remote, contents: SimulatedContents.number(bytes))
        }
        return seen
    }

    private static func remote(_ item: Item) -> SyncTrees.Remote? {
        guard let parent = item.parentID, let name = item.name else { return nil }
        return SyncTrees.Remote(
            place: SyncPlace(parentID: parent, name: name), kind: item.kind, version: item.version.content,
            stamp: VersionStamp(time: item.modified.seconds * 1_000_000, device: 0))
    }

    // MARK: What the programs are asked

    func ask(
        _ call: SimulatedProvider.Call, of machine: Int, answer: @escaping (SimulatedProvider.Reply) -> Void
    ) {
        guard let program = programs[machine], let domain = program.domain else { return answer(.failure(.internal)) }
        nonisolated(unsafe) let answer = answer
        program.life.begin { [self] in
            let reply: SimulatedProvider.Reply
            do {
                reply = try await carryOut(call, domain)
            } catch let error as DocumentError {
                reply = .failure(error.code)
            } catch {
                reply = .failure(.cancelled)
            }
            answer(reply)
        }
    }

    private func carryOut(
        _ call: SimulatedProvider.Call, _ domain: WebDAVDomain
    ) async throws -> SimulatedProvider.Reply {
        switch call {
        case .create(let place, let kind, let contents, _, let name, _):
            let file = try contents.map(newFile)
            let made = try await domain.create(
                ItemCreation(
                    parentID: place.parentID, name: place.name, kind: kind, contents: file, modified: nil,
                    operation: name), Transfer())
            return try reply(made, contents)
        case .send(let id, let base, let contents, _, let name):
            let modification = ItemModification(
                id: id, baseVersion: try ItemVersion(content: base ?? [], metadata: []),
                contents: try newFile(contents), operation: name)
            return try reply(try await domain.modify(modification, Transfer()), contents)
        case .relocate(let id, _, let place):
            var modification = ItemModification(id: id, baseVersion: .none, operation: newOperation())
            (modification.name, modification.parentID) = (place.name, place.parentID)
            return try reply(try await domain.modify(modification, Transfer()), nil)
        case .delete(let id, let base, let recursive):
            try await domain.delete(
                ItemDeletion(
                    id: id, baseVersion: try ItemVersion(content: base, metadata: []), recursive: recursive,
                    operation: newOperation()))
            return .deleted
        case .fetch(let id, let version):
            let file = try newFile(nil)
            let item = try await domain.provide(id, at: file, contentVersion: version, Transfer())
            return try reply(item, SimulatedContents.number(try DomainFixture.read(file)))
        case .look(let id): return try reply(try await domain.item(for: id), nil)
        case .changes, .list:
            var changes: [SimulatedProvider.Change] = []
            var page: PageToken?
            repeat {
                let part = try await domain.items(in: .root, page: page, suggestedCount: 3)
                for item in part.items where item.kind == .document {
                    guard let remote = Self.remote(item) else { continue }
                    changes.append(.init(id: item.id, sighting: .present(remote)))
                }
                page = part.next
            } while page != nil
            // A server without a feed: the next look is a listing again.
            return .changes(changes, anchor: -1, isComplete: true)
        }
    }

    private func reply(_ item: Item, _ contents: UInt64?) throws -> SimulatedProvider.Reply {
        guard let remote = Self.remote(item) else {
            throw DocumentError(.contractBroken, "The item has no place.")
        }
        return .item(item.id, remote, contents: contents)
    }

    /// Of what the engine gives no name.
    private func newOperation() -> String {
        lastFile += 1
        return "operation \(lastFile)"
    }

    /// With contents to be sent, or empty for those that are to come.
    private func newFile(_ contents: UInt64?) throws -> FilePath {
        lastFile += 1
        let file = folder.appending("file-\(lastFile)")
        let text = contents.map { String(decoding: SimulatedContents.bytes($0), as: UTF8.self) } ?? ""
        try TemporaryFile.write(text, to: file)
        return file
    }
}
