import DocumentModel
import DocumentStorage
import DocumentTestSupport
import FileCoordination
import Synchronization
import Testing

@testable import DocumentHost

/// Which bookmarks are opened, and for whom.
@Suite struct BookmarkDeskTests {
    private final class Clock: Sendable {
        private let time = Mutex<Int64>(1_000)

        var now: Int64 {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }

    private func withDesk(_ body: (BookmarkDesk, Clock, StorageFixture) async throws -> Void) async throws {
        let fixture = try StorageFixture()
        let storage = StorageThreads(store: fixture.store, threads: 1)
        defer { storage.shutdown() }
        let clock = Clock()
        try await body(BookmarkDesk(storage: storage, clock: { clock.now }), clock, fixture)
    }

    private func record(
        _ fixture: StorageFixture, number: UInt64 = 1, tool: ToolIdentifier? = nil, document: String? = nil,
        expires: Int64? = nil
    ) throws -> BookmarkRecord {
        BookmarkRecord(
            id: BookmarkIdentifier(rawValue: number), domain: fixture.domain, item: try ItemIdentifier("a"),
            madeAt: try fixture.location("a"), rights: .readWrite, tool: tool,
            document: try document.map { BookmarkToken.Document(domain: fixture.domain, item: try ItemIdentifier($0)) },
            documentAt: try document.map { try fixture.location($0) }, created: 1_000, expires: expires)
    }

    private func refused(_ body: () async throws -> some Any) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            guard let error = error as? DocumentError, error.code == .notPermitted else {
                return "another error: \(error)"
            }
            return error.message
        }
    }

    @Test("BOOK-5: a bookmark opens for the tool that it is bound to, and for no other")
    func client() async throws {
        try await withDesk { desk, _, fixture async throws in
            let editor = try ToolIdentifier("org.example.editor")
            let own = try record(fixture, number: 1), others = try record(fixture, number: 2, tool: editor)
            let (mine, its) = (try await desk.make(own), try await desk.make(others))
            #expect(try await desk.record(of: mine, for: nil, document: nil) == own)
            #expect(try await desk.record(of: its, for: editor, document: nil) == others)
            #expect(
                await refused { try await desk.record(of: mine, for: editor, document: nil) }
                    == "The bookmark 0000000000000001 is bound to the user's own programs, and was used by another one: ask for one of your own."
            )
            #expect(
                await refused { try await desk.record(of: its, for: nil, document: nil) }?.contains(
                    "bound to the tool org.example.editor") == true)
        }
    }

    @Test("BOOK-3: a document-scoped bookmark opens only together with its document, for whichever tool")
    func document() async throws {
        try await withDesk { desk, _, fixture async throws in
            try fixture.tell(fixture.item("letter", "letter.txt"), fixture.item("other", "other.txt"))
            let bound = try record(fixture, document: "letter")
            let bookmark = try await desk.make(bound)
            for tool in [nil, try ToolIdentifier("org.example.editor")] {
                #expect(
                    try await desk.record(of: bookmark, for: tool, document: fixture.indexed("letter")) == bound)
                for wrong in [nil, try fixture.indexed("other")] {
                    #expect(
                        await refused { try await desk.record(of: bookmark, for: tool, document: wrong) }?.contains(
                            "bound to a document") == true)
                }
            }
        }
    }

    @Test("BOOK-5: an expired bookmark gives nothing, and is forgotten when the next one is made")
    func expiry() async throws {
        try await withDesk { desk, clock, fixture async throws in
            let bookmark = try await desk.make(record(fixture, expires: 1_100))
            clock.now = 1_099
            _ = try await desk.record(of: bookmark, for: nil, document: nil)
            clock.now = 1_100
            #expect(
                await refused { try await desk.record(of: bookmark, for: nil, document: nil) }?.contains("has expired")
                    == true)
            _ = try await desk.make(record(fixture, number: 2))
            #expect(try fixture.index.read { try $0.bookmarks().map(\.id.rawValue) } == [2])
        }
    }

    @Test("BOOK-5: a revoked bookmark gives nothing, whatever its seal says")
    func revoking() async throws {
        try await withDesk { desk, _, fixture async throws in
            let record = try record(fixture)
            let bookmark = try await desk.make(record)
            try await desk.revoke(record.id)
            #expect(
                await refused { try await desk.record(of: bookmark, for: nil, document: nil) }?.contains("was revoked")
                    == true)
            let error = await #expect(throws: DocumentError.self) { try await desk.revoke(record.id) }
            #expect(error?.code == .noSuchItem)
        }
    }

    @Test("BOOK-5: one that is revoked between its look-up and its start gives no access, nor do earlier starts of it")
    func revokedMeanwhile() async throws {
        try await withDesk { desk, _, fixture async throws in
            let tool = ClaimOwner(id: 1, name: "A tool"), other = ClaimOwner(id: 2, name: "Another tool")
            let record = try record(fixture)
            let bookmark = try await desk.make(record)
            try desk.start(record, by: other)
            try desk.start(record, by: tool)
            let found = try await desk.record(of: bookmark, for: nil, document: nil)
            #expect(desk.scopes(of: tool).count == 1)
            try await desk.revoke(record.id)
            #expect(await refused { try desk.start(found, by: tool) }?.contains("was revoked") == true)
            #expect(desk.scopes(of: tool).isEmpty && desk.scopes(of: other).isEmpty)
            // What was granted before is still to be stopped; what was refused is not.
            try desk.stop(record.id, by: tool)
            #expect(throws: DocumentError.self) { try desk.stop(record.id, by: tool) }
        }
    }

    @Test("BOOK-5: what was made because of a revoked bookmark, through however many others, is revoked with it")
    func revokedThroughOthers() async throws {
        try await withDesk { desk, _, fixture async throws in
            let tool = ClaimOwner(id: 1, name: "A tool")
            var records: [BookmarkRecord] = []
            for number in 1...4 as ClosedRange<UInt64> {
                var next = try record(fixture, number: number)
                if let last = records.last {
                    try desk.start(last, by: tool)
                    next.origin = desk.scope(last.id, of: tool)?.origin
                    #expect(next.origin == last.id)
                }
                _ = try await desk.make(next)
                records.append(next)
            }
            try desk.start(records[3], by: tool)
            try await desk.revoke(records[1].id)
            #expect(desk.scopes(of: tool).map(\.origin) == [records[0].id])
            for record in records[1...] {
                #expect(await refused { try desk.start(record, by: tool) }?.contains("was revoked") == true)
            }
        }
    }

    @Test("BOOK-1: a bookmark follows an item that got another identifier at its provider")
    func renamed() async throws {
        try await withDesk { desk, _, fixture async throws in
            let item = try fixture.item("a", "a.txt", contents: "one")
            try fixture.tell(item)
            try fixture.provide(item, "one")
            let bookmark = try await desk.make(record(fixture))
            try fixture.edit("a", "two")
            let sending = try fixture.store.beginSending(item.id, in: fixture.domain)
            // What happens when the item was deleted at the provider meanwhile: the edit survives as a new one.
            _ = try fixture.store.finish(sending, asNew: fixture.item("b", "a.txt", contents: "two", version: "2"))
            #expect(try await desk.record(of: bookmark, for: nil, document: nil).item.rawValue == "b")
        }
    }
}
