import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentTestSupport
import DocumentTransport
import Glibc
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// The host inside of another program, with a real provider.
@Suite(.serialized, .timeLimit(.minutes(2))) struct EmbeddedHostTests {
    func withHost(
        idleTime: Duration = .seconds(300), outdatedPatience: Duration = .seconds(30),
        claimPatience: Duration = .seconds(5),
        observer: (any StepObserver)? = nil,
        logger: Logger = Logger(label: "embedded") { _ in SwiftLogNoOpLogHandler() },
        _ body: (DocumentHost, FilePath) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let remote = folder.appending("remote")
        try #require(mkdir(remote.string, 0o700) == 0)
        let program = try BuiltProducts.executable("docent-trampoline")
        var configuration = DocumentHost.Configuration(
            root: folder.appending("root"),
            providerFolders: [program.removingLastComponent().appending("providers")], trampoline: program,
            software: "tests")
        configuration.providerIdleTime = idleTime
        configuration.outdatedPatience = outdatedPatience
        configuration.claimPatience = claimPatience
        let host = try DocumentHost(
            configuration, loop: EventLoop(name: "embedded"), observer: observer, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await host.run() }
            do {
                _ = try await host.addDomain(
                    DomainName("d"), provider: ProviderIdentifier("org.docent.folder"),
                    settings: ["folder": remote.string])
                try await body(host, remote)
            } catch {
                group.cancelAll()
                try await group.waitForAll()
                throw error
            }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    /// As soon as nothing is heard of the provider any more.
    private func isGrantedAtOnce(
        _ request: AccessRequest, _ tool: DocumentHost.Tool, _ host: DocumentHost
    ) async -> Bool {
        for _ in 0..<3_000 {
            if host.beginAccessAtOnce(request, for: tool) != nil { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("INV-8: what is new is found also when the provider that would tell it was ended for having nothing to do")
    func newsOfIdleProvider() async throws {
        try await withHost(idleTime: .seconds(1)) { host, remote in
            let domain = try DomainName("d")
            try await host.setRules(DomainRuleChange(lookAgain: .seconds(10)), of: domain)
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            for _ in 0..<3_000 {
                if try await host.domainDescriptions().first?.providerState == .idle { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            try #require(host.domains.find(domain)?.hasFeed == true)
            try TemporaryFile.write("new", to: remote.appending("new.txt"))
            var isKnown = false
            for _ in 0..<9_000 where !isKnown {
                isKnown = try host.storage.read { try $0.item(at: try Location("d:/new.txt")) } != nil
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(isKnown)
        }
    }

    @Test("XFER-14: what is pinned is kept current though nobody looks, and its provider was ended for idleness")
    func pinnedOfIdleProvider() async throws {
        try await withHost(idleTime: .seconds(1)) { host, remote in
            let location = try Location("d:/a.txt")
            try TemporaryFile.write("one", to: remote.appending("a.txt"))
            try await host.setRules(DomainRuleChange(lookAgain: .seconds(10)), of: DomainName("d"))
            try await host.setKeeping(.pinned, at: location)
            let path = host.root.tree.path(of: location)
            for _ in 0..<3_000 {
                let isHere = (try? TemporaryFile.read(path)) == "one"
                if isHere, try await host.domainDescriptions().first?.providerState == .idle { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            try #require((try? TemporaryFile.read(path)) == "one")
            try TemporaryFile.write("two, which is newer", to: remote.appending("a.txt"))
            for _ in 0..<6_000 where (try? TemporaryFile.read(path)) != "two, which is newer" {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try TemporaryFile.read(path) == "two, which is newer")
        }
    }

    @Test("CONT-7: whoever asks for an item that gets its provider's identifier at that moment is given it")
    func identifiedMeanwhile() async throws {
        try await withHost { host, remote in
            let tool = host.connect(tool: "one")
            let location = try Location("d:/a.txt")
            let source = remote.removingLastComponent().appending("a.txt")
            try TemporaryFile.write("mine", to: source)
            // Nobody takes it, so that it stays in between for as long as this test wants.
            try #require(rename(remote.string, remote.string + "-away") == 0)
            _ = try await host.moveIn(source, to: location)
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            #expect(item.isArriving)
            host.broker.identified(
                try host.storage.read { try $0.coordinated(item) }, as: try ItemIdentifier("the provider's"))
            for intent in [AccessIntent.reading, .writing] {
                let access = try await host.beginAccess(AccessRequest(location: location, intent: intent), for: tool)
                #expect(try TemporaryFile.read(FilePath(access.items[0].path)) == "mine")
                try await host.endAccess(access.number, of: tool)
            }
            host.disconnect(tool)
        }
    }

    @Test("What is flushed of an access is also what has come to a free place by then, and a folder's names")
    func flushing() async throws {
        try await withHost { host, _ in
            let tool = host.connect(tool: "one")
            let access = try await host.beginAccess(
                AccessRequest(location: try Location("d:/new.txt"), intent: .writing), for: tool)
            let path = FilePath(access.items[0].path)
            try TemporaryFile.write("text", to: path)
            try await host.flushAccess(access.number, of: tool)
            // It is looked at, and what can be no document is on no disk.
            try #require(unlink(path.string) == 0 && mkfifo(path.string, 0o600) == 0)
            await #expect(throws: DocumentError.self) { try await host.flushAccess(access.number, of: tool) }
            try #require(unlink(path.string) == 0)
            try await host.endAccess(access.number, of: tool)
            let folder = try await host.beginAccess(
                AccessRequest(location: try Location("d:/"), intent: .reading, metadataOnly: true), for: tool)
            try await host.flushAccess(folder.number, of: tool)
            try await host.endAccess(folder.number, of: tool)
            host.disconnect(tool)
        }
    }

    @Test(
        "§10: the usual read is granted at once; with a writer, for uploading or with contents elsewhere it is not"
    )
    func usualRead() async throws {
        try await withHost { host, remote in
            try TemporaryFile.write("here", to: remote.appending("a.txt"))
            let (tool, other) = (host.connect(tool: "one"), host.connect(tool: "another"))
            let reading = AccessRequest(location: try Location("d:/a.txt"), intent: .reading)
            #expect(host.beginAccessAtOnce(reading, for: tool) == nil, "it is not here yet")
            let first = try await host.beginAccess(reading, for: tool)
            #expect(try TemporaryFile.read(FilePath(first.items[0].path)) == "here")
            #expect(await isGrantedAtOnce(reading, other, host), "readers share")
            #expect(host.claimCount == 2)
            var coming = reading
            coming.purpose = "org.example.editor"
            #expect(await isGrantedAtOnce(coming, other, host), "with a purpose, too")
            coming.readingOptions = .forUploading
            #expect(host.beginAccessAtOnce(coming, for: other) == nil, "not the usual one")
            host.disconnect(other)
            try await host.endAccess(first.number, of: tool)
            let writing = try await host.beginAccess(
                AccessRequest(location: reading.location, intent: .writing), for: tool)
            let second = host.connect(tool: "a second one")
            #expect(host.beginAccessAtOnce(reading, for: second) == nil, "somebody writes")
            try await host.endAccess(writing.number, of: tool)
            #expect(await isGrantedAtOnce(reading, second, host))
            // What somebody changed without coordinating is looked at first.
            host.disconnect(second)
            let third = host.connect(tool: "a third one")
            try TemporaryFile.write("changed behind the host's back", to: FilePath(writing.items[0].path))
            #expect(host.beginAccessAtOnce(reading, for: third) == nil)
            for tool in [tool, third] { host.disconnect(tool) }
        }
    }

    // MARK: Sending

    /// A document of the remote's that is here, as if it had been changed.
    private func changed(
        _ name: String, _ contents: String, _ host: DocumentHost, _ remote: FilePath
    ) async throws -> (item: IndexedItem, path: FilePath) {
        try TemporaryFile.write(contents, to: remote.appending(name))
        let location = Location(domain: try DomainName("d"), components: [try ItemName(name)])
        let tool = host.connect(tool: "one")
        let access = try await host.beginAccess(AccessRequest(location: location, intent: .reading), for: tool)
        let path = FilePath(access.items[0].path)
        try await host.endAccess(access.number, of: tool)
        host.disconnect(tool)
        let item = try #require(try host.storage.read { try $0.item(at: location) })
        try host.root.index.write { try $0.setState(.changed, of: item.id, in: item.domain) }
        return (item, path)
    }

    private func state(of item: IndexedItem, _ host: DocumentHost) throws -> ItemState? {
        try host.storage.read { try $0.item(item.id, in: item.domain) }?.state
    }

    @Test(
        "XFER-2: what is recorded while an earlier change is sent is sent, too, though its sending has joined that one")
    func joinedSending() async throws {
        let steps = AtStep(.sendRecorded)
        try await withHost(observer: steps) { host, remote in
            let (item, path) = try await changed("a.txt", "one", host, remote)
            steps.once {
                try? TemporaryFile.write("two", to: path)
                try? host.root.index.write { try $0.setState(.changed, of: item.id, in: item.domain) }
                host.sender.enqueue(item.key)
                // It finds that the document is under way.
                usleep(300_000)
            }
            try await host.sender.send(item.key)
            for _ in 0..<500 where try state(of: item, host) != .materialised {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try state(of: item, host) == .materialised)
            #expect(steps.count == 2)
            #expect(try TemporaryFile.read(remote.appending("a.txt")) == "two")
        }
    }

    @Test("Once a large document is sent, no more are made ready ahead than there are turns")
    func largeOneAhead() async throws {
        try await withHost { host, remote in
            let text = String(repeating: "large ", count: 400_000)
            let (item, _) = try await changed("a.txt", text, host, remote)
            let places = host.delivery.places.of(item.domain)
            places.count = SyncPacing.Limits().documentsWhileQuick
            try await host.sender.send(item.key)
            #expect(try state(of: item, host) == .materialised)
            #expect(places.count == SyncPacing.Limits().documents)
        }
    }

    @Test("DOWN-3: whoever is to send a document does not wait, with its place, while its file is looked for")
    func nobodyWaitsForLook() async throws {
        try await withHost { host, remote in
            let (item, path) = try await changed("a.txt", "one", host, remote)
            try await host.setPaused(true, at: Location("d:/"))
            try #require(unlink(path.string) == 0)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await host.disk.lookWhenFree(item.key) }
                var held = 0
                for _ in 0..<50 {
                    try await Task.sleep(for: .milliseconds(20))
                    if host.locks.isHeld(item.key) { held += 1 }
                }
                #expect(held < 10, "of 50 looks within a second")
                #expect(try state(of: item, host) == .changed, "a program may put it back")
                try await group.waitForAll()
            }
            #expect(try state(of: item, host) == .placeholder)
        }
    }
}

/// Does something once, when a step is reached.
private final class AtStep: StepObserver {
    private let step: JournalStep
    private let body = Mutex<Hook<Void>?>(nil)
    private let reachedCount = Atomic<Int>(0)

    init(_ step: JournalStep) {
        self.step = step
    }

    func once(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = Hook(body) } }

    /// How often it was reached.
    var count: Int { reachedCount.load(ordering: .acquiring) }

    func reached(_ step: JournalStep) throws {
        guard step == self.step else { return }
        reachedCount.add(1, ordering: .acquiringAndReleasing)
        let next = body.withLock { body in
            defer { body = nil }
            return body
        }
        next?(())
    }
}
