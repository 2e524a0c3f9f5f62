import CoordinationHistories
import DocumentModel
import FileCoordination
import Testing

/// What the remote moves while it, or something inside of it, is claimed: nobody asked the broker before.
@Suite struct RemoteMoveTests {
    private typealias Item = CoordinatedItem

    private let alice = Scene.alice
    private let bob = Scene.bob
    private let carol = Scene.carol
    private var scene = Scene()

    /// In the host's claim for a move a folder lies where the remote has it.
    private let there: CoordinatedItem

    init() throws {
        there = try Scene.item("g/f/", is: "f")
    }

    @Test(
        "COORD-3, COORD-4: who reads inside of a folder that the remote moves keeps those from it who remove its new folder"
    )
    mutating func heldInside() throws {
        try scene.request(1, alice, .reading, "f/a")
        try scene.request(2, bob, [(.writing(.forMoving), there)])
        #expect(scene.news() == ["grant 1"])
        try scene.placed("g/f/", is: "f")
        try scene.request(3, carol, .writing(.forDeleting), "g/")
        #expect(scene.news() == [], "what is to be removed is read, inside of what is to be moved")
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
    }

    @Test(
        "COORD-33, COORD-39: a read inside of one that comes into its package is next, whoever was before it in the queue"
    )
    mutating func nestedInWhatComesToIt() throws {
        try scene.request(1, bob, .writing(nil), "p.pkg/a")
        // Behind whichever of them the nested read finds itself first.
        for number in UInt64(2)..<40 { try scene.request(number, alice, .writing(nil), "p.pkg/b") }
        try scene.request(40, carol, .reading, "f/c")
        try scene.request(41, carol, .reading, "p.pkg/a", in: [40])
        #expect(scene.news() == ["grant 1", "grant 40"])
        scene.take(scene.machine.placed(try Scene.item("p.pkg/c", is: "f/c")))
        #expect(scene.news() == [])
        scene.end(1)
        #expect(scene.news() == ["grant 41"])
        scene.end(41)
        scene.end(40)
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-21: who writes to two parts of a folder that turns out to be a package keeps others from all of it")
    mutating func becomesPackage() throws {
        try scene.request(1, alice, .writing(nil), "f/a")
        try scene.request(2, bob, .writing(nil), "f/b")
        #expect(scene.news() == ["grant 1", "grant 2"])
        let folder = try Scene.item("f/")
        let package = Item(
            subject: folder.subject, kind: .package, enclosing: folder.enclosing, location: folder.location)
        scene.take(scene.machine.placed(package))
        let part = Item(
            subject: .item(try Scene.key("f/c")), kind: .document,
            enclosing: package.enclosing + [Item.Folder(key: try Scene.key("f"), isPackage: true)],
            location: try Scene.item("f/c").location)
        try scene.request(3, carol, [(.writing(nil), part)])
        scene.end(1)
        #expect(scene.news() == [], "somebody writes to the package still")
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
        // It is a plain folder again, and others may write beside her.
        scene.take(scene.machine.placed(folder))
        try scene.request(4, bob, .writing(nil), "f/d")
        #expect(scene.news() == ["grant 4"])
    }

    @Test("COORD-3, COORD-4: the same when all have ended who knew the folder elsewhere")
    mutating func heldByLaterOnes() throws {
        try scene.request(1, alice, .reading, "f/a")
        let inner = Item(
            subject: .item(try Scene.key("f/b")), kind: .document,
            enclosing: there.enclosing + [Item.Folder(key: try Scene.key("f"), isPackage: false)],
            location: try Scene.item("g/f/b").location)
        try scene.request(2, bob, [(.writing(nil), inner)])
        scene.end(1)
        try scene.placed("g/f/", is: "f")
        #expect(scene.news() == ["grant 1", "grant 2"])
        try scene.request(3, carol, .writing(.forDeleting), "g/")
        #expect(scene.news() == [], "what is to be removed is written, inside of what the remote has put there")
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
    }

    @Test("COORD-4, COORD-7: who waits inside of a folder that the remote moves gets the new location")
    mutating func waitingInside() throws {
        try scene.request(1, alice, .reading, "f/g/a")
        try scene.request(2, bob, .writing(nil), "f/g/a")
        try scene.request(3, carol, [(.writing(.forMoving), there)])
        scene.end(1)
        // Bob has not got it: the move of a folder goes before what waits inside.
        #expect(scene.news() == ["grant 1", "grant 3"])
        try scene.placed("g/f/", is: "f")
        scene.end(3)
        #expect(scene.news() == ["grant 2"])
        #expect(scene.granted[2] == ["g/f/g/a"])
    }

    @Test("COORD-2, COORD-7: a place in a folder that the remote moves is claimed wherever the folder is")
    mutating func placeInside() throws {
        try scene.request(1, alice, [(.writing(.forReplacing), try Scene.place("f/new"))])
        try scene.placed("g/f/", is: "f")
        let place = Item(
            subject: .place(try Scene.item("g/f/new").location), kind: .document,
            enclosing: there.enclosing + [Item.Folder(key: try Scene.key("f"), isPackage: false)],
            location: try Scene.item("g/f/new").location)
        try scene.request(2, bob, [(.writing(.forReplacing), place)])
        #expect(scene.news() == ["grant 1"], "both would write the same file")
        scene.end(1, [.unchanged])
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-4, COORD-28: those inside follow from each place where they know the folder; presenters are told once")
    mutating func seenDifferently() throws {
        try scene.request(1, alice, .reading, "f/a")
        try scene.placed("h/i/f/", is: "f")
        // Asked for since, where the remote has it.
        let inner = Item(
            subject: .item(try Scene.key("f/b")), kind: .document,
            enclosing: try Scene.item("h/i/f/", is: "f").enclosing
                + [Item.Folder(key: try Scene.key("f"), isPackage: false)],
            location: try Scene.item("h/i/f/b").location)
        try scene.request(2, bob, [(.reading, inner)])
        try scene.present("P", "f/c")
        #expect(scene.news() == ["grant 1", "grant 2"])
        try scene.placed("g/f/", is: "f")
        #expect(scene.news() == ["P moved to g/f/c"])
        try scene.placed("g/f/", is: "f")
        #expect(scene.news() == [])
        try scene.request(3, carol, .writing(.forDeleting), "g/")
        #expect(
            scene.machine.explanations.map(\.description) == [
                "carol waits to delete work:/g until these have ended: alice, which reads work:/g/f/a; bob, which reads work:/g/f/b."
            ])
        scene.end(1)
        #expect(scene.news() == [])
        scene.end(2)
        #expect(scene.news() == ["P writer", "P deletion", "grant 3"])
    }

    @Test("COORD-7, COORD-19: who waits to replace what the remote moves keeps the place, whoever else claims it")
    mutating func replaced() throws {
        try scene.request(1, alice, .reading, "f/a")
        try scene.request(2, bob, .writing(.forReplacing), "f/a")
        try scene.request(3, carol, [(.writing(.forMoving), try Scene.item("g/a", is: "f/a"))])
        try scene.placed("g/a", is: "f/a")
        #expect(scene.news() == ["grant 1", "grant 2"])
        #expect(scene.granted[2] == ["f/a"])
        try scene.request(4, bob, .reading, "f/a")
        scene.end(1)
        #expect(scene.news() == ["grant 3"])
    }
}
