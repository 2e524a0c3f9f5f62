import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Local documents and folders become items before their provider knows of them (CONT-7, CONT-8).
struct ArrivalTests {
    private let storage: StorageFixture
    private var outside: FilePath { storage.folder.appending("outside") }

    init() throws {
        storage = try StorageFixture()
        try FileManager.default.createDirectory(atPath: outside.string, withIntermediateDirectories: false)
    }

    private func fill(_ files: [String: String]) throws {
        for (path, text) in files {
            let file = outside.appending(FilePath(path).components)
            try FileManager.default.createDirectory(
                atPath: file.removingLastComponent().string, withIntermediateDirectories: true)
            try storage.write(text, to: file)
        }
    }

    @discardableResult
    private func moveIn(_ source: FilePath, making missing: [String] = [], as name: String) throws -> IndexedItem {
        let store = storage.store
        return try store.finish(
            store.beginArrival(
                of: source, to: .root, making: missing.map { try ItemName($0) }, name: ItemName(name),
                in: storage.domain))
    }

    private func item(at path: String) throws -> IndexedItem? {
        try storage.index.read { try $0.item(at: storage.location(path)) }
    }

    @Test("CONT-7: a document is an item with changes to be sent, and gone from its old place")
    func document() throws {
        try fill(["report.txt": "whole"])
        let item = try moveIn(outside.appending("report.txt"), as: "q3.txt")
        #expect(item.state == .changed && item.isArriving && item.isUnsent)
        #expect(item.synced == item.item.version)
        #expect(try storage.document("q3.txt") == "whole")
        #expect(try storage.read(outside.appending("report.txt")) == nil)
        #expect(try storage.index.read { try $0.journal() } == [])
        #expect(try storage.index.read { try $0.counts(of: storage.domain).documents } == 1)
    }

    @Test("CONT-7: a folder comes with all that is in it, empty folders too, and folders on the way are made")
    func folder() throws {
        try fill(["notes/a.txt": "a", "notes/deep/er/b.txt": "b"])
        try FileManager.default.createDirectory(
            atPath: outside.appending("notes").appending("empty").string, withIntermediateDirectories: false)
        let notes = try moveIn(outside.appending("notes"), making: ["Reports", "2026"], as: "Notes")
        #expect(notes.item.kind == .folder && notes.isArriving)
        #expect(try storage.document("Reports/2026/Notes/a.txt") == "a")
        #expect(try storage.document("Reports/2026/Notes/deep/er/b.txt") == "b")
        for path in ["Reports", "Reports/2026", "Reports/2026/Notes/empty", "Reports/2026/Notes/deep/er"] {
            #expect(try item(at: path)?.item.kind == .folder, "\(path)")
        }
        #expect(try !FileManager.default.contentsOfDirectory(atPath: outside.string).contains("notes"))
        // From the outside in: so they are made.
        let names = try storage.index.read { try $0.arrivingFolders(of: nil) }.compactMap(\.item.name?.rawValue)
        #expect(names == ["Reports", "2026", "Notes", "deep", "er", "empty"])
    }

    @Test("CONT-8: what has the name already, here or on disk, is an error, and nothing is moved")
    func taken() throws {
        try storage.tell(storage.item("a", "Taken.txt", contents: "theirs"))
        try fill(["new.txt": "mine"])
        for (name, code) in [("Taken.txt", DocumentError.Code.destinationExists), ("taken.TXT", .nameClash)] {
            #expect { try moveIn(outside.appending("new.txt"), as: name) } throws: {
                ($0 as? DocumentError)?.code == code
            }
        }
        try storage.write("nobody's", to: storage.tree.path(of: storage.location("stray.txt")))
        #expect { try moveIn(outside.appending("new.txt"), as: "stray.txt") } throws: {
            ($0 as? DocumentError)?.code == .destinationExists
        }
        #expect(try storage.document("stray.txt") == "nobody's")
        #expect(try storage.read(outside.appending("new.txt")) == "mine")
        #expect(try storage.index.read { try $0.journal() } == [])
        #expect(try storage.store.root.staging.sweep() == 0, "what was copied is left in staging")
    }

    @Test(
        "CONT-8, INV-1: when the name is taken at the last moment it is gone from there again, unless somebody has written to it",
        arguments: [false, true])
    func takenMeanwhile(isEdited: Bool) throws {
        try fill(["new.txt": "mine"])
        let (plain, domain) = (storage.store, storage.domain)
        let path = storage.tree.path(of: try storage.location("new.txt"))
        let quicker = try storage.item("n", "new.txt", contents: "theirs")
        storage.observe(
            Meanwhile(at: .arrivePublished) {
                if isEdited { try TemporaryFile.write("mine, and more", to: path) }
                _ = try plain.apply([quicker], in: domain)
            })
        #expect { try moveIn(outside.appending("new.txt"), as: "new.txt") } throws: {
            ($0 as? DocumentError)?.code == .destinationExists
        }
        #expect(try storage.document("new.txt") == (isEdited ? "mine, and more" : nil))
        #expect(try storage.read(outside.appending("new.txt")) == "mine")
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    @Test(
        "CONT-8, INV-1: a folder whose name is taken at the last moment is gone from there again, but for what somebody has saved in it",
        arguments: [nil, "f/deep/a.txt", "f/deep/new.txt", "f/new.txt"])
    func folderTakenMeanwhile(saved: String?) throws {
        try fill(["f/deep/a.txt": "a", "f/b.txt": "b"])
        let (plain, domain) = (storage.store, storage.domain)
        let path = try saved.map { storage.tree.path(of: try storage.location($0)) }
        let quicker = try storage.item("n", "f", contents: "theirs")
        storage.observe(
            Meanwhile(at: .arrivePublished) {
                if let path { try TemporaryFile.write("saved since", to: path) }
                _ = try plain.apply([quicker], in: domain)
            })
        #expect { try moveIn(outside.appending("f"), as: "f") } throws: {
            ($0 as? DocumentError)?.code == .destinationExists
        }
        for file in ["f/deep/a.txt", "f/deep/new.txt", "f/new.txt", "f/b.txt"] {
            #expect(try storage.document(file) == (file == saved ? "saved since" : nil), "\(file)")
        }
        if saved == nil { #expect(try storage.tree.inode(at: storage.location("f")) == nil) }
        #expect(try storage.read(outside.appending("f/deep/a.txt")) == "a")
        #expect(try storage.read(outside.appending("f/b.txt")) == "b")
        #expect(try storage.index.read { try $0.journal() } == [])
        #expect(try storage.store.root.staging.sweep() == 0)
    }

    @Test(
        "CONT-8: what cannot be an item refuses the whole folder, with its name",
        arguments: ["link", "clash", "reserved", "control"])
    func unfit(what: String) throws {
        try fill(["f/a.txt": "a"])
        let folder = outside.appending("f")
        switch what {
        case "link": symlink("/etc/passwd", folder.appending("link").string)
        case "clash": try fill(["f/A.TXT": "A"])
        case "reserved": try fill(["f/.docent-placeholders/x": "x"])
        default: try fill(["f/a\u{7}b": "x"])
        }
        #expect { try moveIn(folder, as: "f") } throws: { error in
            let error = error as? DocumentError
            return error?.code == (what == "clash" ? .nameClash : .invalidArgument)
                && error?.message.contains("Nothing was moved.") == true
        }
        #expect(try storage.read(folder.appending("a.txt")) == "a")
        #expect(try item(at: "f") == nil)
        #expect(try storage.store.root.staging.sweep() == 0)
    }

    @Test("CONT-8: what is in the storage root already, or around it, does not come in again")
    func inside() throws {
        try storage.tell(storage.item("a", "a.txt", contents: "here"))
        try storage.provide(storage.item("a", "a.txt", contents: "here"), "here")
        for source in [storage.tree.path(of: try storage.location("a.txt")), storage.rootPath, storage.folder] {
            #expect { try moveIn(source, as: "b.txt") } throws: { ($0 as? DocumentError)?.code == .invalidArgument }
        }
        #expect(try storage.document("a.txt") == "here")
    }

    @Test("CONT-7: what is changed or added at the source while it is moved stays there, and the item says so")
    func changedMeanwhile() throws {
        try fill(["f/a.txt": "a", "f/b.txt": "b"])
        let store = storage.store
        let arrival = try store.beginArrival(
            of: outside.appending("f"), to: .root, name: ItemName("f"), in: storage.domain)
        try fill(["f/b.txt": "changed", "f/c.txt": "new"])
        let item = try store.finish(arrival)
        #expect(try storage.document("f/b.txt") == "b")
        #expect(try storage.read(outside.appending("f").appending("a.txt")) == nil)
        #expect(try storage.read(outside.appending("f").appending("b.txt")) == "changed")
        #expect(try storage.read(outside.appending("f").appending("c.txt")) == "new")
        let problem = try storage.index.read { try $0.item(item.id, in: storage.domain) }?.problem
        #expect(problem?.code == .unsyncedEdits)
    }

    @Test(
        "COORD-21: a folder that was made here is the package that its provider says it is, whatever was put into it by then"
    )
    func package() throws {
        let made = try storage.store.makeFolder(named: ItemName("p.rtfd"), in: .root, of: storage.domain)
        let (part, change) = try storage.store.makeDocument(named: ItemName("a"), in: made.id, of: storage.domain)
        _ = try storage.store.recordChange(change)
        let before = try storage.index.read { try $0.counts(of: storage.domain) }
        var told = try storage.item("p", "p.rtfd", kind: .package)
        told.contentType = ContentType(kind: .package, pathExtension: "rtfd")
        try storage.store.revive(made.id, as: told, in: storage.domain)
        let package = try #require(try item(at: "p.rtfd"))
        #expect(package.id == told.id && package.item.kind == .package)
        #expect(try item(at: "p.rtfd/a")?.id == part.id)
        let after = try storage.index.read { try $0.counts(of: storage.domain) }
        #expect(after.documents == before.documents + 1 && after.folders == before.folders - 1)
        // A name on the remote may make it one, or a folder again.
        told.kind = .folder
        told.name = try ItemName("p")
        try storage.tell(told)
        #expect(try item(at: "p")?.item.kind == .folder)
    }

    @Test("CONT-7: a listing by the provider, which does not know it yet, does not remove it")
    func listed() throws {
        try fill(["a.txt": "a"])
        let item = try moveIn(outside.appending("a.txt"), as: "a.txt")
        let generation = try storage.index.write { try $0.beginListing(of: .root, in: storage.domain) }
        _ = try storage.store.apply(
            ItemPage(items: []), of: .root, in: storage.domain, generation: generation)
        #expect(try storage.index.read { try $0.item(item.id, in: storage.domain) }?.state == .changed)
        #expect(try storage.document("a.txt") == "a")
    }

    @Test(
        "CONT-7, RS-8: a listing that was answered before its provider had made it does not remove it, nor is anybody asked"
    )
    func listedBefore() throws {
        try fill(["a.txt": "a"])
        let item = try moveIn(outside.appending("a.txt"), as: "a.txt")
        let generation = try storage.index.write { try $0.beginListing(of: .root, in: storage.domain) }
        // Its first half: the provider's identifier is known, and nothing else of what it has answered.
        _ = try storage.index.write { try $0.rename(item.id, to: ItemIdentifier("made"), in: storage.domain) }
        _ = try storage.store.apply(
            ItemPage(items: []), of: .root, in: storage.domain, generation: generation, holding: true)
        #expect(try storage.index.read { try $0.heldRemovals(of: .told, in: storage.domain) }.isEmpty)
        #expect(try storage.document("a.txt") == "a")
    }

    @Test("CONT-13: what its provider does not know yet is not among what is to go")
    func notHeld() throws {
        try fill(["a.txt": "a"])
        let item = try moveIn(outside.appending("a.txt"), as: "a.txt")
        let generation = try storage.index.write { try $0.beginListing(of: .root, in: storage.domain) }
        _ = try storage.store.apply(
            ItemPage(items: []), of: .root, in: storage.domain, generation: generation, holding: true)
        #expect(try storage.index.read { try $0.heldRemovals(of: .told, in: storage.domain) }.isEmpty)
        _ = try storage.index.write { try $0.rename(item.id, to: ItemIdentifier("made"), in: storage.domain) }
        _ = try storage.store.settleHeldRemovals(of: storage.domain) { _, _ in .carryOut }
        #expect(try storage.document("a.txt") == "a")
    }

    @Test(
        "ID-1: whoever knows it by its first identifier finds it under its provider's; no provider may use such a one")
    func identifier() throws {
        try fill(["a.txt": "a"])
        let arrived = try moveIn(outside.appending("a.txt"), as: "a.txt")
        let expected = try storage.store.expectChange(of: arrived.id, in: storage.domain)
        let sending = try storage.store.beginSending(arrived.id, in: storage.domain)
        let sent = try storage.store.finish(sending, asNew: storage.item("p", "a.txt", contents: "a"))
        #expect(sent.id == (try ItemIdentifier("p")) && sent.state == .materialised)
        #expect(try storage.index.read { try $0.item(arrived.id, in: storage.domain) } == sent)
        // A write that began before ends as one of the same item.
        try storage.write("edited", to: storage.tree.path(of: storage.location("a.txt")))
        let edited = try storage.store.recordChange(expected)
        #expect(edited.id == sent.id && edited.state == .changed)

        let outcome = try storage.tell(storage.item("docent-arriving:1", "x.txt", contents: "x"))
        #expect(outcome.rejected.first?.error.code == .contractBroken)
    }
}
