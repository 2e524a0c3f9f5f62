import DocumentModel
import DocumentTestSupport
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost
@testable import DocumentTransport

/// What is left in a process of a host that has ended there.
struct EndedHostTests {
    private final class Remembered: Sendable {
        private struct Reference {
            weak var host: DocumentHost?
        }

        private let reference = Mutex(Reference())

        var isThere: Bool { reference.withLock { $0.host != nil } }

        func remember(_ host: DocumentHost) { reference.withLock { $0.host = host } }
    }

    @Test("A host that has ended is gone, and what it watched folders and kept its index with, too")
    func nothingIsLeft() async throws {
        let gated = try GatedHost(count: 1)
        defer { gated.end() }
        let remembered = Remembered()
        try await gated.run { host in
            remembered.remember(host)
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
        }
        let end = ContinuousClock.now + .seconds(20)
        while remembered.isThere, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        #expect(!remembered.isThere)
    }

    @Test(
        "The threads of the loop that a host has made end with it; those of one that it was given do not",
        arguments: [true, false])
    func loop(isOwn: Bool) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let configuration = DocumentHost.Configuration(
            root: folder.appending("root"), providerFolders: [], trampoline: folder.appending("none"),
            software: "tests")
        let logger = Logger(label: "ended") { _ in SwiftLogNoOpLogHandler() }
        let host =
            if isOwn {
                try DocumentHost(configuration, logger: logger)
            } else {
                try DocumentHost(configuration, loop: EventLoop(name: "given"), logger: logger)
            }
        let loop = host.loop
        // Also where the host's end is waited for on the loop itself.
        let running = Task(executorPreference: loop) { await host.run() }
        running.cancel()
        await running.value
        let (hasStopped, threads) = loop.state.withLock { ($0.hasStopped, $0.threads.count) }
        #expect(hasStopped == isOwn)
        #expect((threads == 0) == isOwn)
        // Nobody who comes too late is kept waiting.
        let late = await withTaskExecutorPreference(loop) { host.claimCount }
        #expect(late == 0)
        if !isOwn { await loop.end() }
    }
}
