import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Ignore rules as the index keeps them, and which items they are about.
struct IgnoringTests {
    private let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    private func choose(_ patterns: [String], defaults: Bool = true) throws {
        let rules = IgnoreRules(patterns: try patterns.map { try IgnorePattern($0) }, usesDefaults: defaults)
        try storage.index.write { try $0.setIgnoreRules(rules, of: storage.domain) }
    }

    private var rules: IgnoreRules {
        get throws { try storage.index.read { try $0.ignoreRules(of: storage.domain) } }
    }

    private func rule(of item: IndexedItem) throws -> String? {
        let marks = try storage.index.read { try $0.marks(of: item) }
        #expect((marks.ignoredBy != nil) == (marks.keeping == .excluded))
        return marks.ignoredBy?.text
    }

    /// As a tool makes one.
    private func make(_ name: String, in parent: ItemIdentifier = .root) throws -> IndexedItem {
        let entry = try storage.store.expectDocument(named: ItemName(name), in: parent, of: storage.domain)
        let place = try storage.index.read { try $0.location(of: parent, in: storage.domain) }
        try storage.write("text", to: storage.tree.path(of: try #require(place).appending(ItemName(name))))
        return try #require(try storage.store.takeIn(entry) { name, _, _ in name })
    }

    private func folder(_ name: String, in parent: ItemIdentifier = .root) throws -> IndexedItem {
        try storage.store.makeFolder(named: ItemName(name), in: parent, of: storage.domain)
    }

    @Test("CONT-13: rules keep their order over a restart, and go with their domain")
    func kept() throws {
        #expect(try rules == IgnoreRules())
        try choose(["z", "!a", "# why"], defaults: false)
        try storage.reopen()
        #expect(try rules.patterns.map(\.text) == ["z", "!a", "# why"])
        #expect(try !rules.usesDefaults)
        try choose(["b"])
        #expect(try rules == IgnoreRules(patterns: [try IgnorePattern("b")]))
        try storage.index.write { index in
            try index.removeDomain(storage.domain)
            try index.addDomain(
                DomainRecord(name: storage.domain, provider: try ProviderIdentifier("org.example.test")))
        }
        #expect(try rules == IgnoreRules())
    }

    @Test("CONT-13: an index of the version before has no rules but the built-in ones")
    func migrated() throws {
        try storage.tell(storage.item("a", "a.txt", contents: "a"))
        try storage.root.close()
        try DatabaseEdits.execute(
            DatabaseEdits.toVersion16
                + "DROP TABLE trash; DROP TABLE ignore_pattern; DROP TABLE left_place; PRAGMA user_version = 14",
            on: storage.rootPath.appending(".docent").appending("index.sqlite"))
        let root = try StorageRoot(at: storage.rootPath, logger: storage.logger)
        defer { try? root.close() }
        try root.index.write { index in
            #expect(try index.ignoreRules(of: storage.domain) == IgnoreRules())
            try index.setIgnoreRules(IgnoreRules(patterns: [try IgnorePattern("x")]), of: storage.domain)
        }
        #expect(try root.index.read { try $0.item(at: storage.location("a.txt")) } != nil)
    }

    @Test("CONT-13: a rule keeps here what was made here, and never what the remote has")
    func newOnly() throws {
        try choose(["*.tmp"])
        try storage.tell(storage.item("k", "known.tmp", contents: "old"))
        try storage.provide(try storage.item("k", "known.tmp"), "old")
        try storage.edit("k", "newer")
        #expect(try rule(of: storage.indexed("k")) == nil)
        let new = try make("new.tmp")
        #expect(try rule(of: new) == "*.tmp")
        #expect(try rule(of: make("new.txt")) == nil)
        #expect(try rule(of: make(".DS_Store")) == ".DS_Store")
        try choose([], defaults: false)
        #expect(try rule(of: new) == nil)
    }

    @Test("CONT-13: what is made anew in the place of something of the remote's, which left it, is sent")
    func placeOfRemote() throws {
        try choose(["*.tmp"])
        try storage.list(
            .root, storage.item("k", "saved.tmp", contents: "old"), storage.item("l", "removed.tmp", contents: "old"))
        _ = try #require(
            try storage.store.relocate(
                ItemIdentifier("k"), in: storage.domain, from: storage.location("saved.tmp"), to: .root,
                name: ItemName("saved.tmp~")))
        _ = try #require(try storage.store.drop(ItemIdentifier("l"), in: storage.domain, discardingEdits: false))
        #expect(try rule(of: make("saved.tmp")) == nil)
        #expect(try rule(of: make("removed.tmp")) == nil)
        #expect(try rule(of: make("new.tmp")) == "*.tmp")
        try storage.reopen()
        #expect(try rule(of: #require(storage.index.read { try $0.item(at: storage.location("saved.tmp")) })) == nil)
    }

    @Test("CONT-13: no rule tears a package: its parts go as the package goes")
    func packages() throws {
        try choose(["*.bak", "data/"])
        try storage.list(.root, storage.item("p", "Doc.pkg", kind: .package))
        try storage.list(ItemIdentifier("p"))
        #expect(try rule(of: make("new.bak", in: ItemIdentifier("p"))) == nil)
        let data = try folder("data", in: ItemIdentifier("p"))
        #expect(try rule(of: data) == nil)
        #expect(try rule(of: make("x", in: data.id)) == nil)
    }

    @Test("CONT-13: nothing of the remote's is hidden by what a rule keeps here: that is sent, and gives way")
    func hiding() throws {
        try choose(["*.tmp"])
        try storage.list(.root)
        let mine = try make("a.tmp")
        #expect(try rule(of: mine) == "*.tmp")
        try storage.tell(storage.item("r", "a.tmp", contents: "theirs"))
        #expect(try storage.indexed("r").state == .nameClash)
        #expect(try rule(of: mine) == nil)
    }

    @Test("CONT-13: what is in a folder that is ignored stays here with it, by its new place when it moves")
    func folders() throws {
        try choose(["build/"])
        let build = try folder("build")
        let inner = try folder("inner", in: build.id)
        let document = try make("a.txt", in: inner.id)
        for item in [build, inner, document] { #expect(try rule(of: item) == "build/") }
        let moved = try storage.store.moveArriving(document, to: .root, name: ItemName("a.txt"))
        #expect(try rule(of: moved) == nil)
    }

    @Test("CONT-13: a folder that something of the remote's was moved into is sent, whatever it is called")
    func neededFolder() throws {
        try choose(["build/"])
        try storage.list(.root, storage.item("k", "known.txt", contents: "k"))
        let (build, own) = (try folder("build"), try IgnorePattern("build/"))
        let beside = try make("beside.txt", in: build.id)
        #expect(try rule(of: build) == own.text)
        _ = try #require(
            try storage.store.relocate(
                ItemIdentifier("k"), in: storage.domain, from: storage.location("known.txt"), to: build.id,
                name: ItemName("known.txt")))
        #expect(try rule(of: build) == nil)
        #expect(try rule(of: beside) == own.text)
    }

    @Test("CONT-13: what is ignored outlives the removal of the folder around it on the remote, and a restart")
    func folderGone() throws {
        try storage.tell(storage.item("f", "F", kind: .folder), storage.item("a", "a.txt", in: "f", contents: "a"))
        let scratch = try make(".DS_Store", in: ItemIdentifier("f"))
        let outcome = try storage.index.write { try $0.delete([ItemIdentifier("f")], in: storage.domain) }
        for entry in outcome.work { try storage.store.perform(entry) }
        #expect(try storage.document("F/.DS_Store") == "text")
        try storage.reopen()
        _ = try storage.store.reconcile()
        #expect(try storage.document("F/.DS_Store") == "text")
        #expect(try rule(of: storage.indexed(scratch.id.rawValue)) == ".DS_Store")
    }
}
