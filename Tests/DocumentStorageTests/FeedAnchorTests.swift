import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentStorage

/// How far a provider's feed was read, when several have a say in it.
@Suite struct FeedAnchorTests {
    private let storage: StorageFixture
    private let anchors: [SyncAnchor]

    init() throws {
        storage = try StorageFixture()
        anchors = try (1...3).map { try SyncAnchor([$0]) }
    }

    private func anchor() throws -> SyncAnchor? {
        try storage.index.read { try $0.domain(storage.domain)?.anchor }
    }

    private func setBack(to anchor: SyncAnchor) throws {
        try storage.index.write { index throws -> Void in try index.setAnchor(anchor, of: storage.domain) }
    }

    @Test("PROV-21: an anchor that was set back while changes were read stays there; what they tell is taken in")
    func setBackMeanwhile() throws {
        try setBack(to: anchors[1])
        let item = try storage.item("a", "a.txt", contents: "a")
        let changes = ItemChanges(updated: [item], deleted: [], anchor: anchors[2])
        try setBack(to: anchors[0])
        _ = try storage.store.apply(changes, in: storage.domain, since: anchors[1])
        #expect(try anchor() == anchors[0])
        #expect(try storage.indexed("a").item.name?.rawValue == "a.txt")
        // Whoever has not read on from elsewhere has it go on.
        _ = try storage.store.apply(changes, in: storage.domain, since: anchors[0])
        #expect(try anchor() == anchors[2])
    }

    @Test("PROV-21: an anchor is set in place of the expected one only")
    func expected() throws {
        try setBack(to: anchors[1])
        let isSet = try storage.index.write { index throws -> [Bool] in
            [
                try index.setAnchor(anchors[2], of: storage.domain, ifStill: anchors[0]),
                try index.setAnchor(anchors[2], of: storage.domain, ifStill: nil),
                try index.setAnchor(anchors[2], of: storage.domain, ifStill: anchors[1]),
            ]
        }
        #expect(isSet == [false, false, true])
        #expect(try anchor() == anchors[2])
    }

    /// Takes up a page of which something is to be asked for.
    private func openPage() throws {
        try setBack(to: anchors[0])
        let orphan = try storage.item("a", "a.txt", in: "nobody has told of it")
        let changes = ItemChanges(updated: [orphan], deleted: [], anchor: anchors[1])
        let outcome = try storage.store.apply(changes, in: storage.domain, since: anchors[0])
        #expect(outcome.leavesOpen)
        #expect(try anchor() == anchors[1])
    }

    private func isOpen() throws -> Bool { try storage.index.read { try $0.hasOpenPage(of: storage.domain) } }

    private func reopen() throws { try storage.index.write { try $0.reopenPage(of: storage.domain) } }

    @Test("PROV-21: a page of which not everything was followed when the host died is read once more")
    func interrupted() throws {
        try openPage()
        try storage.reopen()
        #expect(try isOpen())
        try reopen()
        #expect(try anchor() == anchors[0])
        #expect(try !isOpen())
    }

    @Test("PROV-21: a page that was followed to its end is not read again, nor one of which nothing is to be asked for")
    func followed() throws {
        try openPage()
        try storage.index.write { try $0.closePage(to: anchors[1], of: storage.domain) }
        #expect(try !isOpen())
        let item = try storage.item("b", "b.txt", contents: "b")
        let next = ItemChanges(updated: [item], deleted: [], anchor: anchors[2])
        _ = try storage.store.apply(next, in: storage.domain, since: anchors[1])
        #expect(try !isOpen())
        try reopen()
        #expect(try anchor() == anchors[2])
    }

    @Test("PROV-21: an anchor that was set back while a page was followed stays there")
    func setBackWhileOpen() throws {
        try openPage()
        try setBack(to: anchors[2])
        try reopen()
        #expect(try anchor() == anchors[2])
        #expect(try !isOpen())
    }
}
