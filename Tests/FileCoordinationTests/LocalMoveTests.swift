import DocumentModel
import Testing

@testable import FileCoordination

/// What comes into a domain from this machine, and leaves it, while somebody presents it (CONT-8, CONT-9).
@Suite struct LocalMoveTests {
    private let mover = Scene.alice
    private let editor = Scene.bob
    private var scene = Scene()

    private func local(_ path: String) throws -> CoordinatedItem { try #require(CoordinatedItem(localPath: path)) }

    @discardableResult
    private mutating func present(
        _ number: UInt64, _ item: CoordinatedItem, by owner: ClaimOwner, _ capabilities: PresenterCapabilities = .all
    ) -> PresenterID {
        let id = PresenterID(number)
        scene.take(
            scene.machine.add(Presenter(id: id, owner: owner, item: item, capabilities: capabilities)),
            named: "P\(number)",
            id)
        return id
    }

    private mutating func claim(_ number: UInt64, _ paths: String..., tellingItself: ClaimOwner? = nil) throws {
        var intentions = [AccessIntention(try Scene.place("g"), .writing(.forReplacing))]
        intentions += try paths.map { AccessIntention(try local($0), .writing(.forMoving)) }
        scene.take(
            scene.machine.request(
                Claim(id: ClaimID(number), owner: mover, intentions: intentions, tellingItself: tellingItself)))
    }

    @Test("a path of this machine is claimed by its names, and what cannot be in a domain is not")
    func paths() throws {
        #expect(try local("/home/me/a.txt").localPath == "/home/me/a.txt")
        #expect(try local("/home/me/a.txt").location.description == "/home/me/a.txt")
        #expect(CoordinatedItem(localPath: "home/a.txt") == nil)
        #expect(CoordinatedItem(localPath: "/home/../a.txt") == nil)
        #expect(CoordinatedItem(localPath: "/home/\u{1}") == nil)
        #expect(CoordinatedItem(localPath: "/") == nil)
        #expect(CoordinatedItem(localPath: "") == nil)
        #expect(try Scene.item("a").localPath == nil)
        #expect(throws: DocumentError.self) { try DomainName(DomainName.thisMachine.rawValue) }
        #expect(throws: DocumentError.self) { try Location("/home/me") }
    }

    @Test("CONT-8, COORD-24: a presenter of the local file lets go, saves, is told where it is, and goes on with that")
    mutating func comesIn() throws {
        let presenter = present(1, try local("/h/a.txt"), by: editor)
        try claim(1, "/h/a.txt")
        #expect(scene.news() == ["P1 writer", "P1 save", "grant 1"])
        let place = try Scene.item("g")
        for moving in scene.machine.presenters(movingWith: try local("/h/a.txt"), notOf: mover) {
            scene.take(scene.machine.follow(moving, to: place, in: ClaimID(1)))
        }
        #expect(scene.news() == [], "when the claim ends")
        scene.end(1, [.unchanged])
        #expect(scene.news() == ["P1 moved to g", "P1 reacquire"])
        #expect(scene.machine.presented(by: presenter) == place)
        try scene.request(2, mover, .writing(nil), "g")
        #expect(scene.news() == ["P1 writer", "grant 2"])
    }

    @Test("CONT-8: of a folder those are asked who present something inside of it, and no others")
    mutating func inside() throws {
        present(1, try local("/h/f/deep/a.txt"), by: editor)
        present(2, try local("/h/fine.txt"), by: editor)
        present(3, try local("/h/f/b.txt"), by: mover)
        present(4, try local("/h"), by: editor)
        let moving = scene.machine.presenters(movingWith: try local("/h/f"), notOf: mover)
        #expect(moving.map(\.id) == [PresenterID(1)])
        #expect(moving.first?.below == [try ItemName("deep"), try ItemName("a.txt")])
        #expect(scene.machine.presenters(movingWith: try local("/h/f"), notOf: nil).count == 2)
    }

    @Test("CONT-8: what the mover presents itself it tells itself")
    mutating func own() throws {
        present(1, try local("/h/a.txt"), by: mover)
        present(2, try local("/h/a.txt"), by: editor)
        try claim(1, "/h/a.txt", tellingItself: mover)
        #expect(scene.news() == ["P2 writer", "P2 save", "grant 1"])
    }

    @Test("CONT-8, COORD-25: one that cannot let go keeps it from being moved")
    mutating func refuses() throws {
        scene.silent = ["P1"]
        present(1, try local("/h/a.txt"), by: editor)
        try claim(1, "/h/a.txt")
        scene.answer("P1", DocumentError(.busy, "I am not done with it; try later."))
        #expect(scene.refusals[1]?.code == .busy)
    }

    @Test("CONT-8: of two that move the same, the second waits for the first")
    mutating func twice() throws {
        try claim(1, "/h/a.txt")
        let other = AccessIntention(try local("/h/a.txt"), .writing(.forMoving))
        scene.take(
            scene.machine.request(
                Claim(
                    id: ClaimID(2), owner: editor,
                    intentions: [AccessIntention(try Scene.place("other"), .writing(.forReplacing)), other])))
        #expect(scene.news() == ["grant 1"])
        scene.end(1, [.unchanged])
        #expect(scene.news() == ["grant 2"])
    }

    @Test("CONT-9: who can present what is out of its domain follows it there, and others do not")
    mutating func leaves() throws {
        let able = present(1, try Scene.item("f/a"), by: editor)
        let unable = present(2, try Scene.item("f/a"), by: editor, .all.subtracting(.movesOut))
        let folder = try Scene.item("f/")
        for moving in scene.machine.presenters(movingWith: folder, notOf: mover) {
            scene.take(scene.machine.follow(moving, to: try local("/h/f/a"), in: nil))
        }
        #expect(scene.news() == ["P1 didMoveOut /h/f/a"])
        #expect(scene.machine.presented(by: able)?.localPath == "/h/f/a")
        #expect(try scene.machine.presented(by: unable) == Scene.item("f/a"))
    }

    @Test("one that presents something else meanwhile is left alone")
    mutating func elsewhere() throws {
        let presenter = present(1, try local("/h/a.txt"), by: editor)
        let moving = scene.machine.presenters(movingWith: try local("/h/a.txt"), notOf: mover)
        scene.take(scene.machine.setItem(try Scene.item("x"), of: presenter))
        for one in moving { scene.take(scene.machine.follow(one, to: try Scene.item("g"), in: nil)) }
        #expect(try scene.machine.presented(by: presenter) == Scene.item("x"))
        #expect(scene.news() == [])
    }
}
