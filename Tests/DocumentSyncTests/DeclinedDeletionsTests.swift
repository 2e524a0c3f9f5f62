import DocumentModel
import DocumentSimulator
import DocumentSync
import Testing

/// What an engine does when somebody says no to deletions.
struct DeclinedDeletionsTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64 = 5
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }

    /// Four documents in a folder, the first two with contents here.
    private func trees() throws -> SyncTrees {
        var trees = SyncTrees()
        func add(_ name: String, in parent: ItemIdentifier, _ kind: ItemKind, _ revision: UInt64?) throws {
            let id = try ItemIdentifier(name)
            let place = SyncPlace(parentID: parent, name: try ItemName(name))
            let version: [UInt8] = kind == .folder ? [] : [1]
            trees.remote[id] = .present(.init(place: place, kind: kind, version: version))
            trees.local[id] = .present(.init(place: place, kind: kind, revision: revision))
            trees.synced[id] = .init(place: place, kind: kind, version: version, revision: revision)
        }
        try add("f", in: .root, .folder, nil)
        for (number, name) in ["a", "b", "c", "d"].enumerated() {
            try add(name, in: ItemIdentifier("f"), .document, number < 2 ? UInt64(number + 1) : nil)
        }
        return trees
    }

    private func engine(_ trees: SyncTrees) -> SimulatedEngine {
        SimulatedEngine(trees: trees, device: 1, deletionGuard: DeletionGuard(minimum: 3, percent: 50))
    }

    private func operations(_ actions: [SyncAction]) -> [SyncOperation] {
        actions.compactMap { if case .start(_, let operation, _) = $0 { operation } else { nil } }
    }

    @Test("CONT-13: said no, what was deleted here is shown here again, and nothing is deleted on the remote")
    func deletedHere() throws {
        var trees = try trees()
        for id in trees.local.keys { trees.local[id] = .gone }
        var random = Random()
        var engine = engine(trees)
        _ = engine.handle(.learned([]), at: .zero, using: &random)
        let question = try #require(engine.question)
        #expect(question.atProvider.count == 5)
        let actions = engine.handle(.declined(question), at: .zero, using: &random)
        #expect(engine.question == nil)
        #expect(operations(actions).map(\.id) == [try ItemIdentifier("f")])
        guard case .place? = operations(actions).first else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test("CONT-13, VER-15: said no, what has contents here is made anew on the remote, and names alone go")
    func goneThere() throws {
        var trees = try trees()
        for id in trees.remote.keys { trees.remote[id] = .gone }
        var random = Random()
        var engine = engine(trees)
        _ = engine.handle(.learned([]), at: .zero, using: &random)
        let question = try #require(engine.question)
        let started = operations(engine.handle(.declined(question), at: .zero, using: &random))
        #expect(engine.question == nil)
        var created: [String] = []
        var removed: [String] = []
        for operation in started {
            switch operation {
            case .create(_, let node): created.append(node.place.name.rawValue)
            case .remove(let id, _): removed.append(id.rawValue)
            default: Issue.record("\(operation)")
            }
        }
        // The folder first; the documents follow it.
        #expect(created == ["f"])
        #expect(removed.sorted() == ["c", "d"])
        let kept = Set(engine.trees.local.values.compactMap { $0.node?.place.name.rawValue })
        #expect(kept.isSuperset(of: ["a", "b"]))
    }
}
