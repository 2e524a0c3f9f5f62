import DocumentModel
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentStorage

/// Documents and folders with nothing in them, which are items as soon as they are made (CONT-7).
struct MadeAtOnceTests: MakingSuite {
    let storage: StorageFixture

    init() throws { storage = try StorageFixture() }

    @Test("CONT-7: a document or a folder with nothing in it is made at once; a name that is taken is refused")
    func made() throws {
        let folder = try storage.store.makeFolder(named: ItemName("f"), in: .root, of: storage.domain)
        #expect(folder.isArriving && folder.item.kind == .folder)
        let (document, change) = try storage.store.makeDocument(
            named: ItemName("x"), in: folder.id, of: storage.domain)
        #expect(document.isArriving && document.state == .changed)
        #expect(try storage.document("f/x") == "")
        #expect(try journal() == [change])
        let asDocument = #expect(throws: DocumentError.self) {
            try storage.store.makeDocument(named: ItemName("F"), in: .root, of: storage.domain)
        }
        let asFolder = #expect(throws: DocumentError.self) {
            try storage.store.makeFolder(named: ItemName("F"), in: .root, of: storage.domain)
        }
        #expect(asDocument?.code == .nameClash && asFolder?.code == .nameClash)
        try storage.write("text", to: path("f/x"))
        #expect(try storage.store.recordChange(change).item.name?.rawValue == "x")
        #expect(try item(at: "f/x")?.local?.size == 4)
        #expect(try journal() == [])
    }

    @Test(
        "A document that is made costs no flush; the end of its write, and whoever asks for it, brings it to the disk")
    func flushes() throws {
        let folder = try storage.store.makeFolder(named: ItemName("f"), in: .root, of: storage.domain)
        let plan = FaultPlan()
        let flushes = { plan.calls.filter { $0 == .flush }.count }
        try FaultPlan.$current.withValue(plan) {
            let (_, first) = try storage.store.makeDocument(named: ItemName("x"), in: folder.id, of: storage.domain)
            let (_, second) = try storage.store.makeDocument(named: ItemName("y"), in: folder.id, of: storage.domain)
            #expect(flushes() == 0)
            // The file, its folder, and the folder around that.
            try storage.store.flushChange(first)
            #expect(flushes() == 3)
            _ = try storage.store.recordChange(second)
            #expect(flushes() == 6, "nothing was written to it, and it is there for all that")
        }
    }

    @Test("What a folder was given and has lost, and what was written to a free place, is on disk for whoever asks")
    func flushesOfNames() throws {
        let folder = try storage.store.makeFolder(named: ItemName("f"), in: .root, of: storage.domain)
        let entry = try expect("free")
        let plan = FaultPlan()
        let flushes = { plan.calls.filter { $0 == .flush }.count }
        try storage.write("text", to: path("free"))
        try FaultPlan.$current.withValue(plan) {
            // The folder, and the one around it.
            try storage.store.flushNames(of: folder.id, in: storage.domain)
            #expect(flushes() == 2)
            // The file, and its folder.
            try storage.store.flushExpected(entry)
            #expect(flushes() == 4)
        }
        #expect(try takeIn(entry)?.local?.size == 4)
    }

    /// Does something in another thread at a step, and gives it a while.
    private final class Meanwhile: StepObserver {
        private let step: JournalStep
        private let body: @Sendable () -> Void
        private let done = DispatchSemaphore(value: 0)

        init(at step: JournalStep, _ body: @escaping @Sendable () -> Void) {
            self.step = step
            self.body = body
        }

        func reached(_ step: JournalStep) {
            guard step == self.step else { return }
            Thread.detachNewThread { [body, done] in
                body()
                done.signal()
            }
            if done.wait(timeout: .now() + 0.3) == .success { done.signal() }
        }

        func wait() { done.wait() }
    }

    @Test(
        "A folder that is moved while a document is made in it, or comes into it, takes that along",
        arguments: [false, true])
    func movedAround(isProvided: Bool) throws {
        let folder = try storage.item("f", "f", kind: .folder)
        let document = try storage.item("d", "d", in: "f", contents: "text")
        try storage.tell(folder, document)
        try storage.tree.makeFolder(at: storage.location("f"))
        let plain = storage.store
        let moved = try storage.item("f", "g", kind: .folder, version: "2")
        let domain = storage.domain
        let meanwhile = Meanwhile(at: isProvided ? .materialisePublished : .makeExpected) {
            _ = try? plain.apply([moved], in: domain)
        }
        storage.observe(meanwhile)
        if isProvided {
            _ = try storage.provide(document, "text")
        } else {
            let (_, change) = try storage.store.makeDocument(named: ItemName("d2"), in: folder.id, of: domain)
            meanwhile.wait()
            try storage.write("text", to: path("g/d2"))
            _ = try storage.store.recordChange(change)
        }
        if isProvided { meanwhile.wait() }
        #expect(try storage.document(isProvided ? "g/d" : "g/d2") == "text")
        #expect(try storage.tree.inode(at: storage.location("f")) == nil)
        #expect(try item(at: isProvided ? "g/d" : "g/d2")?.local?.size == 4)
    }

    @Test("COORD-19: a document whose file came to the disk before the index did is an item once more; a copy is none")
    func crashBeforeIndex() throws {
        let (made, change) = try storage.store.makeDocument(named: ItemName("new"), in: .root, of: storage.domain)
        let (known, other) = try storage.store.makeDocument(named: ItemName("known"), in: .root, of: storage.domain)
        try storage.write("text", to: path("new"))
        _ = try storage.store.recordChange(other)
        let stamp = try #require(try storage.tree.stamp(at: storage.location("known")))
        try storage.write("copy", to: path("copy"))
        let copy = try #require(try storage.tree.file(at: storage.location("copy")))
        #expect(try storage.tree.restamp(storage.location("copy"), stamp, expecting: copy) != nil)
        // As when the machine has died: what was committed last is not there.
        try storage.index.write { index in
            try index.finish(change)
            _ = try index.deleteCleared(made.id, in: storage.domain)
        }
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [try storage.location("copy")], "\(report)")
        let found = try #require(try item(at: "new"))
        #expect(found.isArriving && found.state == .changed && found.local?.size == 4)
        #expect(try item(at: "known")?.id == known.id)
        #expect(try storage.document("new") == "text")
        #expect(try storage.store.recordChange(of: found.id, in: storage.domain).state == .changed)
    }

    @Test("COORD-19: a document that was just made is kept when the host dies, and is no item where its file is gone")
    func crashWhileMade() throws {
        _ = try storage.store.makeDocument(named: ItemName("kept"), in: .root, of: storage.domain)
        _ = try storage.store.makeDocument(named: ItemName("lost"), in: .root, of: storage.domain)
        try storage.write("text", to: path("kept"))
        // As when the machine has died, and not only the host.
        #expect(unlink(try path("lost").string) == 0)
        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [] && report.missing == 0, "\(report)")
        #expect(try item(at: "kept")?.local?.size == 4)
        #expect(try item(at: "lost") == nil)
        #expect(try journal() == [])
        _ = try storage.store.makeDocument(named: ItemName("lost"), in: .root, of: storage.domain)
    }
}
