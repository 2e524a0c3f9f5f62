import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// What tools write in the place of a document whose contents are not here (COORD-19).
struct ReplacedPlaceholderTests: MakingSuite {
    let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    @Test("COORD-19, COORD-21: what replaces a placeholder is its contents, changed since what the remote had")
    func replacedPlaceholder() throws {
        try storage.tell(storage.item("f", "f", kind: .folder), storage.item("a", "a.txt", in: "f", contents: "old"))
        let id = try ItemIdentifier("a")
        let entry = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
        try storage.write("ours", to: path("f/a.txt"))
        // What the remote has got meanwhile, the tool has not seen.
        try storage.tell(storage.item("a", "a.txt", in: "f", contents: "theirs", version: "2"))
        let made = try storage.store.recordChange(entry)
        #expect(made.state == .changed && made.synced?.content == Array("1".utf8))
        #expect(try storage.document("f/a.txt") == "ours")
        #expect(try journal() == [])
        let sending = try storage.store.beginSending(id, in: storage.domain)
        #expect(sending.base.content == Array("1".utf8))
        #expect(try storage.read(sending.snapshot.path) == "ours")
    }

    @Test("VER-7: what was changed and not sent is older contents when something takes its place, and is so once")
    func replacedUnsent() throws {
        let here = try storage.item("a", "a.txt", contents: "old")
        try storage.tell(here)
        try storage.provide(here, "old")
        let id = try ItemIdentifier("a")
        let edit = try storage.store.expectChange(of: id, in: storage.domain)
        try storage.save("precious", to: path("a.txt"))
        #expect(try storage.store.recordChange(edit).state == .changed)
        for contents in ["ours", "ours again"] {
            let given = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
            _ = try storage.store.recordChange(given)
            let entry = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
            try storage.save(contents, to: path("a.txt"))
            #expect(try storage.store.recordChange(entry).state == .changed)
        }
        let kept = try storage.index.read { try $0.keptVersions(of: id, in: storage.domain) }
        let contents = try kept.sorted { $0.number < $1.number }.map { version in
            let contents = try storage.read(storage.root.versions.path(of: version.kept)) ?? "nothing"
            return "\(version.role == .base ? "base" : "older"): \(contents)"
        }
        #expect(contents == ["base: old", "older: precious", "older: ours"])
    }

    @Test("COORD-19: a placeholder that is replaced with nothing stays one; what others write there is not its own")
    func replacedWithNothing() throws {
        try storage.tell(storage.item("a", "a.txt", contents: "old"))
        let id = try ItemIdentifier("a")
        let nothing = try storage.store.expectChange(of: id, in: storage.domain, replacing: true)
        #expect(try storage.store.recordChange(nothing).state == .placeholder)
        let plain = try storage.store.expectChange(of: id, in: storage.domain)
        try storage.write("stray", to: path("a.txt"))
        let refusal = #expect(throws: DocumentError.self) { try storage.store.recordChange(plain) }
        #expect(refusal?.code == .destinationExists)
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try journal() == [])
    }

    /// How the write comes to its end, of which the remote has removed the document meanwhile.
    enum Ending: CaseIterable {
        case recorded, unrecorded, crashed
    }

    /// A document that is not here is being written anew while the remote removes it, or the folder around it.
    private func beginReplacing(gone id: String) throws -> (entry: JournalEntry, work: [JournalEntry]) {
        try storage.tell(storage.item("f", "f", kind: .folder), storage.item("a", "a.txt", in: "f", contents: "old"))
        let entry = try storage.store.expectChange(of: ItemIdentifier("a"), in: storage.domain, replacing: true)
        let outcome = try storage.index.write { try $0.delete([ItemIdentifier(id)], in: storage.domain) }
        return (entry, outcome.work)
    }

    @Test(
        "VER-15, COORD-19: what is written in place of a document that is not here outlives its removal on the remote meanwhile, also after a crash",
        arguments: ["a", "f"], Ending.allCases)
    func replacedWhileRemoved(gone: String, ending: Ending) throws {
        let (entry, work) = try beginReplacing(gone: gone)
        try storage.write("ours", to: path("f/a.txt"))
        switch ending {
        case .recorded: #expect(try storage.store.recordChange(entry).state == .changed)
        case .unrecorded: break
        case .crashed:
            try storage.reopen()
            #expect(try storage.store.reconcile().unknownFiles == [])
        }
        // Done again it is no error.
        for entry in work { try storage.store.perform(entry) }
        let item = try storage.indexed("a")
        #expect(item.state == .changed && item.isGone == (gone == "a"))
        #expect(try storage.index.read { try $0.isGoneThere(item) })
        #expect(try storage.document("f/a.txt") == "ours")
        #expect(try journal() == [])
        // Whoever has written it ends after that, perhaps.
        #expect(try storage.store.recordChange(entry).state == .changed)
        #expect(try storage.document("f/a.txt") == "ours")
    }

    @Test(
        "VER-15, COORD-19: where nothing was written in place of a document that the remote has removed, it goes",
        arguments: ["a", "f"], [false, true])
    func notReplacedWhileRemoved(gone: String, hasDied: Bool) throws {
        let (entry, work) = try beginReplacing(gone: gone)
        // The provider says it once more.
        #expect(try storage.index.write { try $0.delete([ItemIdentifier(gone)], in: storage.domain) }.work == [])
        #expect(try item(at: "f/a.txt") != nil)
        if hasDied {
            try storage.reopen()
            _ = try storage.store.reconcile()
        } else {
            #expect(try storage.store.recordChange(entry).state == .placeholder)
            for entry in work { try storage.store.perform(entry) }
        }
        #expect(try item(at: "f/a.txt") == nil && (item(at: "f") == nil) == (gone == "f"))
        #expect(try storage.placeholder("f/a.txt") == nil)
        #expect(try journal() == [])
    }

    @Test(
        "COORD-19: what replaced a document when the host died is its contents after the next start, here before or not"
    )
    func replacedAndCrashed() throws {
        let here = try storage.item("h", "here.txt", contents: "here")
        try storage.tell(storage.item("a", "a.txt", contents: "old"), storage.item("b", "b.txt", contents: "old"), here)
        try storage.provide(here, "here")
        for id in ["a", "b", "h"] {
            _ = try storage.store.expectChange(of: ItemIdentifier(id), in: storage.domain, replacing: true)
        }
        try storage.write("ours", to: path("a.txt"))
        try storage.save("ours too", to: path("here.txt"))
        try storage.tell(storage.item("a", "a.txt", contents: "theirs", version: "2"))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [])
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.indexed("a").synced?.content == Array("1".utf8))
        #expect(try storage.document("a.txt") == "ours")
        #expect(try storage.indexed("b").state == .placeholder)
        #expect(try storage.indexed("h").state == .changed)
        #expect(try storage.document("here.txt") == "ours too")
        #expect(try journal() == [])
    }
}
