import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Writes in packages: what a tool leaves in one is what the package is (COORD-21).
struct PackageTests {
    private let storage: StorageFixture

    init() throws {
        storage = try StorageFixture()
        let parts = [
            try storage.item("t", "text.txt", in: "p", contents: "text"),
            try storage.item("i", "picture.png", in: "p", contents: "picture"),
            try storage.item("n", "note.txt", in: "q", contents: "note"),
        ]
        try storage.tell(
            storage.item("p", "p.rtfd", kind: .package), storage.item("q", "Notes", in: "p", kind: .folder), parts[0],
            parts[1], parts[2])
        for (part, text) in zip(parts, ["text", "picture", "note"]) { try storage.provide(part, text) }
    }

    private func path(_ place: String) throws -> String {
        storage.tree.path(of: try storage.location("p.rtfd/" + place)).string
    }

    private func write(_ text: String, _ place: String) throws { try storage.write(text, to: FilePath(path(place))) }

    private func remove(_ place: String) throws { try FileManager.default.removeItem(atPath: path(place)) }

    private func part(_ place: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location("p.rtfd/" + place)) }
    }

    private func edit(replacing: Bool = false, dropping: Bool = true, _ body: () throws -> Void) throws -> PackageEdits
    {
        let entry = try storage.store.expectEdits(of: ItemIdentifier("p"), in: storage.domain, replacing: replacing)
        try body()
        return try storage.store.recordEdits(entry, dropping: dropping)
    }

    private func journal() throws -> [JournalEntry] { try storage.index.read { try $0.journal() } }

    @Test("COORD-21: what is new in a package, changed and removed is recorded; what was not touched is left alone")
    func recorded() throws {
        let edits = try edit {
            try FileManager.default.createDirectory(atPath: path("New/Inner"), withIntermediateDirectories: true)
            try write("new", "New/Inner/new.txt")
            try write("other", "other.txt")
            try write("text, changed", "text.txt")
            try remove("picture.png")
        }
        #expect(edits.made.map(\.item.name?.rawValue) == ["New", "other.txt"])
        #expect(edits.made.filter(\.isArriving).count == 2)
        #expect(edits.changed.map(\.id.rawValue) == ["t"])
        #expect(edits.dropped.map(\.itemID?.rawValue) == ["i"])
        #expect(edits.dropped.first?.payload.base?.content == Array("1".utf8))
        #expect(edits.refused.isEmpty)
        #expect(try part("New/Inner/new.txt")?.state == .changed)
        #expect(try part("Notes/note.txt")?.state == .materialised)
        #expect(try part("picture.png") == nil)
        #expect(try journal() == edits.dropped)
        try storage.store.finishDropping(try #require(edits.dropped.first))
        #expect(try journal().isEmpty)
    }

    @Test("VER-15: a part of which nobody knows what its contents began from goes in the version that is known of it")
    func unknownBase() throws {
        let (item, location) = try storage.store.locate(ItemIdentifier("i"), in: storage.domain)
        let file = try #require(try storage.tree.file(at: location))
        try storage.store.adopt(item, file, at: location, version: [], isChanged: true)
        let edits = try edit { try remove("picture.png") }
        #expect(edits.dropped.map(\.itemID?.rawValue) == ["i"])
        #expect(edits.dropped.first?.payload.base?.content == Array("1".utf8))
    }

    @Test("VER-15: what is written in a package that the remote removes is kept, also where nothing of it was here")
    func removedMeanwhile() throws {
        try storage.tell(storage.item("e", "empty.rtfd", kind: .package))
        let empty = try storage.location("empty.rtfd/inner/new.txt")
        let entry = try storage.store.expectEdits(of: ItemIdentifier("e"), in: storage.domain)
        let folder = storage.tree.path(of: empty).removingLastComponent()
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
        try storage.write("new", to: storage.tree.path(of: empty))
        let work = try storage.index.write { try $0.delete([ItemIdentifier("e")], in: storage.domain) }.work
        let edits = try storage.store.recordEdits(entry, dropping: true)
        #expect(edits.made.map(\.item.name?.rawValue) == ["inner"])
        #expect(edits.dropped.isEmpty && edits.refused.isEmpty)
        for entry in work { try storage.store.perform(entry) }
        let kept = try #require(try storage.index.read { try $0.item(at: empty) })
        #expect(kept.state == .changed && kept.isArriving)
        #expect(try storage.document("empty.rtfd/inner/new.txt") == "new")
    }

    @Test("COORD-21, CONT-12: so it is where something of the package is not shown because of its name")
    func recordedBesideHidden() throws {
        try storage.tell(
            storage.item("h", "Text.txt", in: "p"), storage.item("g", "notes", in: "p", kind: .folder),
            storage.item("d", "deep.txt", in: "g"))
        #expect(try storage.indexed("h").state == .nameClash && storage.indexed("g").state == .nameClash)
        let edits = try edit {
            try FileManager.default.createDirectory(atPath: path("New"), withIntermediateDirectories: true)
            try write("new", "New/new.txt")
            try write("text, changed", "text.txt")
        }
        #expect(edits.made.map(\.item.name?.rawValue) == ["New"])
        #expect(edits.changed.map(\.id.rawValue) == ["t"])
        #expect(edits.dropped.isEmpty && edits.refused.isEmpty)
        #expect(try storage.indexed("h").state == .nameClash && storage.indexed("d").exists)
        #expect(try journal().isEmpty)
    }

    @Test("COORD-21: a write that wrote nothing records nothing, not even one that was to replace all of it")
    func nothing() throws {
        for replacing in [false, true] {
            let edits = try edit(replacing: replacing) {}
            #expect(edits.made.isEmpty && edits.changed.isEmpty && edits.dropped.isEmpty)
        }
        #expect(try journal().isEmpty)
        #expect(try part("text.txt")?.state == .materialised)
    }

    @Test("COORD-8: of a tool that has ended in the middle of a save nothing counts as removed")
    func broken() throws {
        let edits = try edit(dropping: false) {
            try remove("picture.png")
            try write("half", "half.txt")
        }
        #expect(edits.dropped.isEmpty)
        #expect(edits.made.count == 1)
        #expect(try part("picture.png") != nil)
    }

    @Test("A folder in a package goes when nothing that was in it is left, and after what was in it")
    func folders() throws {
        let edits = try edit { try remove("Notes") }
        #expect(edits.dropped.map(\.itemID?.rawValue) == ["n", "q"])
        #expect(try part("Notes") == nil)
    }

    @Test("A folder with a part whose contents are not here stays, whatever is on disk")
    func unknownContents() throws {
        try storage.tell(storage.item("m", "more.txt", in: "q", contents: "more"))
        let edits = try edit { try remove("Notes") }
        #expect(edits.dropped.map(\.itemID?.rawValue) == ["n"])
        #expect(try part("Notes/more.txt")?.state == .placeholder)
    }

    @Test("COORD-19, COORD-21: who replaces a package without reading it replaces the parts that are not here, too")
    func replaced() throws {
        try storage.tell(storage.item("m", "more.txt", in: "p", contents: "more"))
        let edits = try edit(replacing: true) {
            try remove("text.txt")
            try remove("picture.png")
            try remove("Notes")
            try write("all of it", "more.txt")
        }
        #expect(Set(edits.dropped.compactMap(\.itemID?.rawValue)) == ["t", "i", "n", "q"])
        #expect(edits.changed.map(\.id.rawValue) == ["m"])
        #expect(try part("more.txt")?.state == .changed)
        #expect(try part("more.txt")?.synced?.content == Array("1".utf8))
    }

    @Test("A part that was made and removed before it was sent leaves nothing, and nobody is told")
    func madeAndRemoved() throws {
        _ = try edit { try write("new", "new.txt") }
        let edits = try edit { try remove("new.txt") }
        #expect(edits.dropped.isEmpty && edits.made.isEmpty)
        #expect(try part("new.txt") == nil)
        #expect(try journal().isEmpty)
    }

    @Test("A document that has become a folder is removed, and the folder is new")
    func becameFolder() throws {
        let edits = try edit {
            try remove("text.txt")
            try FileManager.default.createDirectory(atPath: path("text.txt"), withIntermediateDirectories: false)
            try write("inside", "text.txt/a")
        }
        #expect(edits.dropped.map(\.itemID?.rawValue) == ["t"])
        #expect(edits.made.map(\.item.kind) == [.folder])
        #expect(try part("text.txt/a")?.state == .changed)
    }

    @Test("What cannot be an item is named, and all else is recorded")
    func refused() throws {
        let edits = try edit {
            try remove("text.txt")
            try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: "/etc/passwd")
            try write("new", "NEW.txt")
            try write("new", "new.txt")
            try write("clash", "PICTURE.png")
        }
        #expect(edits.made.count == 1)
        #expect(edits.refused.count == 3)
        #expect(try part("picture.png")?.state == .materialised)
        // It may be what was not sent.
        #expect(edits.dropped.isEmpty)
        #expect(try part("text.txt") != nil)
        #expect(edits.refused.contains { $0.message.contains("“link”") && $0.message.contains("is not sent") })
        #expect(try journal().isEmpty)
    }

    @Test(
        "Of a new folder with something in it that cannot be an item, all else is recorded, and nothing counts as removed"
    )
    func linkInNewFolder() throws {
        let edits = try edit {
            try FileManager.default.moveItem(atPath: path("Notes"), toPath: path("Moved"))
            try FileManager.default.createSymbolicLink(atPath: path("Moved/latest"), withDestinationPath: "note.txt")
        }
        #expect(edits.made.map(\.item.name?.rawValue) == ["Moved"])
        #expect(try part("Moved/note.txt")?.state == .changed)
        #expect(edits.refused.count == 1 && edits.dropped.isEmpty)
        #expect(try part("Notes/note.txt") != nil)
    }

    @Test("COORD-19: who replaces a package removes none of what came to it from the remote meanwhile")
    func replacedMeanwhile() throws {
        let edits = try edit(replacing: true) {
            try storage.tell(storage.item("m", "more.txt", in: "p", contents: "more"))
            try write("text, changed", "text.txt")
        }
        #expect(edits.dropped.isEmpty)
        #expect(try part("more.txt")?.state == .placeholder)
    }

    @Test(
        "VER-10: what was written under a name that the remote has given to something else meanwhile is no change of that, also when that is not here as the write begins",
        arguments: [false, true])
    func newOnBothSides(isToldBefore: Bool) throws {
        let more = try storage.item("m", "more.txt", in: "p", contents: "theirs")
        if isToldBefore { try storage.tell(more) }
        let edits = try edit {
            if !isToldBefore { try storage.tell(more) }
            try write("mine", "more.txt")
        }
        #expect(edits.changed.map(\.id.rawValue) == ["m"])
        let part = try #require(try part("more.txt"))
        #expect(part.state == .changed && part.synced?.content != part.item.version.content)
    }

    @Test("What was not there as the write began, as one that was evicted on a full disk, was not removed by who wrote")
    func missingBefore() throws {
        try remove("text.txt")
        let edits = try edit { try remove("picture.png") }
        #expect(edits.dropped.map(\.itemID?.rawValue) == ["i"])
        #expect(try part("text.txt") != nil)
    }

    @Test("A part that the remote has renamed while the package was written is found where its file still is")
    func renamedMeanwhile() throws {
        storage.store.follower.handOver { _ in }
        let edits = try edit {
            _ = try storage.store.apply(
                [storage.item("t", "renamed.txt", in: "p", contents: "text", version: "1")], in: storage.domain,
                leavingWork: true)
            try write("text, changed", "text.txt")
        }
        #expect(edits.changed.map(\.id.rawValue) == ["t"])
        #expect(edits.made.isEmpty && edits.dropped.isEmpty)
    }

    @Test("A part that its provider tells of again, before it has heard that it was removed, does not come back")
    func toldAgain() throws {
        let edits = try edit { try remove("picture.png") }
        try storage.tell(storage.item("i", "picture.png", in: "p", contents: "picture"))
        #expect(try part("picture.png") == nil)
        #expect(try storage.index.read { try $0.droppedItems(in: storage.domain) } == edits.dropped)
        try storage.store.finishDropping(try #require(edits.dropped.first))
        #expect(try part("picture.png") == nil)
    }

    @Test("What is flushed in a package that is being written is recorded at the end all the same")
    func flushed() throws {
        let edits = try edit {
            try write("new", "new.txt")
            try storage.store.flushEdits(try #require(journal().first))
        }
        #expect(edits.made.count == 1)
    }
}
