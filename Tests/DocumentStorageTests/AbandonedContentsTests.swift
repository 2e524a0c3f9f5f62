import DocumentModel
import DocumentTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import DocumentStorage

/// Contents that came to their place, and that the index could not be told of.
struct AbandonedContentsTests {
    private static let full = DocumentError(.localStorage, "The disk is full.")

    private let storage: StorageFixture
    private let item: Item
    private let path: FilePath

    init() throws {
        storage = try StorageFixture()
        item = try storage.item("a", "a.txt", contents: "theirs")
        path = storage.tree.path(of: try storage.location("a.txt"))
        try storage.tell(item)
    }

    /// Leaves the contents at their place, and the index without a word of them.
    private func comeUntold(_ item: Item, _ contents: String) throws -> Materialisation {
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write(contents, to: coming.file.path)
        storage.observe(Meanwhile(at: .materialisePublished) { throw Self.full })
        #expect(throws: StoppedByObserver.self) { try storage.store.finish(coming, as: item) }
        storage.observe(nil)
        #expect(try storage.read(path) == contents)
        return coming
    }

    private func isNothingOpen() throws -> Bool { try storage.index.read { try $0.journal() }.isEmpty }

    @Test("PH-7: contents that the index cannot be told of go again")
    func untouched() throws {
        let coming = try comeUntold(item, "theirs")
        try storage.store.abandon(coming, because: Self.full)
        #expect(try storage.document("a.txt") == nil)
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try storage.indexed("a").problem?.code == .localStorage)
        #expect(try isNothingOpen())
    }

    @Test(
        "VER-10: what was saved in contents that the index cannot be told of stays, and is to be sent",
        arguments: [false, true])
    func edited(isOutdated: Bool) throws {
        var newer = item
        if isOutdated {
            try storage.provide(item, "theirs")
            newer.version = try ItemVersion(content: [2])
            newer.size = 5
            try storage.tell(newer)
        }
        let coming = try comeUntold(newer, isOutdated ? "newer" : "theirs")
        try storage.write("mine, and unsent", to: path)
        let told = Mutex<[ItemIdentifier]>([])
        storage.store.keptEdits.onKept { item in told.withLock { $0.append(item.id) } }
        try storage.store.abandon(coming, because: Self.full)
        #expect(try storage.read(path) == "mine, and unsent")
        #expect(try storage.indexed("a").state == .changed)
        #expect(try storage.indexed("a").synced?.content == newer.version.content)
        let ids = told.withLock { $0 }
        #expect(ids == [item.id])
        #expect(try isNothingOpen())
    }

    @Test(
        "VER-10: where a copy became the document, as its provider still read its own file, it goes again unless it was edited",
        arguments: [false, true])
    func copied(isEdited: Bool) throws {
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("theirs", to: coming.file.path)
        let reader = try FileDescriptor.open(coming.file.path, .readOnly)
        defer { try? reader.close() }
        let error = #expect(throws: DocumentError.self) {
            try storage.store.finish(coming, as: item) { (_, _) throws -> Void in
                // It is at its place, and the index is being told.
                if isEdited { try storage.write("mine, and unsent", to: path) }
                throw Self.full
            }
        }
        #expect(error?.code == .localStorage)
        try storage.store.abandon(coming, because: Self.full)
        let contents: String? = isEdited ? "mine, and unsent" : nil
        let state: ItemState = isEdited ? .changed : .placeholder
        #expect(try storage.document("a.txt") == contents)
        #expect(try storage.indexed("a").state == state)
        #expect(try isNothingOpen())
    }

    @Test("INV-3: a copy that was about to become the document when the host died is nobody's edit, and goes")
    func copiedAndDied() throws {
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("theirs", to: coming.file.path)
        let reader = try FileDescriptor.open(coming.file.path, .readOnly)
        defer { try? reader.close() }
        storage.observe(Meanwhile(at: .materialiseVerified) { throw Self.full })
        #expect(throws: StoppedByObserver.self) { try storage.store.finish(coming, as: item) }
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.findings.isEmpty, "\(report)")
        #expect(try storage.root.staging.request(named: coming.file.request) == nil)
        #expect(try storage.indexed("a").state == .placeholder)
        #expect(try isNothingOpen())
    }

    @Test("INV-3: a copy is on disk, with what it says that it is, before it has the name of the contents that came")
    func copiedWhole() throws {
        let coming = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("theirs", to: coming.file.path)
        let reader = try FileDescriptor.open(coming.file.path, .readOnly)
        defer { try? reader.close() }
        let plan = FaultPlan()
        _ = try FaultPlan.$current.withValue(plan) { try storage.store.finish(coming, as: item) }
        let stamped = try #require(plan.calls.firstIndex(of: .setAttribute))
        let named = try #require(plan.calls[stamped...].firstIndex(of: .rename))
        #expect(plan.calls[stamped..<named].contains(.flush), "\(plan.calls)")
        #expect(try storage.document("a.txt") == "theirs")
    }

    @Test("VER-10: contents that the index cannot be told of stay while a program has them open to write to")
    func open() throws {
        let coming = try comeUntold(item, "theirs")
        let file = try FileDescriptor.open(path, .writeOnly)
        try file.closeAfter {
            try storage.store.abandon(coming, because: Self.full)
            #expect(try storage.read(path) == "theirs")
            #expect(try storage.indexed("a").state == .materialised)
            #expect(try isNothingOpen())
            _ = try file.writeAll("mine, and unsent".utf8)
        }
        #expect(try storage.store.recordChange(of: item.id, in: storage.domain).state == .changed)
        #expect(try storage.document("a.txt") == "mine, and unsent")
    }

    @Test("VER-10: what stayed, and could not be written down either, is so when it is in the way of the next contents")
    func writtenDownLater() throws {
        _ = try comeUntold(item, "theirs")
        try storage.write("mine, and unsent", to: path)
        let again = try storage.store.beginMaterialising(item.id, in: storage.domain)
        try storage.write("theirs", to: again.file.path)
        let error = #expect(throws: DocumentError.self) { try storage.store.finish(again, as: item) }
        #expect(error?.code == .destinationExists)
        try storage.store.abandon(again, because: error)
        #expect(try storage.document("a.txt") == "mine, and unsent")
        #expect(try storage.indexed("a").state == .changed)
        #expect(try isNothingOpen())
    }
}
