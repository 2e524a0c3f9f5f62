import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentStorage

/// Old places of what was moved in when the host died: a start leaves them for later, as they may give no answer.
struct LeftSourcesTests {
    private let storage: StorageFixture
    private var source: FilePath { storage.folder.appending("local.txt") }

    init() throws {
        storage = try StorageFixture()
        try storage.write("mine", to: source)
    }

    /// As it is when the host dies at a step, and is started anew: of a document that is sent later, or was sent first.
    ///
    /// - Parameter losingCopy: the machine has died, and with it what was copied to be sent.
    private func die(at step: JournalStep, losingCopy: Bool = false) throws {
        let (plain, name) = (storage.store, try ItemName("new.txt"))
        storage.observe(StopAt(step))
        if step.action == .arrive {
            let arrival = try plain.beginArrival(of: source, to: .root, name: name, in: storage.domain)
            #expect(throws: StoppedByObserver.self) { try storage.store.finish(arrival) }
        } else {
            let export = try plain.beginExport(
                of: source, to: .root, name: name, kind: .document, in: storage.domain, removingSource: true)
            let answer = try storage.item("n", "new.txt", contents: "mine")
            #expect(throws: StoppedByObserver.self) { try storage.store.finish(export, as: answer) }
            let copy = try #require(export.contents)
            if losingCopy { try #require(unlink(copy.path.string) == 0) }
        }
        try storage.reopen()
    }

    @Test(
        "CONT-7: a start touches no source that is still to go, whatever gives no answer there, and all else is done; it goes later",
        arguments: [JournalStep.arrivePublished, .arriveRecorded, .moveRecorded, .movePublished])
    func left(step: JournalStep) throws {
        try die(at: step)
        let report = try storage.store.reconcile(leavingSources: true)
        let entry = try #require(report.sources.first)
        #expect(report.sources.count == 1 && report.unknownFiles == [] && report.missing == 0, "\(report)")
        #expect(try storage.read(source) == "mine")
        #expect(try storage.document("new.txt") == "mine")
        let item = try storage.index.read { try $0.item(at: storage.location("new.txt")) }
        #expect(item?.state == (step.action == .arrive ? .changed : .materialised))

        // The next start may come before it has gone.
        try storage.reopen()
        let next = try storage.store.reconcile(leavingSources: true)
        #expect(next.sources.map(\.id) == [entry.id])
        try storage.store.removeSource(ofPlaced: entry)
        #expect(try storage.read(source) == nil)
        #expect(try storage.document("new.txt") == "mine")
        #expect(try storage.index.read { try $0.journal() } == [])
        #expect(try storage.root.staging.sweep() == 0)
    }

    @Test(
        "INV-1: a source stays when what was moved from it is gone from here before it has gone",
        arguments: [JournalStep.arriveRecorded, .movePublished])
    func goneMeanwhile(step: JournalStep) throws {
        try die(at: step)
        let entry = try #require(try storage.store.reconcile(leavingSources: true).sources.first)
        try storage.store.removeDomain(storage.domain, discardingEdits: true)
        try storage.store.removeSource(ofPlaced: entry)
        #expect(try storage.read(source) == "mine")
    }

    @Test(
        "CONT-7: a start reads no source that alone has what was moved from it: that comes to its place later, unless the remote has other contents by then, and the source goes",
        arguments: [false, true])
    func onlyAtSource(isOutdated: Bool) throws {
        try die(at: .moveRecorded, losingCopy: true)
        let report = try storage.store.reconcile(leavingSources: true)
        let entry = try #require(report.sources.first)
        #expect(report.sources.count == 1 && entry.step == .moveRecorded)
        #expect(try storage.indexed("n").state == .placeholder)
        #expect(try storage.document("new.txt") == nil)
        #expect(try storage.read(source) == "mine")
        // Nothing is lost before that.
        try storage.store.removeSource(ofPlaced: entry)
        #expect(try storage.read(source) == "mine")

        if isOutdated { try storage.tell(storage.item("n", "new.txt", contents: "theirs", version: "2")) }
        let contents = try #require(try storage.store.contents(ofLeft: entry))
        try storage.store.place(contents, ofLeft: entry)
        #expect(try storage.indexed("n").state == (isOutdated ? .placeholder : .materialised))
        #expect(try storage.document("new.txt") == (isOutdated ? nil : "mine"))
        try storage.store.removeSource(ofPlaced: entry)
        #expect(try storage.read(source) == nil)
        #expect(try storage.index.read { try $0.journal() } == [])
        #expect(try storage.root.staging.sweep() == 0)
    }

    @Test("INV-1: a source that alone has what was moved from it stays when that is gone from here")
    func goneBeforeItCame() throws {
        try die(at: .moveRecorded, losingCopy: true)
        let entry = try #require(try storage.store.reconcile(leavingSources: true).sources.first)
        let contents = try #require(try storage.store.contents(ofLeft: entry))
        try storage.store.removeDomain(storage.domain, discardingEdits: true)
        try storage.store.place(contents, ofLeft: entry)
        let later = try storage.store.contents(ofLeft: entry)
        #expect(later == nil)
        try storage.store.removeSource(ofPlaced: entry)
        #expect(try storage.read(source) == "mine")
        let request = try storage.root.staging.request(named: contents.request)
        #expect(request == nil)
    }

    @Test("INV-1: a source stays when what was moved from it was removed here before it has gone")
    func removedMeanwhile() throws {
        try die(at: .arriveRecorded)
        let entry = try #require(try storage.store.reconcile(leavingSources: true).sources.first)
        let item = try #require(try storage.index.read { try $0.item(at: storage.location("new.txt")) })
        try storage.store.dropArriving(item)
        try storage.store.removeSource(ofPlaced: entry)
        #expect(try storage.read(source) == "mine")
        #expect(try storage.index.read { try $0.journal() } == [])
    }

    #if DEBUG
        @Test("CONT-7: a source that was sent and cannot be removed stays, and the item says so; nothing else failed")
        func cannotBeRemoved() throws {
            try die(at: .movePublished)
            let entry = try #require(try storage.store.reconcile(leavingSources: true).sources.first)
            let plan = FaultPlan()
            plan.fail(.unlink, with: EACCES, times: 1)
            try FaultPlan.$current.withValue(plan) { try storage.store.removeSource(ofPlaced: entry) }
            #expect(try storage.read(source) == "mine")
            #expect(try storage.indexed("n").stayingSource == StayingSource(at: source))
            #expect(try storage.index.read { try $0.journal() } == [])
        }
    #endif
}
