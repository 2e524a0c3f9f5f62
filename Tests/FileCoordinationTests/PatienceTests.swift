import DocumentModel
import FileCoordination
import Testing

/// Claims that wait for others only for so long.
@Suite struct PatienceTests {
    private var scene = Scene()
    private let alice = Scene.alice
    private let bob = Scene.bob
    private let carol = Scene.carol

    @Test("COORD-39: a claim that has waited for others for as long as it wants to is refused, and says who they are")
    mutating func refused() throws {
        try scene.request(1, alice, .writing(nil), "a")
        scene.time = .seconds(1)
        try scene.request(2, bob, .writing(.forDeleting), "a", within: .seconds(5))
        try scene.request(3, carol, .reading, "a")
        #expect(scene.machine.nextDeadline == .seconds(6))
        scene.pass(to: .milliseconds(5_999))
        #expect(scene.news() == ["grant 1"])
        scene.pass(to: .seconds(6))
        #expect(scene.news() == ["refuse 2"])
        #expect(scene.refusals[2]?.code == .busy)
        #expect(
            scene.refusals[2]?.message
                == "work:/a is still in use: alice writes work:/a. Nothing was done; try again when that has ended.")
        // Nothing is left of it: nobody waits for it, and no time is watched any more.
        #expect(scene.machine.nextDeadline == nil)
        #expect(scene.machine.waitingCount == 1)
        scene.end(1)
        #expect(scene.news() == ["grant 3"])
    }

    @Test("A claim that has got what it asked for keeps it, however long that lasts", arguments: [true, false])
    func granted(isFree: Bool) throws {
        var scene = scene
        if !isFree { try scene.request(1, alice, .reading, "a") }
        try scene.request(2, bob, .writing(.forMoving), "a", within: .seconds(5))
        if !isFree {
            scene.pass(to: .seconds(4))
            scene.end(1)
        }
        #expect(scene.news() == (isFree ? ["grant 2"] : ["grant 1", "grant 2"]))
        #expect(scene.machine.nextDeadline == nil)
        scene.pass(to: .seconds(60))
        #expect(scene.news() == [])
        #expect(scene.machine.isHeld(ClaimID(2)))
    }

    @Test("COORD-9: contents that are brought take as long as they take: only others are waited for no longer")
    mutating func contents() throws {
        scene.providesAtOnce = false
        try scene.request(1, bob, .writing(nil), "a", provides: true, within: .seconds(5))
        #expect(scene.news() == ["provide 1 a"])
        scene.pass(to: .seconds(60))
        #expect(scene.news() == [])
        scene.provided(1)
        #expect(scene.news() == ["grant 1"])
    }

    @Test("A presenter that does not answer is waited for no longer either, and gets back what it gave up")
    mutating func presenters() throws {
        scene.silent = ["Q"]
        try scene.present("P", "a", by: alice)
        try scene.present("Q", "a", by: carol)
        try scene.request(1, bob, .writing(.forDeleting), "a", within: .seconds(5))
        #expect(scene.machine.waitingCount == 1)
        _ = scene.news()
        scene.pass(to: .seconds(5))
        let news = scene.news()
        #expect(news.contains("refuse 1"))
        #expect(news.contains("P reacquire"))
        #expect(scene.refusals[1]?.code == .busy)
        #expect(scene.refusals[1]?.message.contains("carol presents it, and has not answered") == true)
        #expect(scene.machine.waitingCount == 0)
        // It has its own time.
        #expect(scene.dropped.isEmpty)
    }

    @Test("A tool that may not know everything is not told of others' documents when its time is over")
    mutating func restricted() throws {
        let tool = ClaimOwner(id: 4, name: "tool", isRestricted: true)
        try scene.request(1, alice, .writing(nil), "f/b")
        try scene.request(2, tool, .writing(.forDeleting), "f/", within: .seconds(5))
        scene.pass(to: .seconds(5))
        #expect(
            scene.refusals[2]?.message
                == "work:/f is still in use: alice writes another document. Nothing was done; try again when that has ended."
        )
    }
}
