import DocumentModel
import DocumentTestSupport
import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import DocumentStorage

/// Stops every action at a step, as the death of the process there would.
final class StopAt: StepObserver {
    let step: JournalStep
    let seen = Mutex<[JournalStep]>([])

    init(_ step: JournalStep) {
        self.step = step
    }

    struct Stop: Error {}

    func reached(_ step: JournalStep) throws {
        seen.withLock { $0.append(step) }
        if step == self.step { throw Stop() }
    }
}

/// Kill the host at any journaled step: what comes back is a state of the design's picture, with nothing lost.
struct CrashTests {
    private let before = "the contents before"
    private let after = "the contents after, longer"

    @Test("Every step of every action is passed, and a crash right after it is mended", arguments: JournalStep.allCases)
    func crash(at step: JournalStep) throws {
        let observer = StopAt(step)
        let storage = try StorageFixture()
        let doomed = try storage.item("a", "a.txt", contents: before)
        try storage.tell(doomed, storage.item("f", "Folder", kind: .folder))
        if [.editPackage, .drop].contains(step.action) { try providePackage(storage) }
        let source = storage.folder.appending("local.txt")
        try storage.write(after, to: source)
        if step.action != .materialise { try storage.provide(doomed, before) }
        if step.action == .send { try storage.edit("a", after) }
        if step.action == .relocate { try storage.list(.root, doomed, storage.item("f", "Folder", kind: .folder)) }

        storage.observe(observer)
        #expect(throws: StoppedByObserver.self) { try run(step.action, storage, doomed, source) }
        #expect(observer.seen.withLock { $0.last } == step)

        try storage.reopen()
        let report = try storage.store.reconcile()
        try expectSound(storage, report)
        try expectNothingLost(step, storage, source, report)

        // And once more: nothing is left to be done.
        try storage.reopen()
        let second = try storage.store.reconcile()
        #expect(second.adopted == 0 && second.changed == 0 && second.missing == 0 && second.unknownFiles.isEmpty)
        try expectSound(storage, second)
    }

    private func run(_ action: JournalAction, _ storage: StorageFixture, _ item: Item, _ source: FilePath) throws {
        let (store, domain) = (storage.store, storage.domain)
        switch action {
        case .materialise:
            try storage.provide(item, before)
        case .recordChange:
            try storage.edit("a", after)
        case .send:
            let sending = try store.beginSending(item.id, in: domain)
            _ = try store.finish(sending, as: storage.item("a", "a.txt", contents: after, version: "2"))
        case .export, .move:
            let export = try store.beginExport(
                of: source, to: .root, name: ItemName("new.txt"), kind: .document, in: domain,
                removingSource: action == .move)
            _ = try store.finish(export, as: storage.item("n", "new.txt", contents: after))
        case .arrive:
            _ = try store.finish(
                store.beginArrival(
                    of: source, to: .root, making: [ItemName("made")], name: ItemName("new.txt"), in: domain))
        case .make:
            let entry = try store.expectDocument(named: ItemName("made.txt"), in: .root, of: domain)
            try storage.write(after, to: storage.tree.path(of: storage.location("made.txt")))
            _ = try store.takeIn(entry) { name, _, _ in name }
        case .editPackage, .drop:
            let entry = try store.expectEdits(of: ItemIdentifier("p"), in: domain)
            try storage.write(after, to: storage.tree.path(of: storage.location("p.rtfd/new.txt")))
            try storage.write(after, to: storage.tree.path(of: storage.location("p.rtfd/text.txt")))
            try FileManager.default.removeItem(
                atPath: storage.tree.path(of: storage.location("p.rtfd/picture.png")).string)
            let edits = try store.recordEdits(entry, dropping: true)
            let dropped = try #require(edits.dropped.first)
            try store.finishDropping(dropped)
        case .relocate:
            let entry = try #require(
                try store.relocate(
                    item.id, in: domain, from: storage.location("a.txt"), to: .root, name: ItemName("b.txt")))
            try store.finishRelocating(entry, as: storage.item("a", "b.txt", contents: before), since: nil)
        case .leave:
            let file = try storage.indexed("a").local
            let entry = try store.beginLeaving(
                item.id, in: domain, copiedTo: "/elsewhere", [CopiedPart(path: [], file: file)]
            ).entry
            try store.finishRemoving(store.beginRemoving(item.id, in: domain))
            try store.finishLeaving(entry)
        case .clear:
            let entry = try store.beginClearing(ItemIdentifier("f"), in: domain, of: [item.id: item.version.content])
            #expect(entry.payload.known == [item.id: item.version.content])
            try store.finishRemoving(store.beginRemoving(item.id, in: domain))
            try store.finishClearing(entry)
        case .evict:
            _ = try store.evict(item.id, in: domain)
        case .rename:
            let change = try store.beginRenaming(item.id, in: domain, to: ItemIdentifier("f"), name: ItemName("b.txt"))
            _ = try store.finish(change, as: storage.item("a", "b.txt", in: "f", contents: before))
        case .remove:
            try store.finishRemoving(store.beginRemoving(item.id, in: domain))
        }
    }

    private func providePackage(_ storage: StorageFixture) throws {
        let parts = [
            try storage.item("t", "text.txt", in: "p", contents: before),
            try storage.item("i", "picture.png", in: "p", contents: before),
        ]
        try storage.tell(storage.item("p", "p.rtfd", kind: .package), parts[0], parts[1])
        for part in parts { try storage.provide(part, before) }
    }

    /// Index, tree, journal and staging agree.
    private func expectSound(_ storage: StorageFixture, _ report: ReconciliationReport) throws {
        let domain = storage.domain
        #expect(try storage.index.read { try $0.journal() } == report.pending)
        #expect(report.unknownFiles.isEmpty)
        #expect(try storage.store.root.staging.sweep(keeping: Set(report.pending.compactMap(\.payload.staging))) == 0)
        for id in ["a", "n"] {
            guard let item = try storage.index.read({ try $0.item(ItemIdentifier(id), in: domain) }),
                let location = try storage.index.read({ try $0.location(of: item.id, in: domain) })
            else { continue }
            let file = try storage.tree.file(at: location)
            switch item.state {
            case .placeholder:
                #expect(file == nil)
                #expect(item.local == nil && item.synced == nil)
            case .materialised, .changed, .sending:
                let local = try #require(item.local)
                let found = try #require(file)
                #expect(local.hasSameContents(as: found))
                #expect(item.synced != nil)
            default:
                Issue.record("\(id) is \(item.state)")
            }
        }
    }

    private func expectNothingLost(
        _ step: JournalStep, _ storage: StorageFixture, _ source: FilePath, _ report: ReconciliationReport
    ) throws {
        let item = try? storage.indexed("a")
        switch step {
        case .materialiseBegan, .materialiseVerified:
            #expect(item?.state == .placeholder)
        case .materialisePublished, .materialiseRecorded:
            #expect(item?.state == .materialised)
            #expect(try storage.document("a.txt") == before)
        case .changeExpected:
            // The write was granted, and nothing written.
            #expect(item?.state == .materialised)
        case .changeRecorded:
            #expect(item?.state == .changed)
            #expect(item?.synced?.content == Array("1".utf8))
            #expect(try storage.document("a.txt") == after)
        case .sendBegan:
            #expect(item?.state == .changed)
            #expect(try storage.document("a.txt") == after)
        case .sendSnapshotTaken:
            let entry = try #require(report.pending.first)
            let sending = try storage.store.resumeSending(entry)
            #expect(sending.operation == entry.payload.operation)
            #expect(sending.base.content == Array("1".utf8))
            #expect(try storage.read(sending.snapshot.path) == after)
            let done = try storage.store.finish(
                sending, as: storage.item("a", "a.txt", contents: after, version: "2"))
            #expect(done.state == .materialised)
        case .sendRecorded:
            #expect(item?.state == .materialised)
            #expect(item?.synced?.content == Array("2".utf8))
        case .exportBegan, .exportStaged, .exportAnswered, .moveBegan, .moveStaged, .moveAnswered:
            let isAsked = ![.exportBegan, .moveBegan].contains(step)
            #expect(report.pending.map(\.action) == (isAsked ? [step.action] : []))
            #expect(try storage.read(source) == after)
            #expect(throws: DocumentError.self) { try storage.indexed("n") }
        case .exportRecorded:
            #expect(try storage.read(source) == after)
            #expect(try storage.indexed("n").state == .placeholder)
        case .moveRecorded, .movePublished, .moveSourceRemoved:
            #expect(try storage.indexed("n").state == .materialised)
            #expect(try storage.document("new.txt") == after)
            #expect(try storage.read(source) == nil)
        case .arriveBegan, .arriveStaged:
            #expect(try storage.read(source) == after)
            #expect(try storage.index.read { try $0.item(at: storage.location("made")) } == nil)
        case .arrivePublished, .arriveRecorded, .arriveSourceRemoved:
            let arrived = try storage.index.read { try $0.item(at: storage.location("made/new.txt")) }
            #expect(arrived?.state == .changed)
            #expect(arrived?.isArriving == true)
            #expect(try storage.document("made/new.txt") == after)
            #expect(try storage.read(source) == nil)
        case .makeExpected:
            #expect(try storage.index.read { try $0.item(at: storage.location("made.txt")) } == nil)
        case .makeRecorded:
            let made = try storage.index.read { try $0.item(at: storage.location("made.txt")) }
            #expect(made?.state == .changed && made?.isArriving == true)
            #expect(try storage.document("made.txt") == after)
        case .editsExpected:
            // The write was granted, and nothing written.
            #expect(try storage.document("p.rtfd/text.txt") == before)
            #expect(try storage.indexed("i").state == .materialised)
        case .editsRecorded, .itemDropped, .dropFinished:
            let made = try storage.index.read { try $0.item(at: storage.location("p.rtfd/new.txt")) }
            #expect(made?.state == .changed && made?.isArriving == true)
            #expect(try storage.document("p.rtfd/new.txt") == after)
            #expect(try storage.indexed("t").state == .changed)
            #expect(throws: DocumentError.self) { try storage.indexed("i") }
            // Its provider is told at the next start, unless it was.
            #expect(report.pending.map(\.itemID) == (step == .dropFinished ? [] : [try ItemIdentifier("i")]))
        case .documentRelocated, .relocationFinished:
            #expect(item?.state == .materialised)
            #expect(try storage.document("a.txt") == nil)
            #expect(try storage.document("b.txt") == before)
            // Its provider is told at the next start, unless it was; what it tells until then is of no place.
            #expect(report.pending.map(\.action) == (step == .documentRelocated ? [.relocate] : []))
            guard step == .documentRelocated else { break }
            try storage.tell(storage.item("a", "a.txt", contents: before))
            #expect(try storage.document("b.txt") == before)
        case .leaveBegan:
            #expect(report.pending.map(\.action) == [.leave])
            #expect(try storage.document("a.txt") == before)
        case .clearBegan:
            #expect(report.pending.map(\.action) == [.clear])
            #expect(try storage.document("a.txt") == before)
        case .leaveFinished, .clearFinished:
            #expect(item == nil)
            #expect(try storage.document("a.txt") == nil)
        case .evictBegan, .evictPlaceholderWritten:
            #expect(item?.state == .materialised)
            #expect(try storage.document("a.txt") == before)
        case .evictContentsRemoved, .evictRecorded:
            #expect(item?.state == .placeholder)
            #expect(try storage.document("a.txt") == nil)
            #expect(try storage.placeholder("a.txt")?.id == item?.id)
        case .renameBegan, .renameAnswered:
            #expect(report.pending.map(\.action) == [.rename])
            #expect(try storage.document("a.txt") == before)
        case .renameRecorded, .renameMoved, .renameFinished:
            #expect(item?.state == .materialised)
            #expect(try storage.document("a.txt") == nil)
            #expect(try storage.document("Folder/b.txt") == before)
        case .removeBegan, .removeAnswered:
            #expect(report.pending.map(\.action) == [.remove])
            #expect(try storage.document("a.txt") == before)
        case .removeRecorded, .removeKept, .removeCleared, .removeFinished:
            #expect(item == nil)
            #expect(try storage.document("a.txt") == nil)
            #expect(try storage.placeholder("a.txt") == nil)
        }
    }

    @Test(
        "What was being written in a folder is found where that has come to, when the host died while the folder was moved",
        arguments: [false, true])
    func writeInMovedFolder(isNew: Bool) throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", in: "f", contents: before)
        try storage.tell(storage.item("f", "Folder", kind: .folder), item)
        try storage.provide(item, before)
        let name = isNew ? "new.txt" : "a.txt"
        if isNew {
            _ = try storage.store.makeDocument(named: ItemName(name), in: ItemIdentifier("f"), of: storage.domain)
        } else {
            _ = try storage.store.expectChange(of: item.id, in: storage.domain)
        }
        try storage.write(after, to: storage.tree.path(of: storage.location("Folder/" + name)))
        storage.observe(StopAt(.renameMoved))
        let moved = try storage.item("f", "Moved", kind: .folder, version: "2")
        #expect(throws: StoppedByObserver.self) { try storage.store.apply([moved], in: storage.domain) }

        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.unknownFiles == [] && report.missing == 0, "\(report)")
        let found = try storage.index.read { try $0.item(at: storage.location("Moved/" + name)) }
        #expect(found?.state == .changed && found?.isArriving == isNew)
        #expect(try storage.document("Moved/" + name) == after)
        #expect(try storage.index.read { try $0.journal() }.isEmpty)
    }

    @Test("A write that was under way when the host died is recorded as a change of the version it began from")
    func writeUnderWay() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: before)
        try storage.tell(item)
        try storage.provide(item, before)
        _ = try storage.store.expectChange(of: item.id, in: storage.domain)
        try storage.save(after, to: storage.tree.path(of: storage.location("a.txt")))

        try storage.reopen()
        _ = try storage.store.reconcile()
        let found = try storage.indexed("a")
        #expect(found.state == .changed)
        #expect(found.synced == item.version)
        #expect(try storage.document("a.txt") == after)
    }

    @Test("Contents that were published and edited before the index was told are adopted as changed")
    func publishedThenEdited() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: before)
        try storage.tell(item)
        storage.observe(StopAt(.materialisePublished))
        #expect(throws: StoppedByObserver.self) { try storage.provide(item, before) }
        try storage.write(after, to: storage.tree.path(of: storage.location("a.txt")))

        try storage.reopen()
        let report = try storage.store.reconcile()
        #expect(report.adopted == 1)
        let found = try storage.indexed("a")
        #expect(found.state == .changed)
        #expect(found.synced?.content == item.version.content)
        #expect(try storage.document("a.txt") == after)
    }

    @Test("A newer version that was exchanged in before the crash is kept, and the old one is gone")
    func exchangedThenCrashed() throws {
        let storage = try StorageFixture()
        let item = try storage.item("a", "a.txt", contents: before)
        try storage.tell(item)
        try storage.provide(item, before)
        let newer = try storage.item("a", "a.txt", contents: after, version: "2")
        try storage.tell(newer)
        #expect(try storage.indexed("a").state == .outdated)
        storage.observe(StopAt(.materialisePublished))
        #expect(throws: StoppedByObserver.self) { try storage.provide(newer, after) }

        try storage.reopen()
        _ = try storage.store.reconcile()
        let found = try storage.indexed("a")
        #expect(found.state == .materialised)
        #expect(found.synced?.content == Array("2".utf8))
        #expect(try storage.document("a.txt") == after)
    }

    @Test("A file that was leaving the tree when the host died, and holds an edit, is kept as a version")
    func rescuedFromStaging() throws {
        let storage = try StorageFixture()
        let staging = storage.rootPath.appending(".docent/staging")
        try storage.write("an edit nobody else has", to: staging.appending("leaving-0123"))
        try storage.reopen()
        let report = try storage.store.reconcile()
        let finding = try #require(report.findings.first { $0.contains("is kept as") })
        let path = try #require(finding.split(separator: " ").last).dropLast()
        #expect(try storage.read(FilePath(String(path))) == "an edit nobody else has")
    }
}
