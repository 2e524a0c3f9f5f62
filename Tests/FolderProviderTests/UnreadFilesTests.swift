import DocumentModel
import DocumentProvider
import Synchronization
import SystemPackage
import Testing

@testable import FolderProvider

/// Many files of which nothing but the time of change is another: one look has no time to read them all.
@Suite struct UnreadFilesTests {
    private let fixture: FolderFixture
    private let clock = SteppingClock()
    private static let names = ["a", "b", "c"]

    init() throws {
        fixture = try FolderFixture()
        for name in Self.names { try fixture.write("one", to: name) }
    }

    /// One that has time for one file in each look.
    private func slowDomain() throws -> FolderDomain {
        let clock = self.clock
        var pace = FolderSettings.Pace()
        pace.now = { clock.now() }
        return try fixture.domain(pace: pace)
    }

    /// The documents, with contents that the host has got.
    private func brought(_ domain: FolderDomain) throws -> [Item] {
        try Self.names.map { name in
            let found = try domain.persistentIdentifier(forItemAt: name)
            let id = try #require(found)
            return try domain.provide(id, at: try fixture.emptyStagingFile(), contentVersion: [], .none)
        }
    }

    private func unread(_ domain: FolderDomain) -> Set<RecordID> {
        domain.mirror.withLock { $0.tree.unsettled }
    }

    private func updated(_ domain: FolderDomain, since anchor: SyncAnchor) throws -> [Item] {
        try domain.changes(since: anchor, suggestedCount: 10).updated
    }

    @Test("VER-10: what was touched and not read yet is no other version, and is read beside the looks")
    func touched() throws {
        let domain = try slowDomain()
        let items = try brought(domain)
        let anchor = try domain.currentAnchor()
        for name in Self.names { try Touching.time.touch(name, fixture) }
        #expect(try updated(domain, since: anchor).isEmpty)
        #expect(unread(domain).count == 2)
        domain.readUnsettled()
        #expect(unread(domain).isEmpty)
        #expect(try updated(domain, since: anchor).isEmpty)
        for item in items { #expect(try domain.item(for: item.id).version == item.version) }
    }

    @Test("What was written unseen, and not read yet, is told when it was, without another event")
    func rewritten() throws {
        let domain = try slowDomain()
        let items = try brought(domain)
        let anchor = try domain.currentAnchor()
        for name in Self.names { try fixture.rewriteUnseen("two", name) }
        #expect(try updated(domain, since: anchor).count == 1)
        #expect(unread(domain).count == 2)
        domain.readUnsettled()
        #expect(unread(domain).isEmpty)
        let all = try updated(domain, since: anchor)
        #expect(Set(all.map(\.id)) == Set(items.map(\.id)))
        for item in items { #expect(all.allSatisfy { $0.version.content != item.version.content }) }
    }

    @Test("So it is by itself, where somebody else's call has left it to be read")
    func watched() async throws {
        let domain = try slowDomain()
        let items = try brought(domain)
        let anchor = try domain.currentAnchor()
        let watcher = FolderWatcher(domain)
        for name in Self.names { try fixture.rewriteUnseen("two", name) }
        try await fixture.eventually { try updated(domain, since: anchor).count == items.count }
        #expect(unread(domain).isEmpty)
        withExtendedLifetime(watcher) {}
    }

    @Test("VER-10: before it is replaced or removed, or given to anybody, it is read", arguments: [true, false])
    func asked(isDelete: Bool) throws {
        let domain = try slowDomain()
        let items = try brought(domain)
        for name in Self.names { try fixture.rewriteUnseen("two", name) }
        _ = try domain.currentAnchor()
        let open = unread(domain)
        let item = try #require(items.first { item in RecordID(item.id).map { open.contains($0) } ?? false })
        let error = #expect(throws: DocumentError.self) {
            if isDelete {
                try domain.delete(
                    ItemDeletion(id: item.id, baseVersion: item.version, recursive: false, operation: fresh()))
            } else {
                _ = try domain.modify(
                    ItemModification(
                        id: item.id, baseVersion: item.version, contents: try fixture.contents("mine"),
                        operation: fresh()), .none)
            }
        }
        #expect(error?.code == .versionNoLongerAvailable)
        #expect(unread(domain).count == 1)
        let staging = try fixture.emptyStagingFile()
        for item in items {
            let stale = #expect(throws: DocumentError.self) {
                _ = try domain.provide(item.id, at: staging, contentVersion: item.version.content, .none)
            }
            #expect(stale?.code == .versionNoLongerAvailable)
        }
        for name in Self.names { #expect(try fixture.read(name) == "two") }
    }

    @Test("What was not read yet when the provider ended is read by the next one")
    func restarted() throws {
        var domain: FolderDomain? = try slowDomain()
        let items = try brought(try #require(domain))
        let anchor = try #require(domain).currentAnchor()
        for name in Self.names { try fixture.rewriteUnseen("two", name) }
        #expect(try updated(try #require(domain), since: anchor).count == 1)
        domain = nil
        let next = try slowDomain()
        _ = try next.currentAnchor()
        next.readUnsettled()
        #expect(Set(try updated(next, since: anchor).map(\.id)) == Set(items.map(\.id)))
    }

    @Test("What was moved, too, is told to be elsewhere at once, and is read there")
    func moved() throws {
        let domain = try slowDomain()
        let items = try brought(domain)
        let anchor = try domain.currentAnchor()
        for name in Self.names {
            try fixture.rewriteUnseen("two", name)
            try fixture.rename(name, to: name + "2")
        }
        let first = try updated(domain, since: anchor)
        #expect(Set(first.compactMap { $0.name?.rawValue }) == ["a2", "b2", "c2"])
        let versions = Set(items.map(\.version.content))
        #expect(first.count { !versions.contains($0.version.content) } == 1)
        domain.readUnsettled()
        let second = try updated(domain, since: anchor)
        #expect(Set(second.map(\.id)) == Set(items.map(\.id)))
        #expect(second.allSatisfy { !versions.contains($0.version.content) })
    }

    @Test("VER-10: a document that is found to be written by others while its new folder is looked at is not moved")
    func writtenBeforeMove() throws {
        let fixture = self.fixture
        try fixture.makeFolder("f")
        let asked = Mutex<Int?>(nil)
        var pace = FolderSettings.Pace()
        // It is asked before and after the file is read. As it is touched each time after that, each look reads it: one before the
        // move, three as it is begun, and, under the lock under which it is made, two before the one at the new folder.
        pace.now = {
            let count = asked.withLock { count in
                count = count.map { $0 + 1 }
                return count ?? 0
            }
            do {
                if count == 12 {
                    try fixture.rewriteUnseen("two", "a")
                } else if count > 0, count < 12, count.isMultiple(of: 2) {
                    try Touching.time.touch("a", fixture)
                }
            } catch {
                Issue.record(error)
            }
            return ContinuousClock.now
        }
        let domain = try fixture.domain(pace: pace)
        let items = try brought(domain)
        let item = try #require(items.first)
        let found = try domain.persistentIdentifier(forItemAt: "f")
        let folder = try #require(found)
        try Touching.time.touch("a", fixture)
        asked.withLock { $0 = 0 }
        let error = #expect(throws: DocumentError.self) {
            _ = try domain.modify(
                ItemModification(id: item.id, baseVersion: item.version, parentID: folder, operation: fresh()), .none)
        }
        #expect(error?.code == .versionNoLongerAvailable)
        #expect(asked.withLock { $0 } == 14)
        #expect(try fixture.read("a") == "two")
    }
}

/// Each time that it is asked it is a second later.
private final class SteppingClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    func now() -> ContinuousClock.Instant {
        time.withLock { time in
            time = time.advanced(by: .seconds(1))
            return time
        }
    }
}
