import DocumentModel
import FileCoordination
import Testing

/// Who waits for whom where one access takes several items, or is within another one (COORD-33, COORD-34).
@Suite struct WaitingForSeveralTests {
    private var scene = Scene()
    private let alice = Scene.alice
    private let bob = Scene.bob
    private let carol = Scene.carol

    @Test("COORD-33: two items, and lists of them, are taken in one step: all or none")
    mutating func oneStep() throws {
        try scene.request(1, alice, .reading, "b")
        try scene.request(2, bob, [(.reading, Scene.item("a")), (.writing(nil), Scene.item("b"))])
        try scene.request(3, carol, [(.writing(nil), Scene.item("b")), (.writing(nil), Scene.item("a"))])
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
        #expect(scene.granted[3] == ["b", "a"])
    }

    @Test("COORD-33: one step may name an item twice, and an item and its folder: nobody waits for himself")
    mutating func oneStepTwice() throws {
        try scene.request(
            1, alice,
            [
                (.reading, Scene.item("f/a")), (.writing(nil), Scene.item("f/a")),
                (.writing(.forMoving), Scene.item("f/")),
            ])
        #expect(scene.news() == ["grant 1"])
    }

    @Test("COORD-34: an access with intents ends as one, when its accessor returns")
    mutating func intents() throws {
        try scene.request(1, alice, [(.writing(nil), Scene.item("a")), (.writing(nil), Scene.item("b"))])
        try scene.request(2, bob, .reading, "a")
        try scene.request(3, bob, .reading, "b")
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["grant 2", "grant 3"])
    }

    @Test("COORD-34: an access with intents begins as one, when all of them can be had, where each of them is then")
    mutating func intentsBegin() throws {
        try scene.request(1, alice, .writing(.forMoving), "a")
        try scene.request(2, bob, [(.writing(nil), Scene.item("b")), (.writing(nil), Scene.item("a"))])
        #expect(scene.news() == ["grant 1"])
        try scene.move("a", to: "c", in: 1)
        let ended = scene.machine.end(ClaimID(1))
        #expect(ended.contains(.grant(ClaimID(2), [try Location("work:/b"), try Location("work:/c")])), "\(ended)")
    }

    @Test("COORD-33: inside a write everything is refused, but for reads of the same item")
    mutating func nesting() throws {
        try scene.request(1, alice, .writing(nil), "a")
        try scene.request(2, alice, .reading, "a", in: [1])
        try scene.request(3, alice, .writing(nil), "a", in: [1])
        try scene.request(4, alice, .reading, "b", in: [1])
        #expect(scene.news() == ["grant 1", "grant 2", "refuse 3", "refuse 4"])
        #expect(scene.refusals[3]?.code == .deadlock)
        #expect(
            scene.refusals[3]?.message
                == "alice asked to write work:/a while it already holds it; end the outer access first, or use its path."
        )
        #expect(
            scene.refusals[4]?.message
                == "alice asked to read work:/b inside an access that writes work:/a; ask for both in one step, or end the outer access first."
        )
    }

    @Test("COORD-33: a nested read goes on also while somebody else waits to write")
    mutating func nestedReadPassesTheQueue() throws {
        try scene.request(1, alice, .writing(nil), "a")
        try scene.request(2, bob, .writing(nil), "a")
        try scene.request(3, alice, .reading, "a", in: [1])
        #expect(scene.news() == ["grant 1", "grant 3"])
        scene.end(3)
        #expect(scene.news() == [])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
    }
}
