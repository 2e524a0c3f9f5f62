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
}
