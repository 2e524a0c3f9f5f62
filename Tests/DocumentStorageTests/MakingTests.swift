import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Documents that tools write where nothing is yet (COORD-19, PICK-2).
struct MakingTests: MakingSuite {
    let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    @Test("COORD-19, PICK-2: what was written becomes an item with changes to be sent; nothing written, nothing made")
    func written() throws {
        let entry = try expect("new.txt")
        #expect(try item(at: "new.txt") == nil)
        try storage.write("text", to: path("new.txt"))
        let made = try #require(try takeIn(entry))
        #expect(made.state == .changed && made.isArriving && made.isUnsent && made.id == entry.itemID)
        #expect(try item(at: "new.txt") == made)
        #expect(try takeIn(try expect("other.txt")) == nil)
        #expect(try item(at: "other.txt") == nil)
        #expect(try journal() == [])
    }

    @Test("COORD-19: a place that is taken is refused, be it by another way to write the name, or by a stray file")
    func refused() throws {
        try storage.tell(storage.item("a", "a.txt", contents: "a"))
        #expect(throws: DocumentError.self) { try expect("a.txt") }
        let clash = #expect(throws: DocumentError.self) { try expect("A.TXT") }
        #expect(clash?.code == .nameClash)
        _ = try takeIn(try expect("b.txt"))
        try storage.write("stray", to: path("stray.txt"))
        let stray = #expect(throws: DocumentError.self) { try expect("stray.txt") }
        #expect(stray?.code == .destinationExists)
        #expect(try journal() == [])
    }

    @Test(
        "COORD-19: what waited for a new document's name gets it when a program removes that one before it was sent")
    func removedForAnother() throws {
        let other = try storage.item("o", "other.txt", contents: "theirs")
        try storage.tell(other)
        try storage.provide(other, "theirs")
        let entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        let made = try #require(try takeIn(entry))
        try storage.tell(storage.item("o", "new.txt", contents: "theirs"))
        #expect(try storage.indexed("o").wanted?.name.rawValue == "new.txt")
        #expect(unlink(try path("new.txt").string) == 0)
        #expect(throws: DocumentError.self) { try storage.store.recordChange(of: made.id, in: storage.domain) }
        #expect(try item(at: "new.txt")?.id.rawValue == "o")
        #expect(try storage.document("new.txt") == "theirs")
        #expect(try storage.document("other.txt") == nil)
    }

    @Test("COORD-19: a place that was taken meanwhile keeps its item; what was written is beside it")
    func taken() throws {
        let entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        try storage.tell(storage.item("n", "new.txt", contents: "theirs"), storage.item("o", "1 new.txt"))
        let made = try #require(try takeIn(entry))
        #expect(made.item.name?.rawValue == "2 new.txt")
        #expect(try storage.document("2 new.txt") == "ours")
        #expect(try storage.document("new.txt") == nil)
        #expect(try item(at: "new.txt")?.id.rawValue == "n")
    }

    @Test("COORD-19, INV-1: so it is when the item has contents here, and its file is still to come to the place")
    func takenByMoved() throws {
        let other = try storage.item("o", "other.txt", contents: "theirs")
        try storage.tell(other)
        try storage.provide(other, "theirs")
        let entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        // Somebody uses it: the tree follows later.
        let moved = try storage.item("o", "new.txt", contents: "theirs")
        _ = try storage.store.apply([moved], in: storage.domain, leavingWork: true)
        let made = try #require(try takeIn(entry))
        #expect(made.id == entry.itemID && made.item.name?.rawValue == "1 new.txt")
        #expect(try storage.document("1 new.txt") == "ours")
        for entry in try journal() { try storage.store.perform(entry) }
        #expect(try storage.document("new.txt") == "theirs")
        #expect(try item(at: "new.txt")?.id.rawValue == "o")
        #expect(try journal() == [])
    }

    @Test("COORD-19: a crash while it gets another name loses nothing")
    func crashBeside() throws {
        var entry = try expect("new.txt")
        try storage.write("ours", to: path("new.txt"))
        try storage.tell(storage.item("n", "new.txt", contents: "theirs"))
        // As takeIn does it, up to the file's new name.
        entry.payload.destination = try [ItemName("beside.txt")]
        _ = try storage.index.write { try $0.advance(entry, to: .makeExpected) }
        #expect(try storage.tree.rename(storage.location("new.txt"), to: ItemName("beside.txt")))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [])
        #expect(try item(at: "beside.txt")?.state == .changed)
        #expect(try storage.document("beside.txt") == "ours")
        #expect(try journal() == [])
    }

    @Test("COORD-19: what was written when the host died is taken in at its next start, beside what is there")
    func crash() throws {
        for name in ["one.txt", "two.txt", "three.txt"] { _ = try expect(name) }
        try storage.write("one", to: path("one.txt"))
        try storage.write("two", to: path("two.txt"))
        try storage.tell(storage.item("n", "two.txt", contents: "theirs"))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [])
        #expect(try item(at: "one.txt")?.state == .changed)
        #expect(try storage.document("two (2).txt") == "two")
        #expect(try item(at: "two (2).txt")?.isArriving == true)
        #expect(try item(at: "three.txt") == nil)
        #expect(try journal() == [])
    }

    @Test(
        "VER-15: what was written where the folders around it are gone by now comes with new ones, also after a crash",
        arguments: [false, true])
    func foldersAnew(dies: Bool) throws {
        let outer = try storage.item("f", "f", kind: .folder)
        try storage.tell(outer)
        try storage.tell(storage.item("g", "g", in: "f", kind: .folder))
        let entry = try expect("new.txt", in: ItemIdentifier("g"))
        let nothing = try expect("nothing.txt", in: ItemIdentifier("g"))
        try storage.write("ours", to: path("f/g/new.txt"))
        try storage.store.recordGone(outer.id, in: storage.domain)
        #expect(throws: DocumentError.self) { try storage.indexed("g") }
        if dies {
            try storage.reopen()
            #expect(try storage.store.reconcile().unknownFiles == [])
        } else {
            #expect(try takeIn(nothing) == nil)
            #expect(try item(at: "f") == nil)
            #expect(try takeIn(entry)?.state == .changed)
        }
        let made = try #require(try item(at: "f/g/new.txt"))
        #expect(made.state == .changed && made.isArriving)
        for folder in ["f", "f/g"] { #expect(try item(at: folder)?.isArriving == true) }
        #expect(try storage.document("f/g/new.txt") == "ours")
        #expect(try item(at: "f/g/nothing.txt") == nil)
        #expect(try journal() == [])
    }

    @Test("COORD-30: an item that was moved to the place inside of the access is that item, and no new one")
    func movedThere() throws {
        let doomed = try storage.item("a", "a.txt", contents: "moved")
        try storage.tell(doomed)
        try storage.provide(doomed, "moved")
        let entry = try expect("b.txt")
        let change = try storage.store.beginRenaming(
            doomed.id, in: storage.domain, to: .root, name: ItemName("b.txt"))
        _ = try storage.store.finish(change, as: storage.item("a", "b.txt", contents: "moved"))
        #expect(try takeIn(entry)?.id.rawValue == "a")
        #expect(try item(at: "b.txt")?.state == .materialised)
        #expect(try journal() == [])
    }
}
