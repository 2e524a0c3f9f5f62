import DocumentModel
import FileCoordination
import Testing

/// Who waits for whom where items move, are replaced, or go with their folder (COORD-3 to COORD-5, COORD-7).
@Suite struct WaitingForMovesTests {
    private var scene = Scene()
    private let alice = Scene.alice
    private let bob = Scene.bob
    private let carol = Scene.carol

    @Test("COORD-1, COORD-2: plain claims on a folder and on what lies inside do not meet")
    mutating func plainClaimsIgnoreFolders() throws {
        try scene.request(1, alice, .writing(nil), "f/")
        try scene.request(2, bob, .writing(nil), "f/a")
        try scene.request(3, carol, .reading, "f/g/b")
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3"])
    }

    @Test(
        "COORD-3: deleting and replacing a folder wait for those scheduled before inside, and hold back later ones",
        arguments: [WritingOption.forDeleting, .forReplacing])
    func coveringWrites(option: WritingOption) throws {
        var scene = scene
        try scene.request(1, alice, .writing(nil), "f/g/a")
        try scene.request(2, carol, .reading, "f/g/a")
        try scene.request(3, bob, .writing(option), "f/")
        try scene.request(4, carol, .reading, "f/b")
        try scene.request(5, carol, .reading, "x")
        #expect(scene.news() == ["grant 1", "grant 5"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
        scene.end(3)
        #expect(scene.news() == ["grant 4"])
    }

    @Test("COORD-4: moving a folder waits for those that run inside; queued and later ones wait, and get the new place")
    mutating func movingAFolder() throws {
        try scene.request(1, alice, .writing(nil), "f/a")
        try scene.request(2, bob, .reading, "f/a")
        try scene.request(3, carol, .writing(.forMoving), "f/")
        try scene.request(4, bob, .reading, "f/b")
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["grant 3"])
        try scene.move("f/", to: "h/", in: 3)
        scene.end(3)
        #expect(scene.news() == ["grant 2", "grant 4"])
        #expect(scene.granted[2] == ["h/a"])
        #expect(scene.granted[4] == ["h/b"])
    }

    @Test("COORD-4: a move passes what is queued inside, but nobody whom it has to wait for itself")
    mutating func movesGoInOrder() throws {
        try scene.request(1, alice, .writing(nil), "f/g/a")
        try scene.request(2, bob, .reading, "f/g/a")
        try scene.request(3, carol, .writing(.forDeleting), "f/")
        try scene.request(4, alice, .writing(.forMoving), "f/g/")
        scene.end(1)
        scene.end(2)
        scene.end(3)
        scene.end(4)
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3", "grant 4"])
    }

    @Test("COORD-4: many moves of nested folders go before what is queued inside, each in its turn")
    mutating func manyMoves() throws {
        try scene.request(1, alice, .reading, "f/a")
        try scene.request(2, bob, .writing(nil), "f/a")
        for number in UInt64(3)..<70 { try scene.request(number, carol, .writing(.forMoving), "f/") }
        #expect(scene.news() == ["grant 1"])
        for number in [1] + Array(UInt64(3)..<70) + [2] { scene.end(number) }
        #expect(scene.news() == (UInt64(3)..<70).map { "grant \($0)" } + ["grant 2"])
    }

    @Test("COORD-5: moving a plain file waits like any write, in the order of asking")
    mutating func movingAFile() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .writing(nil), "a")
        try scene.request(3, carol, .writing(.forMoving), "a")
        try scene.request(4, alice, .reading, "a")
        for number in UInt64(1)...4 { scene.end(number) }
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3", "grant 4"])
    }

    @Test("COORD-7: an item that is renamed during the wait is followed")
    mutating func followsRenames() throws {
        try scene.request(
            1, alice, [(.writing(.forMoving), Scene.item("a")), (.writing(.forReplacing), Scene.place("b"))])
        try scene.request(2, bob, .reading, "a")
        try scene.move("a", to: "b", in: 1)
        scene.end(1)
        #expect(scene.news() == ["grant 1", "grant 2"])
        #expect(scene.granted[2] == ["b"])
    }

    @Test("COORD-7: who waits to replace keeps the first place, and a renamed item counts as another one")
    mutating func replacingKeepsItsPlace() throws {
        try scene.request(1, alice, .writing(.forMoving), "a")
        try scene.request(2, bob, .writing(.forReplacing), "a")
        #expect(scene.news() == ["grant 1"])
        try scene.move("a", to: "b", in: 1)
        #expect(scene.news() == ["grant 2"], "the item is another one by now, and the place is free")
        #expect(scene.granted[2] == ["a"])
    }

    @Test("COORD-7: who waits for a place that an item is moved to, waits for that item from then on")
    mutating func placesThatAreFilled() throws {
        try scene.request(
            1, alice, [(.writing(.forMoving), Scene.item("a")), (.writing(.forReplacing), Scene.place("b"))])
        try scene.request(2, bob, [(.writing(.forReplacing), Scene.place("b"))])
        try scene.move("a", to: "b", in: 1)
        scene.end(1)
        #expect(scene.news() == ["grant 1", "grant 2"])
        #expect(scene.machine.isClaimed(try Scene.key("a")))
    }
}
