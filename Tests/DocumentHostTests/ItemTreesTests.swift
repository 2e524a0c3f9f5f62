import DocumentModel
import DocumentSync
import Testing

@testable import DocumentHost
@testable import DocumentStorage

/// The planner decides for the host, from what the index has of an item.
@Suite struct ItemTreesTests {
    private func item(
        _ id: String = "a", in parent: String = "root", kind: ItemKind = .document, state: ItemState,
        remote: [UInt8] = [1], synced: [UInt8]? = [1], isHere: Bool = true, isGone: Bool = false
    ) throws -> IndexedItem {
        IndexedItem(
            row: 1, domain: try DomainName("work"),
            item: Item(
                id: try ItemIdentifier(id), parentID: try ItemIdentifier(parent), name: try ItemName(id), kind: kind,
                contentType: try ContentType("public.plain-text"), version: try ItemVersion(content: remote)),
            synced: try synced.map { try ItemVersion(content: $0) },
            local: isHere
                ? FileIdentity(
                    inode: 5, size: 3, modified: Timestamp(seconds: 9), changed: Timestamp(seconds: 9)) : nil,
            state: state, wanted: nil, isGone: isGone, isPinned: false, problem: nil)
    }

    private func operation(_ item: IndexedItem, _ folders: [IndexedItem] = [], wanting: Bool = false) throws
        -> SyncOperation?
    {
        SyncTrees(of: item, in: try ItemIdentifier("root"), inside: folders).operation(on: item.id, wanting: wanting)
    }

    @Test("VER-15: what is gone on the remote exists as long as what was changed here is not sent")
    func existence() throws {
        for state in [ItemState.changed, .sending, .conflict] { #expect(try item(state: state, isGone: true).exists) }
        #expect(try !item(state: .materialised, isGone: true).exists)
        #expect(try !item(state: .placeholder, isHere: false, isGone: true).exists)
        #expect(try item(state: .placeholder, isHere: false).exists)
    }

    @Test("A change is sent to the version that it began from")
    func send() throws {
        let changed = try item(state: .changed)
        let revision = try #require(changed.local).revision
        #expect(try operation(changed) == .send(changed.id, base: [1], revision: revision))
        #expect(try operation(item(state: .materialised)) == nil)
        #expect(try operation(item(state: .placeholder, synced: nil, isHere: false)) == nil)
    }

    @Test("VER-10: a change that began from an older version than the remote's is compared before anything is sent")
    func compare() throws {
        let changed = try item(state: .changed, remote: [2])
        guard case .compare(changed.id, version: [2], revision: _)? = try operation(changed) else {
            Issue.record("\(String(describing: try operation(changed)))")
            return
        }
    }

    @Test("VER-15: a change of what was deleted survives, in its folder, and in a package too")
    func revive() throws {
        let gone = try item(state: .changed, isGone: true)
        #expect(try operation(gone) == .revive(gone.id))
        let package = try item("p", kind: .package, state: .placeholder, synced: nil, isHere: false)
        let inside = try item("x", in: "p", state: .changed)
        guard case .send(_, _, _)? = try operation(inside, [package]) else {
            Issue.record("\(String(describing: try operation(inside, [package])))")
            return
        }
    }

    @Test("DOWN-2, DOWN-3: contents are fetched when somebody waits for them and they are not here, or not current")
    func fetch() throws {
        let placeholder = try item(state: .placeholder, synced: nil, isHere: false)
        #expect(try operation(placeholder, wanting: true) == .fetch(placeholder.id, version: [1], replacing: nil))
        let outdated = try item(state: .outdated, remote: [2])
        #expect(try operation(outdated) == nil)
        let revision = try #require(outdated.local).revision
        #expect(
            try operation(outdated, wanting: true) == .fetch(outdated.id, version: [2], replacing: revision))
        #expect(try operation(item(state: .materialised), wanting: true) == nil)
        guard case .send(_, _, _)? = try operation(item(state: .changed), wanting: true) else {
            Issue.record("ours are newer")
            return
        }
    }

    @Test("RS-3: what a provider refuses is evidence: of another version, or of a deletion")
    func evidence() throws {
        let changed = try item(state: .changed)
        let trees = SyncTrees(of: changed, in: try ItemIdentifier("root"))
        var evidence = RemoteEvidence()
        let isNews1 = evidence.takes(DocumentError(.versionNoLongerAvailable, ""))
        #expect(isNews1)
        guard case .compare(_, _, _)? = evidence.applied(to: trees, of: changed.id).operation(on: changed.id) else {
            Issue.record("not compared")
            return
        }
        let isNews2 = evidence.takes(DocumentError(.versionNoLongerAvailable, ""))
        #expect(!isNews2, "nothing new")
        let isNews3 = evidence.takes(DocumentError(.serverUnreachable, ""))
        #expect(!isNews3, "says nothing of the item")
        let isNews4 = evidence.takes(DocumentError(.noSuchItem, ""))
        #expect(isNews4)
        #expect(evidence.applied(to: trees, of: changed.id).operation(on: changed.id) == .revive(changed.id))
        let isNews5 = evidence.takes(DocumentError(.noSuchItem, ""))
        #expect(!isNews5)
    }

    @Test("A sending that the host's end interrupted is asked for again by its name before anything is compared")
    func resumed() throws {
        let changed = try item(state: .sending, remote: [2])
        let trees = SyncTrees(of: changed, in: try ItemIdentifier("root"))
        var evidence = RemoteEvidence(resuming: [1])
        guard
            case .send(_, base: [1], revision: _)? = evidence.applied(to: trees, of: changed.id).operation(
                on: changed.id)
        else {
            Issue.record("not sent again")
            return
        }
        let isNews6 = evidence.takes(DocumentError(.versionNoLongerAvailable, ""))
        #expect(isNews6)
        guard case .compare(_, _, _)? = evidence.applied(to: trees, of: changed.id).operation(on: changed.id) else {
            Issue.record("not compared")
            return
        }
    }
}
