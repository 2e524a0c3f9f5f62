import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// Folders that programs have moved or made on disk, with documents' files in them.
struct UnknownFolderTests {
    private let storage: StorageFixture
    private let folder: Item
    private let inner: Item
    private let document: Item

    /// “F/G/a.txt”, whose contents are here, and “P”, on disk.
    init() throws {
        storage = try StorageFixture()
        folder = try storage.item("f", "F", kind: .folder)
        inner = try storage.item("g", "G", in: "f", kind: .folder)
        document = try storage.item("a", "a.txt", in: "g", contents: "mine")
        try storage.tell(folder, inner, document, storage.item("p", "P", kind: .folder))
        try storage.provide(document, "mine")
        try storage.tree.makeFolder(at: storage.location("P"))
    }

    private func path(_ place: String) throws -> FilePath { storage.tree.path(of: try storage.location(place)) }

    private func makeFolder(_ place: String) throws { try #require(mkdir(path(place).string, 0o700) == 0) }

    private func rename(_ from: String, _ to: String) throws { try FileSystemMoves.rename(path(from), path(to)) }

    private func moved() throws -> MovedFile {
        let item = try storage.indexed("a")
        try #require(try storage.store.isFileMissing(item))
        return try #require(try storage.store.movedFiles(besides: item)[item.id] ?? nil)
    }

    private func unknown(_ place: String, in parent: String, formerly former: String?) throws -> UnknownFolder {
        UnknownFolder(
            location: try storage.location(place), parent: try ItemIdentifier(parent),
            former: try former.map { try ItemIdentifier($0) })
    }

    @Test(
        "DOWN-3: a folder that is gone from its place is where its documents' files are, called as it is by now",
        arguments: [
            ("F", "K", "K", "/", "f"), ("F", "P/K", "P/K", "p", "f"), ("F/G", "K", "K", "/", "g"),
            ("F/G", "F/K", "F/K", "f", "g"), ("F/G", "P/G", "P/G", "p", "g"),
        ])
    func movedFolders(_ from: String, _ to: String, _ place: String, _ parent: String, _ id: String) throws {
        try rename(from, to)
        let moved = try moved()
        #expect(moved.folder == nil)
        #expect(moved.unknownFolder == (try unknown(place, in: parent, formerly: id)))
    }

    @Test("DOWN-3: a folder that a program has made is none that was there, and comes before what is in it")
    func madeFolders() throws {
        try makeFolder("K")
        try rename("F/G/a.txt", "K/a.txt")
        #expect(try moved().unknownFolder == unknown("K", in: "/", formerly: nil))
        // “G” was moved into it as a whole.
        try rename("K/a.txt", "F/G/a.txt")
        try rename("F/G", "K/G")
        #expect(try moved().unknownFolder == unknown("K", in: "/", formerly: nil))
        try storage.tell(storage.item("k", "K", kind: .folder))
        #expect(try moved().unknownFolder == unknown("K/G", in: "k", formerly: "g"))
    }

    @Test("DOWN-3: a folder with others in it by other names is not what was around the file")
    func otherNames() throws {
        try rename("F", "K")
        try rename("K/G", "K/H")
        #expect(try moved().unknownFolder == unknown("K", in: "/", formerly: nil))
    }

    @Test("DOWN-3: a folder of the domain's by now is for the document to follow its file to")
    func knownFolder() throws {
        try rename("F/G/a.txt", "P/a.txt")
        let moved = try moved()
        #expect(moved.folder?.rawValue == "p" && moved.unknownFolder == nil)
    }

    @Test("DOWN-3: a folder at a document's place was another one all the same, so that it can go back")
    func atDocument() throws {
        try storage.tell(storage.item("k", "K", contents: "theirs"))
        try rename("F", "K")
        #expect(try moved().unknownFolder == unknown("K", in: "/", formerly: "f"))
    }

    @Test("DOWN-3: what the host itself has put aside is not taken for a program's folder, nor sent under that name")
    func putAside() throws {
        try rename("F", ".docent-moving-9")
        #expect(try moved().unknownFolder == nil)
    }

    @Test("DOWN-3, CONT-13: nothing is made where a rule keeps it here, nor in a package")
    func nowhere() throws {
        try storage.index.write {
            try $0.setIgnoreRules(IgnoreRules(patterns: [try IgnorePattern("K/")]), of: storage.domain)
        }
        try rename("F", "K")
        #expect(try moved().unknownFolder == nil)
        try rename("K", "F")
        try storage.tell(storage.item("b", "B.rtfd", kind: .package))
        try makeFolder("B.rtfd")
        try makeFolder("B.rtfd/K2")
        try rename("F/G/a.txt", "B.rtfd/K2/a.txt")
        #expect(try moved().unknownFolder == nil)
        try rename("B.rtfd/K2/a.txt", "F/G/a.txt")
        try storage.tell(storage.item("i", "Inner", in: "b", kind: .folder))
        try makeFolder("B.rtfd/Inner")
        try makeFolder("B.rtfd/Inner/K3")
        try rename("F/G/a.txt", "B.rtfd/Inner/K3/a.txt")
        #expect(try moved().unknownFolder == nil)
    }

    @Test(
        "DOWN-3: placeholders that the host puts where a folder was make it none that stayed; they go before it follows"
    )
    func placeholdersSince() throws {
        try storage.tell(storage.item("none", "none.txt", in: "f"))
        try rename("F", "K")
        try storage.tell(storage.item("none", "none.txt", in: "f", version: "2"))
        try #require(try storage.placeholder("F/none.txt") != nil)
        let folder = try #require(try moved().unknownFolder)
        #expect(try folder == unknown("K", in: "/", formerly: "f"))
        try storage.store.clearFormerPlace(of: folder)
        #expect(try storage.tree.inode(at: storage.location("F")) == nil)
        // What is no placeholder makes it one that stayed.
        try makeFolder("F")
        try storage.write("somebody's", to: path("F/x"))
        #expect(try moved().unknownFolder == unknown("K", in: "/", formerly: nil))
        try storage.store.clearFormerPlace(of: folder)
        #expect(try storage.document("F/x") == "somebody's")
    }

    @Test("DOWN-3: an empty folder that a program makes where one was that it has moved stays, and is another one")
    func emptySince() throws {
        try storage.tell(storage.item("none", "none.txt", in: "f"))
        try rename("F", "K")
        try makeFolder("F")
        let folder = try #require(try moved().unknownFolder)
        #expect(try folder == unknown("K", in: "/", formerly: nil))
        try storage.store.clearFormerPlace(of: try unknown("K", in: "/", formerly: "f"))
        #expect(try storage.tree.inode(at: storage.location("F")) != nil)
    }

    @Test("DOWN-3: of a folder from which all was moved to one that a program has made, only that has moved")
    func emptied() throws {
        try storage.tell(storage.item("none", "none.txt", in: "g"))
        try makeFolder("K")
        try rename("F/G/a.txt", "K/a.txt")
        #expect(try moved().unknownFolder == unknown("K", in: "/", formerly: nil))
    }

    /// “F/G/b.txt”, whose contents are here, too.
    private func provideSibling() throws -> Item {
        let sibling = try storage.item("b", "b.txt", in: "g", contents: "theirs")
        try storage.tell(sibling)
        try storage.provide(sibling, "theirs")
        return sibling
    }

    @Test(
        "DOWN-3, VER-10: what a program saves anew in a folder that it moved is the document's, also at the start",
        arguments: [true, false])
    func savedAnew(atStart: Bool) throws {
        _ = try provideSibling()
        try rename("F", "K")
        try storage.save("anew", to: path("K/G/a.txt"))
        if atStart {
            try storage.reopen()
            let report = try storage.store.reconcile()
            #expect(report.missing == 0 && report.changed == 1 && report.unknownFiles == [])
            #expect(Set(report.moved.map(\.id.rawValue)) == ["a", "b"])
        } else {
            let moved = try moved()
            #expect(moved.location == (try storage.location("K/G/a.txt")))
            #expect(try moved.unknownFolder == unknown("K", in: "/", formerly: "f"))
            try storage.store.recordEdit(of: storage.indexed("a"), in: moved)
        }
        #expect(try storage.indexed("a").state == .changed && storage.indexed("b").state == .materialised)
        #expect(try storage.indexed("a").local?.inode == storage.tree.inode(at: storage.location("K/G/a.txt")))
    }

    @Test(
        "DOWN-3: where a folder's documents were moved to several ones, none is taken to have been saved anew in one of them"
    )
    func scattered() throws {
        _ = try provideSibling()
        let third = try storage.item("c", "c.txt", in: "g", contents: "third")
        try storage.tell(third)
        try storage.provide(third, "third")
        for folder in ["Q", "R"] { try makeFolder(folder) }
        try rename("F/G/b.txt", "Q/b.txt")
        try rename("F/G/c.txt", "R/c.txt")
        try storage.save("somebody's", to: path("R/a.txt"))
        TemporaryFolder.remove(try path("F"))
        let found = try storage.store.movedFiles(besides: storage.indexed("a"))
        #expect(try #require(found[document.id]) == nil)
    }

    @Test("DOWN-3: what was removed in a folder that was moved has no file, whatever became of the folder")
    func removedInside() throws {
        let sibling = try provideSibling()
        try rename("F", "K")
        try #require(unlink(path("K/G/a.txt").string) == 0)
        let found = try storage.store.movedFiles(besides: storage.indexed("a"))
        #expect(try #require(found[document.id]) == nil)
        #expect(try #require(found[sibling.id] ?? nil).unknownFolder?.former?.rawValue == "f")
    }

    @Test("DOWN-3: what went along with a folder is where that is, also without a look through the whole domain")
    func within() throws {
        try rename("F", "K")
        let folder = try unknown("K", in: "/", formerly: "f")
        let item = try storage.indexed("a")
        #expect(try storage.store.movedFile(of: item, within: []) == nil)
        #expect(try storage.store.movedFile(of: item, within: [folder])?.location == storage.location("K/G/a.txt"))
        try #require(unlink(path("K/G/a.txt").string) == 0)
        #expect(try storage.store.movedFile(of: item, within: [folder]) == nil)
    }

    @Test(
        "DOWN-3: a file or a link in the place of a folder is nothing that the start fails of",
        arguments: [true, false])
    func replaced(byLink: Bool) throws {
        try storage.write("changed", to: path("F/G/a.txt"))
        try rename("F", "K")
        if byLink { try FileSystemMoves.link("K", path("F")) } else { try storage.write("a file", to: path("F")) }
        #expect(try storage.store.isFileMissing(storage.indexed("a")))
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.missing == 0 && report.moved.map(\.id) == [document.id])
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.document("K/G/a.txt") == "changed")
    }

    @Test("DOWN-3: a folder that goes back from a document's place leaves that its placeholder")
    func backFromDocument() throws {
        try storage.tell(storage.item("k", "K", contents: "theirs"))
        try rename("F", "K")
        #expect(try storage.store.putBack(try #require(try moved().unknownFolder)))
        #expect(try storage.placeholder("K") != nil && storage.document("F/G/a.txt") == "mine")
    }

    @Test("DOWN-3: a folder that cannot follow has its place back, unless something else has it")
    func back() throws {
        try rename("F", "K")
        let folder = try #require(try moved().unknownFolder)
        #expect(try storage.store.putBack(folder))
        #expect(try storage.document("F/G/a.txt") == "mine" && storage.tree.inode(at: storage.location("K")) == nil)
        #expect(try !storage.store.putBack(folder))
        try rename("F", "K")
        try makeFolder("F")
        try storage.write("somebody's", to: path("F/x"))
        #expect(try !storage.store.putBack(folder))
        #expect(try storage.document("K/G/a.txt") == "mine")
    }

    @Test("DOWN-3: what lies in an unknown folder at the start is its document's still, and a change of it is unsent")
    func atStart() throws {
        try storage.write("changed", to: path("F/G/a.txt"))
        try rename("F", "K")
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.missing == 0 && report.changed == 1 && report.unknownFiles == [])
        #expect(try report.moved.map(\.unknownFolder) == [unknown("K", in: "/", formerly: "f")])
        #expect(try storage.indexed("a").state == .changed)
    }
}
