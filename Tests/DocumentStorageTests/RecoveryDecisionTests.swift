import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

struct RecoveryDecisionTests {
    private let domain: DomainName
    private let item: Item
    private let old = FileIdentity(inode: 10, size: 5, modified: Timestamp(seconds: 100))
    private let new = FileIdentity(inode: 20, size: 7, modified: Timestamp(seconds: 200))

    init() throws {
        domain = try DomainName("work")
        item = Item(
            id: try ItemIdentifier("a"), parentID: .root, name: try ItemName("a"), kind: .document,
            version: try ItemVersion(content: [1]))
    }

    private func row(_ state: ItemState, local: FileIdentity? = nil) throws -> IndexedItem {
        IndexedItem(
            row: 1, domain: domain, item: item, synced: local == nil ? nil : item.version, local: local, state: state,
            wanted: nil, isGone: false, isPinned: false, problem: nil)
    }

    private func stamp(_ file: FileIdentity, of id: String = "a") throws -> ItemStamp {
        ItemStamp(
            domain: domain, id: try ItemIdentifier(id), contentVersion: [2], size: file.size, modified: file.modified)
    }

    private func decide(
        _ step: JournalStep, _ item: IndexedItem?, _ place: RecoveryEvidence.Place, file: FileIdentity? = nil,
        isStaged: Bool = false
    ) -> RecoveryDecision {
        var payload = JournalPayload()
        payload.file = file
        let entry = JournalEntry(
            id: 1, action: step.action, step: step, domain: domain, itemID: item?.id, payload: payload)
        return RecoveryDecision(for: entry, RecoveryEvidence(item: item, place: place, isStaged: isStaged))
    }

    @Test("An entry of an item that is no longer known is forgotten", arguments: JournalStep.allCases)
    func unknownItem(step: JournalStep) {
        let decision = decide(step, nil, .nothing)
        if [
            .renameRecorded, .renameMoved, .renameFinished, .removeRecorded, .removeKept, .removeCleared,
            .removeFinished,
        ]
        .contains(step) {
            #expect(decision == .performInTree)
        } else if [.exportStaged, .exportAnswered, .exportRecorded, .moveStaged, .moveAnswered, .moveSourceRemoved]
            .contains(step)
        {
            // It becomes an item only when the provider's answer is recorded.
            #expect(decision == .lookUp)
        } else if step == .moveRecorded || step == .movePublished {
            #expect(decision == .finishMove)
        } else if step.action == .arrive && step != .arriveBegan {
            // It becomes an item only when it is recorded.
            #expect(decision == .resumeArrival)
        } else if step.action == .make {
            #expect(decision == .takeIn)
        } else if step.action == .drop {
            // It is not known any more: its provider is to hear of that.
            #expect(decision == .tellProvider)
        } else {
            #expect(decision == .forget)
        }
    }

    @Test("materialise: only a file with the item's own stamp is adopted")
    func materialise() throws {
        let coming = try row(.materialising)
        #expect(decide(.materialiseBegan, coming, .nothing) == .returnToPlaceholder)
        #expect(decide(.materialiseBegan, coming, .other) == .returnToPlaceholder)
        #expect(decide(.materialiseBegan, coming, .file(new, stamp: nil)) == .returnToPlaceholder)
        #expect(try decide(.materialiseBegan, coming, .file(new, stamp: stamp(new, of: "b"))) == .returnToPlaceholder)
        #expect(
            try decide(.materialiseBegan, coming, .file(new, stamp: stamp(new)))
                == .adopt(version: [2], isChanged: false))
        #expect(
            try decide(.materialiseBegan, coming, .file(new, stamp: stamp(old)))
                == .adopt(version: [2], isChanged: true))
    }

    @Test("materialise over old contents: they stay, unless the new ones have arrived")
    func replace() throws {
        let coming = try row(.materialising, local: old)
        #expect(try decide(.materialiseBegan, coming, .file(old, stamp: stamp(old))) == .keepContents)
        var edited = old
        edited.size = 6
        #expect(decide(.materialiseBegan, coming, .file(edited, stamp: nil)) == .lookAtFile)
        // Moved elsewhere, perhaps.
        #expect(decide(.materialiseBegan, coming, .nothing) == .lookAtFile)
        #expect(decide(.materialiseBegan, coming, .other) == .lookAtFile)
        #expect(decide(.materialiseBegan, coming, .file(new, stamp: nil)) == .lookAtFile)
        #expect(
            try decide(.materialiseBegan, coming, .file(new, stamp: stamp(new)))
                == .adopt(version: [2], isChanged: false))
    }

    @Test("send: asked again only with the very same bytes")
    func send() throws {
        let sending = try row(.sending, local: old)
        #expect(decide(.sendBegan, sending, .file(old, stamp: nil)) == .sendAnew)
        #expect(decide(.sendSnapshotTaken, sending, .file(new, stamp: nil), file: old, isStaged: true) == .askProvider)
        #expect(decide(.sendSnapshotTaken, sending, .file(old, stamp: nil), file: old) == .askProvider)
        #expect(decide(.sendSnapshotTaken, sending, .file(new, stamp: nil), file: old) == .sendAnew)
        // Some programs set the time of modification back after they wrote.
        var touched = old
        touched.changed = Timestamp(seconds: 300)
        #expect(decide(.sendSnapshotTaken, sending, .file(touched, stamp: nil), file: old) == .sendAnew)
        #expect(decide(.sendSnapshotTaken, try row(.changed, local: old), .nothing, file: old) == .forget)
    }

    @Test("evict: contents that are still there stay; others are looked at, and looked for")
    func evict() throws {
        let here = try row(.materialised, local: old)
        #expect(decide(.evictBegan, here, .file(old, stamp: nil), file: old) == .keepContents)
        #expect(decide(.evictBegan, here, .file(new, stamp: nil), file: old) == .lookAtFile)
        // Moved elsewhere, perhaps.
        #expect(decide(.evictBegan, here, .nothing, file: old) == .lookAtFile)
        #expect(decide(.evictBegan, here, .other, file: old) == .lookAtFile)
        #expect(decide(.evictBegan, try row(.placeholder), .nothing, file: old) == .forget)
    }
}
