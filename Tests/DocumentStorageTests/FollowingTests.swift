import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// Renames at providers whose identifiers follow names, as paths do.
struct FollowingTests {
    private let storage: StorageFixture
    private let document: Item

    init() throws {
        storage = try StorageFixture()
        document = try storage.item("/a.txt", "a.txt", contents: "text")
        try storage.tell(document)
        try storage.provide(document, "text")
    }

    private func rename(_ id: String, _ name: String) throws -> Change {
        try storage.store.beginRenaming(
            ItemIdentifier(id), in: storage.domain, to: .root, name: ItemName(name))
    }

    @Test(
        "ID-4: a changed document that is renamed is the same one by its new identifier, with its change and what that began from",
        arguments: [false, true])
    func changed(isToldFirst: Bool) throws {
        try storage.edit("/a.txt", "changed")
        let bases = try storage.index.read { try $0.keptVersions(of: document.id, in: storage.domain) }.map(\.kept)
        let change = try rename("/a.txt", "b.txt")
        let there = try storage.item("/b.txt", "b.txt", contents: "text")
        // The feed may be quicker than the answer.
        if isToldFirst { try storage.tell(there) }
        let now = try storage.store.finish(change, as: there)
        #expect(now.id == there.id && now.state == .changed)
        #expect(try storage.document("b.txt") == "changed")
        #expect(try storage.document("a.txt") == nil && storage.placeholder("a.txt") == nil)
        #expect(try storage.index.read { try $0.item(document.id, in: storage.domain) } == nil)
        #expect(
            try storage.index.read { try $0.keptVersions(of: there.id, in: storage.domain) }.map(\.kept) == bases)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
        // It is sent as a change of what the provider has by that identifier, and nothing is left behind.
        let sending = try storage.store.beginSending(there.id, in: storage.domain)
        #expect(sending.base == there.version)
        #expect(try storage.read(sending.snapshot.path) == "changed")
        try storage.list(.root, there)
        #expect(try storage.document("b.txt") == "changed")
    }

    @Test("ID-4: a folder that is renamed has in it what it had, with its contents")
    func folder() throws {
        let folder = try storage.item("/f", "f", kind: .folder)
        let inner = try storage.item("/f/c.txt", "c.txt", in: "/f", contents: "inner")
        try storage.tell(folder, inner)
        try storage.provide(inner, "inner")
        try storage.edit("/f/c.txt", "changed")
        let change = try rename("/f", "g")
        let now = try storage.store.finish(change, as: storage.item("/g", "g", kind: .folder))
        #expect(now.id.rawValue == "/g")
        #expect(try storage.document("g/c.txt") == "changed")
        #expect(try storage.indexed("/g/c.txt").state == .changed)
    }

    @Test("Something else that has contents by that identifier stays what it is")
    func taken() throws {
        let other = try storage.item("/b.txt", "c.txt", contents: "other")
        try storage.tell(other)
        try storage.provide(other, "other")
        let change = try rename("/a.txt", "b.txt")
        _ = try storage.store.finish(change, as: storage.item("/b.txt", "b.txt", contents: "other"))
        #expect(try storage.document("a.txt") == "text")
        #expect(try storage.document("b.txt") == "other")
    }
}
