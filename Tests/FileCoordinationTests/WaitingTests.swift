import DocumentModel
import FileCoordination
import Testing

/// Who waits for whom, and that nobody waits for ever.
@Suite struct WaitingTests {
    private var scene = Scene()
    private let alice = Scene.alice
    private let bob = Scene.bob
    private let carol = Scene.carol

    @Test("COORD-1: readers share")
    mutating func readersShare() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .reading, "a")
        #expect(scene.news() == ["grant 1", "grant 2"])
    }

    @Test(
        "COORD-1, COORD-2: a writer excludes readers and writers of the item until it ends, and nobody else",
        arguments: [
            ClaimIntent.reading, .writing(nil), .writing(.forMerging), .writing(.contentIndependentMetadataOnly),
        ])
    func writerExcludes(later: ClaimIntent) throws {
        var scene = scene
        try scene.request(1, alice, .writing(nil), "a")
        try scene.request(2, bob, later, "a")
        try scene.request(3, bob, later, "b")
        #expect(scene.news() == ["grant 1", "grant 3"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-39: first in, first out: a waiting writer is not overtaken by readers")
    mutating func writerIsNotStarved() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .writing(nil), "a")
        try scene.request(3, carol, .reading, "a")
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
    }

    @Test("COORD-3: what the remote has removed goes while others read what they have opened, and waits for all others")
    mutating func following() throws {
        try scene.request(1, alice, .reading(.asItComes), "a")
        try scene.request(2, bob, .writing(.forDeleting), "a", style: .following)
        #expect(scene.news() == ["grant 1", "grant 2"])
        scene.end(2)
        #expect(
            try scene.machine.grantAtOnce(
                Claim(
                    id: ClaimID(3), owner: bob, item: Scene.item("a"), intent: .writing(.forDeleting),
                    style: .following)))
        scene.end(3)
        try scene.request(4, bob, .reading, "a")
        try scene.request(5, carol, .writing(.forDeleting), "a", style: .following)
        try scene.request(6, alice, .reading([.asItComes, .withoutChanges]), "a")
        try scene.request(7, alice, .reading, "a")
        #expect(scene.news() == ["grant 4", "grant 6"])
        scene.end(4)
        #expect(scene.news() == ["grant 5"])
        scene.end(5)
        #expect(scene.news() == ["grant 7"])
        scene.end(7)
        // Whoever else removes or writes it waits for those who read.
        try scene.request(8, bob, .writing(.forDeleting), "a")
        #expect(scene.news() == [])
        scene.end(1)
        scene.end(6)
        #expect(scene.news() == ["grant 8"])
        scene.end(8)
        // What lies in a package may be opened later.
        try scene.request(9, alice, .reading(.asItComes), "p.pkg/")
        try scene.request(10, bob, .writing(.forDeleting), "p.pkg/", style: .following)
        #expect(scene.news() == ["grant 9"])
    }

    @Test("COORD-6, ID-5: one coordinator, one presenter, or one purpose: never wait for each other")
    mutating func samePurpose() throws {
        let presenter = try scene.present("P", "b", by: alice, [])
        try scene.request(1, alice, .writing(nil), "a", purpose: .identifier("org.example.p"))
        try scene.request(2, bob, .writing(.forDeleting), "a", purpose: .identifier("org.example.p"))
        try scene.request(3, bob, .writing(nil), "a", purpose: .identifier("org.example.q"))
        try scene.request(4, alice, .writing(nil), "b", purpose: .presenter(presenter))
        try scene.request(5, alice, .writing(nil), "b", purpose: .presenter(presenter))
        try scene.request(6, alice, .writing(nil), "c", coordinator: 1)
        try scene.request(7, alice, .writing(nil), "c", coordinator: 1)
        try scene.request(8, bob, .writing(nil), "c", coordinator: 1)
        #expect(scene.news() == ["grant 1", "grant 2", "grant 4", "grant 5", "grant 6", "grant 7"])
    }

    @Test("COORD-8: a claim that is given up while it waits frees those behind it")
    mutating func givingUpFreesTheQueue() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .writing(nil), "a")
        try scene.request(3, carol, .reading, "a")
        scene.end(2)
        #expect(scene.news() == ["grant 1", "grant 3"])
    }

    @Test("COORD-8, COORD-39: claims end with their connection")
    mutating func ownerEnds() throws {
        try scene.request(1, alice, .writing(nil), "a")
        try scene.request(2, alice, .writing(nil), "b")
        try scene.request(3, bob, .reading, "a")
        try scene.request(4, carol, .reading, "b")
        try scene.request(5, alice, .reading, "b")
        scene.ends(alice)
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3", "grant 4"])
        #expect(scene.machine.heldCount == 2)
        #expect(scene.machine.waitingCount == 0)
    }

    @Test("COORD-21: a claim on anything inside a package is a claim on the outermost package")
    mutating func packages() throws {
        try scene.request(1, alice, .writing(nil), "p.pkg/q.pkg/a")
        try scene.request(2, bob, .reading, "p.pkg/b")
        try scene.request(3, carol, .reading, "p.pkg/")
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["grant 2", "grant 3"])
    }

    @Test("COORD-2: whoever holds an item excludes others, in whatever order the claims were numbered")
    mutating func numbersDoNotDecide() throws {
        try scene.request(6, alice, .writing(nil), "a")
        try scene.request(5, bob, .writing(nil), "a")
        #expect(scene.news() == ["grant 6"])
        scene.end(6)
        #expect(scene.news() == ["grant 5"])
    }

    @Test("COORD-36: a purpose is unique by default, not empty, and not together with a presenter")
    func purposes() throws {
        #expect(try Purpose(identifier: nil, presenter: nil) == nil)
        #expect(try Purpose(identifier: "p", presenter: nil) == .identifier("p"))
        #expect(try Purpose(identifier: nil, presenter: PresenterID(1)) == .presenter(PresenterID(1)))
        for presenter in [nil, PresenterID(1)] {
            #expect(throws: DocumentError.self) { try Purpose(identifier: "", presenter: presenter) }
        }
        #expect(throws: DocumentError.self) { try Purpose(identifier: "p", presenter: PresenterID(1)) }
    }

    @Test("COORD-37: cancelling refuses what waits, lets what runs finish, and later calls run nothing")
    mutating func cancelling() throws {
        try scene.request(1, alice, .writing(nil), "a", coordinator: 1)
        try scene.request(2, bob, .writing(nil), "b", coordinator: 1)
        try scene.request(3, alice, .reading, "b", coordinator: 1)
        try scene.request(4, alice, .reading, "b", coordinator: 2)
        scene.cancel(alice, coordinator: 1)
        #expect(scene.news() == ["grant 1", "grant 2", "refuse 3"])
        #expect(scene.refusals[3] == DocumentError(.cancelled, "Waiting for work:/b was cancelled."))
        try scene.request(5, alice, .reading, "c", coordinator: 1)
        try scene.request(6, alice, .reading, "c", coordinator: 2)
        scene.end(1)
        scene.end(2)
        #expect(scene.news() == ["refuse 5", "grant 6", "grant 4"])
    }

    @Test("COORD-37: of the cancelled coordinators of a connection the newest are known, however many it names")
    mutating func manyCancelled() throws {
        for number in 1...20_000 as ClosedRange<UInt64> { scene.cancel(alice, coordinator: number) }
        func isCancelled(_ number: UInt64) -> Bool {
            scene.machine.isCancelled(CoordinatorID(owner: Scene.alice.id, number: number))
        }
        #expect(isCancelled(20_000) && isCancelled(16_000) && !isCancelled(1))
        scene.ends(alice)
        #expect(!isCancelled(20_000))
    }

    @Test("COORD-1, COORD-2, COORD-39: at once is granted what waits for nobody, and nobody is passed by it")
    mutating func atOnce() throws {
        func reading(_ id: UInt64, _ path: String, coordinator: UInt64? = nil) throws -> Claim {
            Claim(
                id: ClaimID(id), owner: Scene.bob, intentions: [AccessIntention(try Scene.item(path), .reading)],
                coordinator: coordinator.map { CoordinatorID(owner: Scene.bob.id, number: $0) })
        }
        try scene.request(1, alice, .reading, "a")
        #expect(try scene.machine.grantAtOnce(reading(2, "a")), "readers share")
        #expect(scene.machine.heldCount == 2 && scene.machine.waitingCount == 0)
        try scene.request(3, alice, .writing(nil), "a")
        #expect(try !scene.machine.grantAtOnce(reading(4, "a")), "a writer waits for its turn")
        scene.end(1)
        #expect(scene.news() == ["grant 1"])
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
        #expect(try !scene.machine.grantAtOnce(reading(5, "a")), "somebody writes")
        scene.end(3)
        #expect(try scene.machine.grantAtOnce(reading(6, "a")))
        try scene.request(7, alice, .writing(.forDeleting), "a")
        scene.ends(Scene.bob)
        #expect(scene.news() == ["grant 7"], "it ends with its connection")
        scene.cancel(Scene.bob, coordinator: 1)
        #expect(try !scene.machine.grantAtOnce(reading(8, "b", coordinator: 1)))
        scene.end(7)
        #expect(scene.machine.isIdle)
    }

    @Test("COORD-10, COORD-14, COORD-22: at once is not granted what presenters are asked for, or needs a snapshot")
    mutating func notAtOnce() throws {
        func claim(_ intent: ClaimIntent, _ path: String) throws -> Claim {
            Claim(id: ClaimID(1), owner: alice, item: try Scene.item(path), intent: intent)
        }
        try scene.present("P", "p.pkg/")
        #expect(try !scene.machine.grantAtOnce(claim(.reading, "p.pkg/c")))
        #expect(try !scene.machine.grantAtOnce(claim(.reading(.forUploading), "a")))
        #expect(scene.machine.heldCount == 0 && scene.news() == [])
        #expect(try scene.machine.grantAtOnce(claim(.reading, "a")))
    }

    @Test("A claim that may not wait says who is in the way")
    mutating func unlessBusy() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .evicting, "a", style: .unlessBusy)
        #expect(scene.news() == ["grant 1", "refuse 2"])
        #expect(scene.refusals[2]?.code == .busy)
        #expect(scene.refusals[2]?.message == "work:/a is in use: alice reads work:/a. End that access first.")
        #expect(scene.machine.waitingCount == 0)
    }

    @Test("A claim that may not wait for others waits for its owner's own")
    mutating func unlessOthersUseIt() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, alice, .evicting, "a", style: .unlessOthersUseIt)
        try scene.request(3, bob, .evicting, "a", style: .unlessOthersUseIt)
        #expect(scene.news() == ["grant 1", "refuse 3"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-39: every wait says what it waits for, and all that is held can be listed")
    mutating func explanations() throws {
        scene.silent = ["P"]
        scene.providesAtOnce = false
        try scene.present("P", "b")
        try scene.request(1, alice, .writing(nil), "a")
        scene.time = .seconds(5)
        try scene.request(2, bob, .reading, "a")
        try scene.request(3, bob, .reading, "b")
        try scene.request(4, bob, .reading, "c", provides: true)
        try scene.request(5, bob, .reading(.forUploading), "d")
        #expect(scene.machine.explanation(of: ClaimID(1)) == nil)
        #expect(
            scene.machine.explanations.map(\.description) == [
                "bob waits to read work:/a until these have ended: alice, which writes work:/a.",
                "bob waits to read work:/b until carol, which presents it, has answered to let others read.",
                "bob waits to read work:/c until the provider has brought the contents of work:/c.",
                "bob waits to read work:/d until a snapshot of work:/d is made.",
            ])
        #expect(scene.machine.explanation(of: ClaimID(2))?.since == .seconds(5))
        #expect(scene.machine.holdings.map(\.description) == ["alice writes work:/a."])
    }
}
