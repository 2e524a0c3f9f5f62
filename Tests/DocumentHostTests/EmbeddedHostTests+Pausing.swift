import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// Who waits for what is paused claims nothing of it, and nothing of it is claimed for them (XFER-14).
extension EmbeddedHostTests {
    /// What is to come of a document that is paused.
    enum ToCome: CaseIterable, Sendable {
        case contents, newerContents
    }

    /// A host with “f/a.txt”, which is paused, and of which something is to come.
    private func whilePaused(
        _ toCome: ToCome, _ body: (DocumentHost, FilePath, Location, DocumentHost.Tool) async throws -> Void
    ) async throws {
        try await withHost { host, remote in
            try #require(mkdir(remote.appending("f").string, 0o700) == 0)
            let (file, location) = (remote.appending("f").appending("a.txt"), try Location("d:/f/a.txt"))
            try TemporaryFile.write("one", to: file)
            _ = try await host.items(in: Location("d:/f"), page: nil, suggestedCount: 10, refreshing: true)
            if toCome == .newerContents {
                try await host.download(location)
                try TemporaryFile.write("two, longer", to: file)
                #expect(try await becomes(.outdated, location, host))
            }
            try await host.setPaused(true, at: location)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            try await body(host, remote, location, tool)
        }
    }

    func untilTold(_ host: DocumentHost, _ location: Location) async throws {
        let expected = "waits to read \(location) until it is resumed"
        for _ in 0..<500 where !host.granter.pending.explanations.contains(where: { $0.contains(expected) }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(host.granter.pending.explanations.contains { $0.contains(expected) })
        #expect(host.broker.isIdle, "\(host.broker.explanations)")
    }

    @Test(
        "XFER-14, DOWN-2: who opens what is paused waits without a claim, follows it to another name and folder, and gets it when it is resumed",
        arguments: ToCome.allCases)
    func followed(_ toCome: ToCome) async throws {
        try await whilePaused(toCome) { host, remote, location, tool in
            async let reading = host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
            try await untilTold(host, location)
            #expect(try await host.item(at: location).transfers.download?.wait == .resume)
            _ = try await host.rename(Location("d:/f"), to: Location("d:/g"))
            _ = try await host.rename(Location("d:/g/a.txt"), to: Location("d:/g/b.txt"))
            try await Task.sleep(for: .milliseconds(200))
            #expect(host.broker.isIdle)
            try await host.setPaused(false, at: Location("d:/g/b.txt"))
            let access = try await reading
            #expect(access.items[0].path.hasSuffix("/d/g/b.txt"))
            let expected = toCome == .contents ? "one" : "two, longer"
            #expect(try TemporaryFile.read(FilePath(access.items[0].path)) == expected)
            try await host.endAccess(access.number, of: tool)
        }
    }

    @Test(
        "XFER-14, DOWN-2: who waits for what is paused hears at once that it, the folder around it, or its domain was removed",
        arguments: ToCome.allCases, ["d:/f/a.txt", "d:/f", "d:/"])
    func removedHere(_ toCome: ToCome, _ place: String) async throws {
        try await whilePaused(toCome) { host, remote, location, tool in
            async let reading = code {
                _ = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
            }
            async let download = code { try await host.download(location) }
            try await untilTold(host, location)
            let removed = try Location(place)
            if removed.isRoot {
                try await host.removeDomain(removed.domain, discardingUnsent: false)
            } else {
                try await host.remove(removed, recursive: true, discardingUnsent: false)
            }
            let codes = await [reading, download]
            let expected: DocumentError.Code = removed.isRoot ? .notConfigured : .noSuchItem
            #expect(codes == [expected, expected])
        }
    }

    @Test(
        "XFER-14: a pause in the middle of a transfer ends that, and gives the claim back; it goes on when it is resumed",
        arguments: ToCome.allCases)
    func pausedMeanwhile(_ toCome: ToCome) async throws {
        let gate = ContentsGate()
        try await withHost(observer: gate) { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("one", to: file)
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            if toCome == .newerContents {
                try await host.download(location)
                try TemporaryFile.write("two, longer", to: file)
                #expect(try await becomes(.outdated, location, host))
            }
            gate.close()
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            async let reading = host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
            while !gate.isReached { try await Task.sleep(for: .milliseconds(1)) }
            #expect(!host.broker.isIdle)
            try await host.setPaused(true, at: location)
            gate.open()
            try await untilTold(host, location)
            _ = try await host.rename(location, to: Location("d:/b.txt"))
            try await host.setPaused(false, at: Location("d:/b.txt"))
            let access = try await reading
            let expected = toCome == .contents ? "one" : "two, longer"
            #expect(try TemporaryFile.read(FilePath(access.items[0].path)) == expected)
            try await host.endAccess(access.number, of: tool)
        }
    }

    @Test(
        "XFER-8, PH-9: a change whose sending has begun, and waits for who uses the document, is not sent when that is excluded meanwhile",
        arguments: ["d:/a.txt", "d:/"])
    func excludedMeanwhile(_ place: String) async throws {
        try await withHost { host, remote in
            let (file, location, excluded) = (remote.appending("a.txt"), try Location("d:/a.txt"), try Location(place))
            try TemporaryFile.write("one", to: file)
            try await host.download(location)
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            try await host.setPaused(true, at: location)
            let first = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try TemporaryFile.write("mine, and longer", to: FilePath(first.items[0].path))
            try await host.endAccess(first.number, of: tool)
            let second = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try await host.setPaused(false, at: location)
            func waits(for wait: TransferWait) async throws -> Bool {
                for _ in 0..<1_000 {
                    if try await host.item(at: location).transfers.upload?.wait == wait { return true }
                    try await Task.sleep(for: .milliseconds(10))
                }
                return false
            }
            #expect(try await waits(for: .use))
            try await host.setKeeping(.excluded, at: excluded)
            #expect(try await waits(for: .inclusion))
            try await host.endAccess(second.number, of: tool)
            try await Task.sleep(for: .seconds(1))
            #expect(try TemporaryFile.read(file) == "one")
            #expect(try await host.item(at: location).transfers.upload?.wait == .inclusion)
            try await host.setKeeping(nil, at: excluded)
            for _ in 0..<1_000 where try TemporaryFile.read(file) == "one" {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try TemporaryFile.read(file) == "mine, and longer")
        }
    }

    @Test(
        "XFER-14: however many documents are paused, others of their domain come, for who pinned them and for who waits for the folder",
        arguments: ["pinned", "awaited"])
    func manyPaused(_ why: String) async throws {
        try await withHost { host, remote in
            let paused = try (10..<50).map { try Location("d:/\($0).txt") }
            let others = try (50..<54).map { try Location("d:/\($0).txt") }
            for location in paused + others {
                try TemporaryFile.write("one", to: remote.appending(location.name?.rawValue ?? ""))
            }
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 100, refreshing: true)
            for location in paused { try await host.setPaused(true, at: location) }
            async let download: Void = why == "awaited" ? host.download(Location("d:/")) : ()
            if why == "pinned" { try await host.setKeeping(.pinned, at: Location("d:/")) }
            func isHere(_ locations: [Location]) async throws -> Bool {
                for _ in 0..<500 {
                    let items = try host.storage.read { index in try locations.map { try index.item(at: $0) } }
                    if items.allSatisfy({ $0?.isCurrent == true }) { return true }
                    try await Task.sleep(for: .milliseconds(20))
                }
                return false
            }
            #expect(try await isHere(others))
            for location in paused { #expect(try await host.item(at: location).transfers.download?.wait == .resume) }
            #expect(host.broker.isIdle, "\(host.broker.explanations)")
            // One goes on without the others, also when it is moved away and removed meanwhile.
            try await host.setPaused(false, at: paused[1])
            #expect(try await isHere([paused[1]]))
            try await host.remove(paused[2], recursive: false, discardingUnsent: false)
            for location in paused where location != paused[1] && location != paused[2] {
                try await host.setPaused(false, at: location)
            }
            try await download
            #expect(try await isHere(paused.filter { $0 != paused[2] }))
        }
    }
}

/// Holds up transfers that begin while it is closed.
private final class ContentsGate: StepObserver {
    private let state = Mutex((isClosed: false, isReached: false))

    var isReached: Bool { state.withLock { $0.isReached } }

    func close() { state.withLock { $0.isClosed = true } }
    func open() { state.withLock { $0.isClosed = false } }

    func reached(_ step: JournalStep) throws {
        guard step == .materialiseBegan else { return }
        state.withLock { $0.isReached = $0.isClosed || $0.isReached }
        while state.withLock({ $0.isClosed }) { usleep(1_000) }
    }
}
