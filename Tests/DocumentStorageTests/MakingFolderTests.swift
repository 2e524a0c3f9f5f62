import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Folders that tools make where nothing is yet (COORD-19, COORD-21).
struct MakingFolderTests: MakingSuite {
    let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    private func makeFolder() throws {
        let inner = try path("new").appending("inner")
        try FileManager.default.createDirectory(atPath: inner.string, withIntermediateDirectories: true)
        try storage.write("one", to: path("new").appending("one.txt"))
        try storage.write("two", to: inner.appending("two.txt"))
    }

    @Test("COORD-19: a folder that was made there becomes one, with all that is in it", arguments: [false, true])
    func folder(hasDied: Bool) throws {
        let entry = try expect("new")
        try makeFolder()
        if hasDied {
            try storage.reopen()
            let report = try storage.store.reconcile()
            #expect(report.unknownFiles == [], "\(report)")
        } else {
            let made = try #require(try takeIn(entry))
            #expect(made.id == entry.itemID && made.item.kind == .folder)
        }
        #expect(try item(at: "new")?.isArriving == true)
        #expect(try item(at: "new/inner")?.item.kind == .folder)
        for (place, text) in [("new/one.txt", "one"), ("new/inner/two.txt", "two")] {
            #expect(try item(at: place)?.state == .changed)
            #expect(try storage.document(place) == text)
        }
        #expect(try journal() == [])
        // What is recorded is what lies there.
        let id = try #require(try item(at: "new/one.txt")).id
        #expect(try storage.store.recordChange(of: id, in: storage.domain).state == .changed)
    }

    @Test("COORD-21: a folder that was made there is a package where its name says so")
    func package() throws {
        let entry = try expect("new.rtfd")
        try FileManager.default.createDirectory(
            atPath: path("new.rtfd/Inner").string, withIntermediateDirectories: true)
        try storage.write("text", to: path("new.rtfd/Inner/text.txt"))
        #expect(try takeIn(entry)?.item.kind == .package)
        #expect(try item(at: "new.rtfd/Inner")?.item.kind == .folder)
    }

    @Test("COORD-19: a folder comes beside what has its place meanwhile; into another folder nothing is mixed")
    func folderBeside() throws {
        let (entry, other) = (try expect("new"), try expect("second"))
        try makeFolder()
        try storage.tell(storage.item("n", "new", contents: "theirs"))
        let made = try #require(try takeIn(entry))
        #expect(made.item.name?.rawValue == "1 new" && made.id == entry.itemID)
        #expect(try storage.document("1 new/inner/two.txt") == "two")
        try FileManager.default.createDirectory(
            atPath: path("second").string, withIntermediateDirectories: false)
        try storage.write("mine", to: path("second").appending("mine.txt"))
        try storage.tell(storage.item("s", "second", kind: .folder))
        let error = #expect(throws: DocumentError.self) { try takeIn(other) }
        #expect(error?.code == .destinationExists)
        #expect(try storage.read(path("second").appending("mine.txt")) == "mine")
    }

    @Test("COORD-19: what cannot be an item stays where it is, and is said again at each start")
    func notAnItem() throws {
        let entry = try expect("new")
        try makeFolder()
        try FileManager.default.createSymbolicLink(
            atPath: path("new").appending("link").string, withDestinationPath: "/etc/passwd")
        #expect(throws: DocumentError.self) { try takeIn(entry) }
        #expect(try item(at: "new") == nil)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.findings.contains { $0.contains("cannot be taken in") })
        #expect(try storage.read(path("new").appending("one.txt")) == "one")
    }
}
