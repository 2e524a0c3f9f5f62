import DocumentModel
import FileCoordination
import Testing

/// Deadlocks are found when they arise, and all parties hear of it.
@Suite struct DeadlockTests {
    private var scene = Scene()
    private let alice = Scene.alice
    private let bob = Scene.bob
    private let carol = Scene.carol

    @Test("COORD-39: a deadlock is an error at once, names both parties, and says who waits for whom")
    mutating func deadlock() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .reading, "b")
        try scene.request(3, alice, .writing(nil), "b", in: [1])
        try scene.request(4, bob, .writing(nil), "a", in: [2])
        #expect(scene.news() == ["grant 1", "grant 2", "refuse 4", "report alice"])
        let error = try #require(scene.refusals[4])
        #expect(error.code == .deadlock)
        #expect(
            error.message
                == "bob and alice wait for each other: bob waits to write work:/a until alice reads work:/a no more; alice holds work:/a until it may write work:/b; alice waits to write work:/b until bob reads work:/b no more; bob holds work:/b until it may write work:/a. The claim of bob was refused. End one access and try again."
        )
        #expect(scene.reports.map(\.refused) == [bob])
        #expect(scene.reports.first?.parties == [bob, alice])
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
    }

    @Test("COORD-39: a deadlock of three is found, and the two others hear of it")
    mutating func deadlockOfThree() throws {
        for (number, (owner, name)) in [(alice, "a"), (bob, "b"), (carol, "c")].enumerated() {
            try scene.request(UInt64(number + 1), owner, .reading, name)
        }
        try scene.request(4, alice, .writing(nil), "b", in: [1])
        try scene.request(5, bob, .writing(nil), "c", in: [2])
        try scene.request(6, carol, .writing(nil), "a", in: [3])
        #expect(scene.news().suffix(3) == ["refuse 6", "report alice", "report bob"])
    }

    @Test("COORD-39: a write inside one's own read waits for itself, and is refused")
    mutating func alone() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, alice, .writing(nil), "a", in: [1])
        #expect(scene.news() == ["grant 1", "refuse 2"])
        #expect(scene.refusals[2]?.message.hasPrefix("alice waits for itself: ") == true)
    }

    @Test(
        "COORD-38, COORD-39: what the host does on behalf of an accessor is refused only where it would wait for that")
    mutating func onBehalf() throws {
        let host = ClaimOwner(id: 99, name: "the host")
        try scene.request(1, alice, .writing(nil), "a")
        try scene.request(2, host, .writing(.forMoving), "b", in: [1])
        #expect(scene.news() == ["grant 1", "grant 2"])
        scene.end(2)
        try scene.request(3, host, .writing(.forMoving), "a", in: [1])
        #expect(scene.news() == ["refuse 3", "report alice"])
        #expect(scene.refusals[3]?.message.hasPrefix("the host and alice wait for each other: ") == true)
        // By way of another tool, too.
        scene.end(1)
        try scene.request(4, alice, .reading, "a")
        try scene.request(5, bob, .reading, "b")
        try scene.request(6, bob, .writing(nil), "a", in: [5])
        try scene.request(7, host, .writing(.forDeleting), "b", in: [4])
        #expect(scene.news() == ["grant 4", "grant 5", "refuse 7", "report bob", "report alice"])
    }

    @Test("COORD-39, CONT-2: who may not know of others' documents is told of a deadlock without them")
    mutating func restrictedParty() throws {
        let guest = ClaimOwner(id: 9, name: "guest", isRestricted: true)
        try scene.request(1, guest, .reading, "a")
        try scene.request(2, bob, [(.reading, Scene.item("b")), (.reading, Scene.item("secret"))])
        try scene.request(3, bob, .writing(nil), "a", in: [2])
        try scene.request(4, guest, .writing(nil), "b", in: [1])
        let told = try #require(scene.refusals[4])
        let (a, b) = (try Scene.item("a").location, try Scene.item("b").location)
        #expect(told.message.contains("bob holds \(b) and another document until it may write \(a)"), "\(told)")
        #expect(!"\(told) \(told.causes)".contains("secret"))
        // The other one knows what it has asked for itself, and may know of all.
        #expect(scene.reports.last?.description.contains("secret") == true, "\(scene.reports)")
    }

    @Test("COORD-39: the order alone makes no deadlock: a nested claim goes before those who wait for the outer one")
    mutating func orderIsNoDeadlock() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, [(.writing(nil), Scene.item("a")), (.writing(nil), Scene.item("b"))])
        try scene.request(3, alice, .reading, "b", in: [1])
        #expect(scene.news() == ["grant 1", "grant 3"])
        scene.end(3)
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-6, COORD-39: a coordinator's further access does not wait for those who wait for its first one")
    mutating func furtherAccess() throws {
        try scene.request(1, alice, .writing(nil), "a", coordinator: 7)
        // The host wants to send it; then alice goes on with what it has begun, before that.
        try scene.request(2, bob, .reading([.forUploading, .withoutChanges]), "a")
        try scene.request(3, alice, .writing(.forMoving), "a", coordinator: 7)
        try scene.request(4, alice, .reading, "a", coordinator: 7)
        #expect(scene.news() == ["grant 1", "grant 3", "grant 4"])
        // Others keep the order, those of another coordinator too: it could wait for them as well.
        try scene.request(5, carol, .reading, "a")
        try scene.request(6, alice, .reading, "a", coordinator: 8)
        for id in [1, 3, 4] as [UInt64] { scene.end(id) }
        let news = scene.news()
        #expect(news.first == "snapshot 2 a")
        #expect(Set(news).isSuperset(of: ["grant 2", "grant 5", "grant 6"]))
    }

    @Test("COORD-6, COORD-39: nor when they wait for it by way of others, nor with a presenter's purpose")
    mutating func furtherAccessByWayOfOthers() throws {
        let presenter = try scene.present("P", "a", by: alice, [])
        try scene.request(1, alice, .writing(nil), "a", purpose: .presenter(presenter))
        try scene.request(2, bob, [(.writing(nil), Scene.item("a")), (.writing(nil), Scene.item("b"))])
        try scene.request(3, carol, [(.writing(nil), Scene.item("b")), (.writing(nil), Scene.item("c"))])
        try scene.request(4, alice, .writing(nil), "c", purpose: .presenter(presenter))
        #expect(scene.news() == ["grant 1", "grant 4"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
        scene.end(2)
        #expect(scene.news() == [])
        scene.end(4)
        #expect(scene.news() == ["grant 3"])
        scene.end(3)
    }

    @Test("COORD-6: the order holds where nobody waits for a coordinator's first access")
    mutating func furtherAccessInOrder() throws {
        try scene.request(1, alice, .writing(nil), "b", coordinator: 7)
        try scene.request(2, bob, .writing(nil), "a")
        try scene.request(3, carol, .writing(nil), "a")
        try scene.request(4, alice, .writing(nil), "a", coordinator: 7)
        scene.end(2)
        scene.end(3)
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3", "grant 4"])
    }

    @Test("COORD-3, COORD-7: what is moved into a folder with several that use it counts as inside of it")
    mutating func movedInside() throws {
        try scene.request(1, alice, .writing(nil), "a")
        try scene.request(2, bob, .reading, "a")
        try scene.request(3, carol, .reading, "a")
        try scene.move("a", to: "f/a", in: 1, is: "a")
        scene.end(1)
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3"])
        try scene.request(4, alice, .writing(.forDeleting), "f/")
        #expect(scene.news() == [], "two read in it")
        scene.end(2)
        scene.end(3)
        #expect(scene.news() == ["grant 4"])
        scene.end(4)
    }

    @Test("COORD-39: a move that makes somebody wait for itself is found when it takes place")
    mutating func movedIntoDeadlock() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .reading, "f/b")
        try scene.request(3, alice, .writing(.forMoving), "f/", in: [1])
        #expect(scene.news() == ["grant 1", "grant 2"])
        scene.take(scene.machine.placed(try Scene.item("f/a", is: "a")))
        #expect(scene.news() == ["refuse 3"])
        #expect(scene.refusals[3]?.code == .deadlock)
        for id in [1, 2] as [UInt64] { scene.end(id) }
        #expect(scene.machine.heldCount + scene.machine.waitingCount == 0)
    }

    @Test("COORD-4, COORD-39: a folder's move does not pass what is waited for inside of an access that it waits for")
    mutating func moveIsNoDeadlock() throws {
        try scene.request(1, alice, .reading, "f/a")
        try scene.request(2, bob, .writing(nil), "f/b")
        try scene.request(3, alice, .reading, "f/b", in: [1])
        try scene.request(4, carol, .writing(.forMoving), "f/")
        scene.end(2)
        scene.end(3)
        scene.end(1)
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3", "grant 4"])
    }

    @Test(
        "COORD-38: a coordinator without its presenter, used while that one answers, would wait for ever: it is refused"
    )
    mutating func withoutItsPresenter() throws {
        scene.silent = ["P"]
        try scene.present("P", "a", [.saving])
        try scene.request(1, alice, .reading, "a")
        let message = try #require(scene.unanswered["P"]?.first)
        try scene.request(2, carol, .writing(nil), "a", answering: message)
        #expect(scene.news() == ["P save", "refuse 2", "report alice"])
        #expect(
            scene.refusals[2]?.causes == [
                "carol waits to write work:/a until alice reads work:/a no more.",
                "alice waits to read work:/a until carol, which presents it, has answered to save its changes.",
                "carol, asked to save its changes, waits first to write work:/a.",
            ])
        scene.answer("P")
        #expect(scene.news() == ["grant 1"])
    }

    @Test("COORD-38, COORD-39: a deadlock that arises without a new claim is found when the presenter is asked")
    mutating func arisesLater() throws {
        scene.silent = ["P"]
        try scene.request(1, bob, .writing(nil), "a")
        try scene.request(2, alice, .reading, "a")
        let presenter = try scene.present("P", "b", [.saving])
        try scene.request(3, bob, .reading, "b")
        let message = try #require(scene.unanswered["P"]?.first)
        try scene.request(4, carol, .writing(nil), "a", answering: message)
        #expect(scene.news() == ["grant 1", "P save"])
        scene.take(scene.machine.setItem(try Scene.item("a"), of: presenter))
        scene.end(1)
        // Now the read of a asks P, which answers only when its write of a has passed, which waits for the read.
        #expect(scene.news() == ["refuse 2", "report carol", "grant 4"])
    }

    @Test("COORD-32, COORD-39: who is passed by a presenter's claim waits for it also while others are still asked")
    mutating func passedWhileAsking() throws {
        scene.silent = ["P"]
        let presenter = try scene.present("P", "f/", by: bob, [.relinquishing])
        try scene.request(1, alice, .writing(.forDeleting), "f/")
        try scene.request(2, bob, .reading, "f/a", purpose: .presenter(presenter))
        try scene.request(3, bob, .writing(nil), "f/b", in: [2])
        #expect(scene.news() == ["P writer", "grant 2", "grant 3"], "behind the deletion it would wait for ever")
    }

    @Test("COORD-38: a presenter in a stopped process holds readers up to its deadline, and no longer")
    mutating func stoppedPresenter() throws {
        scene.silent = ["P"]
        try scene.present("P", "a", patience: .seconds(2))
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .writing(nil), "a")
        scene.pass(to: .seconds(2))
        scene.end(1)
        #expect(scene.news() == ["P reader", "drop P", "grant 1", "grant 2"])
    }

    @Test("COORD-38: evicting and moving into a container inside one's own accessor: refused at once, not a hang")
    mutating func insideAnAccessor() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, alice, .evicting, "a", in: [1], style: .unlessBusy)
        try scene.request(3, alice, .writing(.forMoving), "a", in: [1])
        #expect(scene.news() == ["grant 1", "refuse 2", "refuse 3"])
        #expect(scene.refusals.values.allSatisfy { $0.code == .deadlock })
    }

    @Test("COORD-39: who would only renew a file gives way to a deadlock, and nobody is told; its wait says what it is")
    mutating func renewal() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .reading, "b")
        try scene.request(3, alice, .writing(nil), "b", in: [1])
        try scene.request(4, bob, .writing(nil), "a", in: [2], style: .renewal)
        #expect(scene.news() == ["grant 1", "grant 2", "refuse 4"])
        #expect(scene.refusals[4]?.code == .deadlock)
        try scene.request(5, carol, .writing(nil), "a", style: .renewal)
        let wait = try #require(scene.machine.explanation(of: ClaimID(5)))
        #expect("\(wait)" == "carol waits to renew work:/a until these have ended: alice, which reads work:/a.")
        scene.end(2)
        scene.end(3)
        scene.end(1)
        #expect(scene.news() == ["grant 3", "grant 5"])
        #expect(scene.machine.holdings.map(\.description) == ["carol renews work:/a."])
    }

    @Test("COORD-39: who would only renew a file gives way also to whoever closes the circle later")
    mutating func renewalBefore() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .reading, "b")
        try scene.request(3, alice, .writing(nil), "b", in: [1], style: .renewal)
        try scene.request(4, bob, .writing(nil), "a", in: [2])
        #expect(scene.news() == ["grant 1", "grant 2", "refuse 3"])
        #expect(scene.reports.isEmpty)
        scene.end(1)
        #expect(scene.news() == ["grant 4"])
    }
}
