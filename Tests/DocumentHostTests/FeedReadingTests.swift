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

    @Test(
        "RS-8, PH-9: what is pinned, and of which nothing is here, stays so when a listing finds it gone from where it was",
        arguments: ["", "was"])
    func pinnedElsewhere(former: String) async throws {
        try await withHost { host, remote in
            let domain = try host.domains.domain(DomainName("d"))
            let was = former.isEmpty ? remote : remote.appending(former)
            for folder in [was, remote.appending("new")] where folder != remote {
                try #require(mkdir(folder.string, 0o700) == 0)
            }
            try TemporaryFile.write("a", to: was.appending("a.txt"))
            let around = try Location("d:/\(former)")
            try await host.refresh(Location("d:/"))
            try await host.refresh(around)
            let place = around.appending(try ItemName("a.txt"))
            let id = try await host.item(at: place).item.id
            // It does not come for the moment.
            try await host.setPaused(true, at: place)
            try await host.setKeeping(.pinned, at: place)
            try #require(rename(was.appending("a.txt").string, remote.appending("new/a.txt").string) == 0)
            if was != remote { try #require(rmdir(was.string) == 0) }
            _ = try await host.follower.listAgain(domain.rootID, of: domain)
            let known = try host.storage.read { try $0.item(id, in: domain.name) }
            let item = try #require(known)
            #expect(try host.storage.read { try $0.marks(of: item).own } == .pinned)
            #expect(try host.storage.read { try $0.location(of: id, in: domain.name) } == Location("d:/new/a.txt"))
        }
    }

    @Test(
        "RS-8, CONT-12: what waits for a place in a folder that is not shown, and is gone, goes when its folder is listed",
        arguments: [false, true])
    func goneWhileWaiting(isPinned: Bool) async throws {
        try await withHost { host, remote in
            let domain = try host.domains.domain(DomainName("d"))
            for name in ["F", "f"] { try #require(mkdir(remote.appending(name).string, 0o700) == 0) }
            try await host.refresh(Location("d:/"))
            let all = try host.storage.read { try $0.children(of: domain.rootID, in: domain.name, limit: 10) }
            let hidden = try #require(all.items.first { $0.state == .nameClash })
            // As was told before it went there.
            var item = Item(
                id: try ItemIdentifier("gone"), parentID: domain.rootID, name: try ItemName("a.txt"), kind: .document,
                size: 1, modified: .zero, version: try ItemVersion(content: [1], metadata: [1]))
            _ = try host.storage.store.apply([item], in: domain.name)
            if isPinned {
                try await host.setPaused(true, at: Location("d:/a.txt"))
                try await host.setKeeping(.pinned, at: Location("d:/a.txt"))
            }
            (item.parentID, item.version) = (hidden.id, try ItemVersion(content: [1], metadata: [2]))
            _ = try host.storage.store.apply([item], in: domain.name)
            #expect(try host.storage.read { try $0.item(item.id, in: domain.name) } != nil)
            _ = try await host.follower.listAgain(domain.rootID, of: domain)
            #expect(try host.storage.read { try $0.item(item.id, in: domain.name) } == nil)
        }
    }
}
