import DocumentModel
import DocumentStorage
import DocumentTestSupport
import DocumentWire
import Glibc
import Logging
import ProviderLauncher
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

    @Test("PROV-21: what a page told, and was not followed as the host died, is told once more")
    func interrupted() async throws {
        try await withHost { host, remote in
            let domain = try host.domains.domain(DomainName("d"))
            for name in ["old", "old/deep"] { try #require(mkdir(remote.appending(name).string, 0o700) == 0) }
            try TemporaryFile.write("a", to: remote.appending("a.txt"))
            _ = try await readOn(from: nil, host, domain)
            try await host.refresh(Location("d:/"))
            let known = try await host.item(at: Location("d:/a.txt")).item
            // Nobody else reads on when the provider says that there is something new.
            while !domain.signal() { try await Task.sleep(for: .milliseconds(200)) }
            try await host.follower.catchUp(domain)
            let before = try #require(try anchor(host))
            try #require(
                rename(remote.appending("a.txt").string, remote.appending("old/deep/a.txt").string) == 0)
            var told = try await domain.provider.changes(since: before, suggestedCount: 500)
            while !told.updated.contains(where: { $0.id == known.id && $0.parentID != known.parentID }) {
                try await Task.sleep(for: .milliseconds(50))
                told = try await domain.provider.changes(since: before, suggestedCount: 500)
            }
            // It is taken up as far as it can be without asking, and that is the end of the host.
            var moved = known
            moved.parentID = try ItemIdentifier("nobody has told of it")
            let page = ItemChanges(updated: [moved], deleted: [], anchor: told.anchor)
            let outcome = try host.storage.store.apply(
                page, in: domain.name, since: before, leavingWork: true, holding: true)
            #expect(outcome.rejected.map(\.id) == [known.id])
            #expect(try anchor(host) == told.anchor)

            try await host.follower.catchUp(domain)
            #expect(
                try host.storage.read { try $0.location(of: known.id, in: domain.name) }
                    == Location("d:/old/deep/a.txt"))
        }
    }

    @Test("PROV-21: what a provider signals just as somebody is done with asking it is asked for all the same")
    func signalledAtTheEnd() async throws {
        try await withHost { host, _ in
            let domain = try host.domains.domain(DomainName("d"))
            _ = try await readOn(from: nil, host, domain)
            // Somebody who has heard everything, and is not done yet.
            let (isBegun, isOver) = (Flag(), Flag())
            let ending = Task {
                while !isBegun.isSet {
                    try await host.follower.catchUps.join(domain.name, onProgress: nil) { _ throws(DocumentError) in
                        isBegun.set()
                        while !isOver.isSet, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
                    }
                }
            }
            while !isBegun.isSet { try await Task.sleep(for: .milliseconds(5)) }
            if domain.signal() { host.work.add { await host.follower.follow(domain) } }
            // Whoever follows has joined that one by now.
            try await Task.sleep(for: .milliseconds(200))
            isOver.set()
            try await ending.value
            for _ in 0..<500 where !domain.isCaughtUp { try await Task.sleep(for: .milliseconds(10)) }
            #expect(domain.isCaughtUp)
        }
    }

    /// Answers when the test lets it: an empty folder.
    private final class SlowProvider: ProviderCalling {
        let provider = "The provider Test (org.example.test)"
        let isOpen = Flag()
        let count = Mutex(0)

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply {
            guard case .enumerate = call else { throw DocumentError(.unimplemented, "Not here.") }
            count.withLock { $0 += 1 }
            while !isOpen.isSet, !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return .enumerate(ItemPage(items: []))
        }

        func noteBroken(_ finding: DocumentError) {}

        /// How often it was asked.
        var asked: Int { count.withLock { $0 } }
    }

    @Test("PROV-21: of two who list a folder at the same time, none has to begin again for the other")
    func listedByTwo() async throws {
        try await withHost { host, _ in
            let domain = try host.domains.domain(DomainName("d"))
            let provider = SlowProvider()
            let session = ProviderSession(provider)
            async let first = host.follower.list(domain.rootID, of: domain, session) { _ in }
            async let second = host.follower.list(domain.rootID, of: domain, session) { _ in }
            for _ in 0..<50 where provider.asked < 2 { try await Task.sleep(for: .milliseconds(10)) }
            provider.isOpen.set()
            _ = try await (first, second)
            #expect(provider.asked == 2)
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
