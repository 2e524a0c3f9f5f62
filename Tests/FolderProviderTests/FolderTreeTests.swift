import DocumentModel
import Testing

@testable import FolderProvider

@Suite("The tree of items")
struct FolderTreeTests {
    @Test("ID-1, ID-9: identifiers are 13 letters and digits, and their text is one to one with the number")
    func identifiers() throws {
        for number in [1, 2, 31, 32, UInt64(1) << 63, .max, .max - 1, 0x0123_4567_89AB_CDEF] {
            let id = RecordID(number: number)
            #expect(RecordID(try id.identifier) == id)
            #expect(try id.identifier.rawValue.utf8.count == 13)
        }
        #expect(try RecordID.root.identifier == .root)
        for text in [
            "g000000000001", "zzzzzzzzzzzzz", "0000000000000", "000000000000i", "00000000000001", "ä00000000000",
        ] {
            #expect(RecordID(try ItemIdentifier(text)) == nil)
        }
    }

    @Test("A backup is told from its name")
    func backupNames() throws {
        let name = EntryName(try ItemName("a.txt"))
        for backup in ["a.txt~", "a.txt.bak", "a.txt.orig", "a.txt.~12~", ".a.txt.old"] {
            #expect(BackupName.isBackup(EntryName(try ItemName(backup)), of: name))
        }
        for other in ["a.txt", "b.txt~", "a.txt2", "a.txt.~x~", "a.txt.~~", "a.bak", "~a.txt", ".a.txt"] {
            #expect(!BackupName.isBackup(EntryName(try ItemName(other)), of: name))
        }
    }

    @Test("Nothing counts as gone before the batch has ended, and what turns up elsewhere is not gone")
    func displacedUntilBuried() throws {
        var world = TreeWorld()
        let a = world.add("a", 10)
        world.tree.miss(world.place("a"))
        #expect(world.tree.records[a] != nil)
        #expect(world.tree.record(at: world.place("a")) == nil)
        _ = world.tree.see(world.facts(10), at: world.place("b"))
        _ = world.tree.place()
        world.tree.bury()
        #expect(world.tree.record(at: world.place("b"))?.id == a)
    }

    @Test("A file that comes back after it was gone has its identifier back")
    func resurrection() throws {
        var world = TreeWorld()
        let a = world.add("a", 10)
        world.tree.miss(world.place("a"))
        world.tree.bury()
        #expect(world.tree.records[a] == nil)
        #expect(world.add("elsewhere", 10) == a)
        #expect(world.add("other", 11) != a)
    }

    @Test("Without birth times a moved document is the same only when its size and time are too")
    func withoutBirthTimes() throws {
        var world = TreeWorld(hasBirth: false)
        let (a, b) = (world.add("a", 10), world.add("b", 11))
        world.tree.miss(world.place("a"))
        world.tree.miss(world.place("b"))
        var recycled = world.facts(11)
        recycled.modified = Timestamp(seconds: 99)
        _ = world.tree.see(world.facts(10), at: world.place("a moved"))
        _ = world.tree.see(recycled, at: world.place("new"))
        _ = world.tree.place()
        world.tree.bury()
        #expect(world.tree.record(at: world.place("a moved"))?.id == a)
        #expect(world.tree.record(at: world.place("new"))?.id != b)
        #expect(world.tree.records[b] == nil)
    }

    @Test("A folder that is gone takes everything in it with it, each told in the feed")
    func buriedFolder() throws {
        var world = TreeWorld()
        let folder = world.add("f", 20, isFolder: true)
        let inner = world.add("g", 21, isFolder: true, in: folder)
        let document = world.add("d", 22, in: inner)
        let point = world.tree.log.last
        world.tree.miss(world.place("f"))
        world.tree.bury()
        let page = try #require(world.tree.log.page(after: point, limit: 10))
        #expect(Set(page.entries.map(\.id)) == [folder, inner, document])
        #expect(world.tree.records.count == 1)
    }

    @Test("What is remembered makes the same tree again, after any history", arguments: 1...20)
    func remembering(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var world = TreeWorld()
        var entries = world.tree.remembered
        world.tree.remembered = []
        for _ in 0..<60 {
            world.randomBatch(&random)
            world.check()
            entries += world.tree.remembered
            world.tree.remembered = []
            var again = FolderTree()
            for entry in entries {
                switch entry {
                case .record(let record): again.restore(record)
                case .burial(let burial): again.restoreBurial(burial)
                default: Issue.record("\(entry)")
                }
            }
            again.finishRestoring(floor: 0, last: 0)
            #expect(Self.comparable(again.records) == Self.comparable(world.tree.records))
            #expect(again.children.filter { !$0.value.isEmpty } == world.tree.children.filter { !$0.value.isEmpty })
            #expect(again.log.last == world.tree.log.last)
            let (one, other) = (again.log.page(after: 0, limit: .max), world.tree.log.page(after: 0, limit: .max))
            #expect(one?.entries == other?.entries)
        }
    }

    /// A folder's times are not remembered each time that something in it changes.
    private static func comparable(_ records: RecordStore) -> Set<FolderRecord> {
        Set(
            records.values.map { record in
                guard record.facts.isFolder else { return record }
                var record = record
                record.facts.changed = .zero
                record.facts.modified = .zero
                return record
            })
    }

    @Test("A log that has grown too long forgets the oldest, and says so for anchors before that")
    func logCapacity() {
        var log = ChangeLog(capacity: 10)
        for number in 1...100 { _ = log.add(RecordID(number: UInt64(number))) }
        #expect(log.all.count <= 20)
        #expect(log.page(after: 0, limit: 5) == nil)
        #expect(log.page(after: 101, limit: 5) == nil)
        #expect(log.page(after: log.floor, limit: 1000)?.entries.last?.sequence == 100)
        var busy = ChangeLog(capacity: 10)
        for number in 1...1000 { _ = busy.add(RecordID(number: UInt64(number % 3 + 1))) }
        // Few items: nothing has to be forgotten.
        #expect(busy.page(after: 0, limit: 100)?.entries.count == 3)
        #expect(busy.page(after: 0, limit: 2)?.isLast == false)
    }

    @Test("An operation that runs is not begun again; finished ones are answered, the last ones of them")
    func ledger() throws {
        var ledger = OperationLedger(capacity: 3)
        #expect(try ledger.begin("a") == nil)
        #expect(throws: DocumentError.self) { try ledger.begin("a") }
        ledger.end("a")
        #expect(try ledger.begin("a") == nil)
        ledger.finish("a", .removed)
        #expect(try ledger.begin("a") == .removed)
        for number in 0..<10 { ledger.finish("n\(number)", .removed) }
        #expect(try ledger.begin("n9") == .removed)
        #expect(ledger.entries.count == 3)
        // Without a name nothing is remembered.
        ledger.finish("", .removed)
        #expect(try ledger.begin("") == nil)
        #expect(try ledger.begin("") == nil)
    }
}

/// A tree, and a file system that it is told of.
private struct TreeWorld {
    var tree = FolderTree()
    let hasBirth: Bool
    private var disk: [Place: FileFacts] = [:]
    private var clock: Int64 = 1

    init(hasBirth: Bool = true) {
        self.hasBirth = hasBirth
        tree.seeRoot(facts(1, isFolder: true))
    }

    func facts(_ inode: UInt64, isFolder: Bool = false, changed: Int64 = 0) -> FileFacts {
        FileFacts(
            key: FileKey(inode: inode, born: hasBirth ? Timestamp(seconds: Int64(inode)) : nil), isFolder: isFolder,
            size: isFolder ? 0 : 5, modified: Timestamp(seconds: changed), changed: Timestamp(seconds: changed),
            mode: 0o644, owner: 0, group: 0, links: 1, isWritable: true)
    }

    func place(_ name: String, in parent: RecordID = .root) -> Place {
        guard let name = EntryName(written: name) else { return Place(parent: parent, name: Self.fallback) }
        return Place(parent: parent, name: name)
    }

    mutating func add(_ name: String, _ inode: UInt64, isFolder: Bool = false, in parent: RecordID = .root) -> RecordID
    {
        let place = place(name, in: parent)
        _ = tree.see(facts(inode, isFolder: isFolder), at: place)
        _ = tree.place()
        return tree.record(at: place)?.id ?? .root
    }

    /// Files with few inodes appear and disappear under few names, in all folders there are.
    mutating func randomBatch(_ random: inout SeededGenerator) {
        for _ in 0..<(1 + random.next() % 6) {
            let folders = tree.records.values.filter(\.facts.isFolder).map(\.id).sorted()
            let folder = folders[Int(random.next() % UInt64(folders.count))]
            let place = place(["a", "b", "c", "a~"][Int(random.next() % 4)], in: folder)
            clock += 1
            switch random.next() % 3 {
            case 0: tree.miss(place)
            default:
                let inode = 10 + random.next() % 12
                // A folder in itself: no disk has that.
                guard inode <= 17 || folder == .root else { continue }
                _ = tree.see(facts(inode, isFolder: inode > 17, changed: clock), at: place)
            }
        }
        for question in tree.openQuestions where random.next() % 2 == 0 { tree.miss(question.place) }
        _ = tree.place()
        tree.bury()
    }

    /// Records and indexes say the same.
    func check() {
        #expect(tree.isSettled)
        for record in tree.records.values where record.id != .root {
            guard let name = record.name else {
                Issue.record("No name: \(record)")
                continue
            }
            #expect(tree.children[record.parent]?[name] == record.id)
            #expect(tree.ids(of: record.facts.key).contains(record.id))
        }
        let listed = tree.children.values.reduce(0) { $0 + $1.count }
        #expect(listed == tree.records.count - 1)
    }

    private static let fallback: EntryName = {
        guard let name = EntryName(written: "x") else { preconditionFailure("A letter is a name.") }
        return name
    }()
}
