import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import Logging
import Synchronization
import SystemPackage
import Testing

@testable import DocumentHost

/// Reading on in a provider's feed, while others have a say in how far it was read.
@Suite(.timeLimit(.minutes(2))) struct FeedReadingTests {
    private func withHost(_ body: (DocumentHost, FilePath) async throws -> Void) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let remote = folder.appending("remote")
        try #require(mkdir(remote.string, 0o700) == 0)
        let program = try BuiltProducts.executable("docent-trampoline")
        let host = try DocumentHost(
            DocumentHost.Configuration(
                root: folder.appending("root"),
                providerFolders: [program.removingLastComponent().appending("providers")], trampoline: program,
                software: "tests"),
            logger: Logger(label: "feed") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await host.run() }
            let outcome: Result<Void, any Error>
            do {
                _ = try await host.addDomain(
                    DomainName("d"), provider: ProviderIdentifier("org.docent.folder"),
                    settings: ["folder": remote.string])
                outcome = .success(try await body(host, remote))
            } catch {
                outcome = .failure(error)
            }
            group.cancelAll()
            try await group.waitForAll()
            try outcome.get()
        }
    }

    private func anchor(_ host: DocumentHost) throws -> SyncAnchor? {
        try host.storage.read { try $0.domain(DomainName("d"))?.anchor }
    }

    /// Reads the feed until it has told something.
    private func readOn(from old: SyncAnchor?, _ host: DocumentHost, _ domain: Domain) async throws -> SyncAnchor {
        for _ in 0..<600 {
            try await host.follower.catchUp(domain)
            if let anchor = try anchor(host), anchor != old { return anchor }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw DocumentError(.internal, "The feed tells nothing.")
    }

    @Test("PROV-21: an anchor that is set back while the feed is read is where it is read on from, to its end")
    func setBack() async throws {
        try await withHost { host, remote in
            let domain = try host.domains.domain(DomainName("d"))
            let first = try await readOn(from: nil, host, domain)
            try TemporaryFile.write("a", to: remote.appending("a.txt"))
            let second = try await readOn(from: first, host, domain)
            // As somebody does who wants to hear once more what was told; in the moment in which a page was taken in.
            let (index, name) = (host.root.index, domain.name)
            let isDue = Mutex(true)
            index.onWrite {
                let isNow = isDue.withLock { isDue in
                    defer { isDue = false }
                    return isDue
                }
                if isNow { try? index.write { try $0.setAnchor(first, of: name) } }
            }
            try await host.follower.catchUp(domain)
            let wasNeverWritten = isDue.withLock { $0 }
            #expect(!wasNeverWritten)
            #expect(try anchor(host) == second)
        }
    }
}
