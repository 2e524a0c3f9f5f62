import DocumentModel
import FileCoordination
import Testing

/// What presenters are told, in which order, and what their answers do.
@Suite struct PresenterTests {
    private var scene = Scene()
    private let alice = Scene.alice
    private let bob = Scene.bob
    private let carol = Scene.carol

    @Test("COORD-22, COORD-23: presenters of the item and of every package around it, and no others")
    mutating func audience() throws {
        try scene.present("Item", "p.pkg/q.pkg/a")
        try scene.present("Inner", "p.pkg/q.pkg/")
        try scene.present("Outer", "p.pkg/")
        try scene.present("Folder", "/", [.relinquishing, .saving])
        try scene.present("Sibling", "p.pkg/b")
        try scene.request(1, alice, .reading, "p.pkg/q.pkg/a")
        #expect(
            scene.news() == [
                "Item reader", "Inner reader", "Outer reader", "Item save", "Inner save", "Outer save", "grant 1",
            ])
        scene.end(1)
        _ = scene.news()
        try scene.request(2, alice, .writing(.forMerging), "p.pkg/q.pkg/a")
        #expect(
            scene.news() == [
                "Item writer", "Inner writer", "Outer writer", "Item save", "Inner save", "Outer save", "grant 2",
            ])
    }

    @Test("COORD-22: only presenters that implement a message get it, and never the coordinator's own")
    mutating func onlyWhatIsImplemented() throws {
        let own = try scene.present("Own", "a", by: alice)
        try scene.present("Saver", "a", [.saving])
        try scene.present("Deaf", "a", [])
        try scene.request(1, alice, .reading, "a", purpose: .presenter(own))
        scene.end(1)
        #expect(scene.news() == ["Saver save", "grant 1"])
        try scene.request(2, alice, .writing(nil), "a", purpose: .presenter(own))
        scene.end(2)
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-24: relinquish; save; accessor; did-move, version and did-change; reacquire")
    mutating func order() throws {
        try scene.present("P", "a")
        try scene.request(
            1, alice, [(.writing(.forMerging), Scene.item("a")), (.writing(.forMoving), Scene.item("a"))])
        try scene.move("a", to: "b", in: 1)
        scene.take(scene.machine.version("v2", .gained, of: try Scene.item("b", is: "a"), in: ClaimID(1)))
        #expect(scene.news() == ["P writer", "P save", "grant 1"])
        scene.end(1)
        #expect(scene.news() == ["P moved to b", "P gained v2", "P changed", "P reacquire"])
    }

    @Test("COORD-24, COORD-29: a presenter gets its messages one at a time")
    mutating func oneAtATime() throws {
        scene.silent = ["P"]
        try scene.present("P", "a")
        try scene.request(1, alice, .reading(.withoutChanges), "a")
        try scene.request(2, bob, .reading(.withoutChanges), "a")
        #expect(scene.news() == ["P reader"])
        scene.answer("P")
        #expect(scene.news() == ["P reader", "grant 1"])
        scene.answer("P")
        scene.end(1)
        scene.end(2)
        #expect(scene.news() == ["grant 2", "P reacquire"])
        scene.answer("P")
        #expect(scene.news() == ["P reacquire"])
    }

    @Test("COORD-25: a presenter's error makes the waiting fail with it; those who relinquished get it back")
    mutating func presenterFails() throws {
        scene.silent = ["Saver"]
        try scene.present("P", "a", [.relinquishing])
        try scene.present("Saver", "a", [.saving])
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .writing(.forMoving), "a")
        #expect(scene.news() == ["P reader", "Saver save"])
        let failure = DocumentError(.localStorage, "The disk is full.")
        scene.answer("Saver", failure)
        #expect(scene.refusals[1] == failure)
        #expect(scene.news() == ["refuse 1", "P reacquire", "P writer", "grant 2"])
    }

    @Test("COORD-23: who reads the file by itself is asked before a write, and lets others read without a question")
    mutating func writersOnly() throws {
        try scene.present("P", "a", [.relinquishingToWriters])
        try scene.request(1, alice, .reading, "a")
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        scene.silent = ["P"]
        try scene.request(2, bob, .writing(nil), "a")
        #expect(scene.news() == ["P writer"])
        scene.answer("P")
        #expect(scene.news() == ["grant 2"])
        scene.end(2)
        #expect(scene.news() == ["P reacquire"])
    }

    @Test("COORD-26: after a write, files and packages get did-change, folders at any depth the sub-item messages")
    mutating func afterAWrite() throws {
        let deaf: PresenterCapabilities = [.changes]
        try scene.present("Item", "f/p.pkg/a", [.changes])
        try scene.present("Package", "f/p.pkg/", [.changes])
        try scene.present("Listening", "f/p.pkg/", [.changes, .subitems])
        try scene.present("Folder", "f/", [.changes, .subitems])
        try scene.present("Deaf", "f/", deaf)
        try scene.present("Root", "/", [.subitems])
        try scene.request(1, alice, .writing(nil), "f/p.pkg/a")
        scene.end(1)
        #expect(
            scene.news() == [
                "grant 1", "Item changed", "Package changed", "Listening changed f/p.pkg/a",
                "Folder changed f/p.pkg/a", "Root changed f/p.pkg/a",
            ])
        try scene.request(2, alice, .writing(nil), "f/new")
        scene.end(2, [.appeared])
        #expect(scene.news() == ["grant 2", "Folder appeared f/new", "Root appeared f/new"])
        try scene.request(3, alice, .writing(nil), "f/new")
        scene.end(3, [.unchanged])
        #expect(scene.news() == ["grant 3"])
    }

    @Test(
        "COORD-27: versions are told to every presenter, the coordinator's own included, and to folders' as sub-items'")
    mutating func versions() throws {
        let own = try scene.present("Own", "f/a", by: alice, [.versions])
        try scene.present("Other", "f/a", [.versions])
        try scene.present("Folder", "f/", [.versions, .subitemVersions])
        try scene.request(1, alice, .writing(nil), "f/a", purpose: .presenter(own))
        for event in PresenterMessage.VersionEvent.allCases {
            scene.take(scene.machine.version("v1", event, of: try Scene.item("f/a"), in: ClaimID(1)))
        }
        scene.end(1)
        #expect(
            scene.news() == ["grant 1"]
                + ["gained", "lost", "resolved"].flatMap {
                    ["Own \($0) v1", "Other \($0) v1", "Folder \($0) v1 of f/a"]
                })
        scene.take(scene.machine.version("v2", .lost, of: try Scene.item("f/a")))
        #expect(scene.news() == ["Own lost v2", "Other lost v2", "Folder lost v2 of f/a"])
    }

    @Test("COORD-28, COORD-40: changes and moves by programs that do not coordinate are told without relinquish")
    mutating func uncoordinated() throws {
        try scene.present("P", "f/a")
        try scene.present("Folder", "f/", [.subitems])
        scene.take(scene.machine.noticed(.changed, on: try Scene.item("f/a")))
        #expect(scene.news() == ["P changed", "Folder changed f/a"])
        scene.take(scene.machine.placed(try Scene.item("f/b", is: "f/a")))
        #expect(scene.news() == ["P moved to f/b", "Folder moved f/a to f/b"])
        scene.take(scene.machine.noticed(.changed, on: try Scene.item("f/b", is: "f/a")))
        #expect(scene.news() == ["P changed", "Folder changed f/b"])
    }

    @Test("COORD-29: a presenter of a document that is not created yet is asked again after its own write")
    mutating func notCreatedYet() throws {
        let presenter = try scene.present("P", nil, by: alice)
        try scene.request(1, alice, [(.writing(nil), Scene.place("new"))], purpose: .presenter(presenter))
        #expect(scene.news() == ["grant 1"])
        scene.end(1, [.appeared])
        #expect(scene.news() == ["P reread"])
        scene.take(scene.machine.setItem(try Scene.item("new"), of: presenter))
        try scene.request(2, bob, .reading, "new")
        #expect(scene.news() == ["P reader", "P save", "grant 2"])
    }

    @Test(
        "COORD-30: a move is one call; presenters of the item, of everything inside, and of the folders around hear of it"
    )
    mutating func correctMove() throws {
        try scene.present("Item", "f/g/", [.moves])
        try scene.present("Inside", "f/g/a", [.moves])
        try scene.present("Old", "f/", [.subitems])
        try scene.present("New", "h/", [.subitems])
        let own = try scene.present("Own", "f/g/a", by: alice, [.moves])
        try scene.request(
            1, alice, [(.writing(.forMoving), Scene.item("f/g/")), (.writing(.forReplacing), Scene.place("h/g/"))],
            purpose: .presenter(own))
        try scene.move("f/g/", to: "f/g/", in: 1)
        try scene.move("f/g/", to: "h/g/", in: 1)
        scene.end(1)
        #expect(
            scene.news()
                == [
                    "grant 1", "Item moved to h/g", "Inside moved to h/g/a", "Old moved f/g to h/g",
                    "New moved f/g to h/g",
                    "Old changed h/g", "New changed h/g",
                ].filter { $0 != "Old changed h/g" })
    }

    @Test("COORD-30: outside of an accessor, and of one that writes the item, a move is refused")
    mutating func moveOutside() throws {
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, alice, .writing(nil), "b")
        for claim in UInt64(1)...3 {
            #expect(throws: DocumentError.self) { try scene.move("a", to: "c", in: claim) }
        }
    }

    @Test("COORD-31: who registers inside a read misses no change, and who is removed gets no message")
    mutating func registering() throws {
        try scene.request(1, carol, .reading, "a")
        try scene.request(2, alice, .writing(nil), "a")
        let presenter = try scene.present("P", "a")
        scene.end(1)
        scene.end(2)
        #expect(scene.news() == ["grant 1", "P writer", "grant 2", "P changed", "P reacquire"])
        scene.take(scene.machine.remove(presenter))
        try scene.request(3, alice, .writing(nil), "a")
        #expect(scene.news() == ["grant 3"])
        #expect(!scene.machine.isRegistered(presenter))
    }

    @Test("COORD-32: what a presenter writes while it saves passes before the read that it saves for")
    mutating func savePassesTheRead() throws {
        scene.silent = ["P"]
        let presenter = try scene.present("P", "a", [.saving])
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .writing(nil), "a")
        try scene.request(3, carol, .writing(nil), "a", purpose: .presenter(presenter))
        #expect(scene.news() == ["P save", "grant 3"])
        scene.answer("P")
        #expect(scene.news() == [], "the read waits for the write that passed it")
        scene.end(3)
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-32: a presenter's write passes the read, and not those who read already")
    mutating func saveWaitsForReaders() throws {
        scene.silent = ["P"]
        try scene.request(1, bob, .reading, "a")
        let presenter = try scene.present("P", "a", [.saving])
        try scene.request(2, alice, .reading, "a")
        try scene.request(3, carol, .writing(nil), "a", purpose: .presenter(presenter))
        #expect(scene.news() == ["grant 1", "P save"])
        scene.end(1)
        #expect(scene.news() == ["grant 3"])
    }

    @Test("COORD-32: two editors with unsaved changes save one after the other, and both are read")
    mutating func twoEditors() throws {
        scene.silent = ["P", "Q"]
        let first = try scene.present("P", "a", by: bob, [.saving])
        let second = try scene.present("Q", "a", by: carol, [.saving])
        try scene.request(1, alice, .reading, "a")
        try scene.request(2, bob, .writing(nil), "a", purpose: .presenter(first))
        scene.end(2)
        scene.answer("P")
        try scene.request(3, carol, .writing(nil), "a", purpose: .presenter(second))
        scene.end(3)
        scene.answer("Q")
        #expect(scene.news() == ["P save", "grant 2", "Q save", "grant 3", "grant 1"])
    }

    @Test("COORD-37: messages of a cancelled claim stay sent, and their answers are not awaited")
    mutating func cancelledWhileAsking() throws {
        scene.silent = ["P"]
        try scene.present("P", "a", [.relinquishing])
        try scene.request(1, alice, .reading, "a", coordinator: 1)
        try scene.request(2, alice, .reading, "a", coordinator: 1)
        scene.cancel(alice, coordinator: 1)
        #expect(scene.news() == ["P reader", "refuse 1", "refuse 2"])
        scene.answer("P")
        #expect(scene.news() == ["P reacquire"], "what it gave up for nobody, it gets back")
        scene.answer("P")
        #expect(scene.news() == [], "what was not sent yet is never sent")
    }

    @Test("COORD-41: of attributes, a presenter hears those that it asked for")
    mutating func attributes() throws {
        try scene.present("P", "a", attributes: ["isUploaded", "isShared"])
        try scene.present("Q", "a")
        scene.take(scene.machine.attributesChanged(["isUploaded", "isDownloaded"], of: try Scene.item("a")))
        #expect(scene.news() == ["P attributes isUploaded"])
    }

    @Test("COORD-39: a presenter that does not answer is dropped at its deadline, and the others go on")
    mutating func deadline() throws {
        scene.silent = ["P"]
        try scene.present("P", "a", patience: .seconds(5))
        try scene.present("Q", "a", [.saving])
        scene.time = .seconds(100)
        try scene.request(1, alice, .reading, "a")
        #expect(scene.machine.nextDeadline == .seconds(105))
        scene.pass(to: .seconds(104))
        #expect(scene.news() == ["P reader"])
        scene.pass(to: .seconds(105))
        #expect(scene.news() == ["drop P", "Q save", "grant 1"])
        #expect(scene.machine.nextDeadline == nil)
        #expect(
            scene.machine.dropped.map(\.description) == [
                "carol was asked to let others read, did not answer within 5.0 seconds, and no longer presents work:/a; it must register again."
            ])
        scene.answer("P")
        scene.end(1)
        #expect(scene.news() == [], "it gets no message any more, and its late answer does nothing")
    }

    @Test("COORD-39: a presenter that itself waits for its write while it saves gets more time")
    mutating func deadlineWhileItWaits() throws {
        scene.silent = ["P"]
        try scene.request(1, bob, .reading, "a")
        let presenter = try scene.present("P", "a", patience: .seconds(5))
        try scene.request(2, alice, .reading, "a")
        let message = try #require(scene.unanswered["P"]?.first)
        try scene.request(3, carol, .writing(nil), "a", purpose: .presenter(presenter), answering: message)
        scene.pass(to: .seconds(6))
        #expect(scene.machine.nextDeadline == .seconds(11))
        scene.end(1)
        scene.pass(to: .seconds(11))
        #expect(scene.news() == ["grant 1", "P reader", "grant 3", "drop P"])
        scene.end(3)
        #expect(scene.news() == ["grant 2"])
    }

    @Test("COORD-39: a presenter that has a snapshot by now, and does not answer, waits for nothing and is dropped")
    mutating func deadlineWhileItUploads() throws {
        scene.silent = ["P"]
        let presenter = try scene.present("P", "a", patience: .seconds(5))
        try scene.request(1, alice, .reading, "a")
        let message = try #require(scene.unanswered["P"]?.first)
        try scene.request(2, carol, .reading(.forUploading), "b", purpose: .presenter(presenter), answering: message)
        scene.pass(to: .seconds(6))
        #expect(scene.news() == ["P reader", "snapshot 2 b", "grant 2", "drop P", "grant 1"])
    }

    @Test("COORD-39: a presenter's process that ends is not waited for")
    mutating func presenterEnds() throws {
        scene.silent = ["P"]
        try scene.present("P", "a")
        try scene.request(1, alice, .reading, "a")
        scene.ends(carol)
        #expect(scene.news() == ["P reader", "grant 1"])
    }

    @Test("A presenter that reads none of its messages is dropped before they fill the memory; repetitions are one")
    mutating func floods() throws {
        scene.silent = ["P"]
        let presenter = try scene.present("P", "f/", [.subitems])
        for _ in 0..<5_000 { scene.take(scene.machine.noticed(.changed, on: try Scene.item("f/a"))) }
        #expect(scene.machine.isRegistered(presenter))
        for number in 0..<1_100 { scene.take(scene.machine.noticed(.changed, on: try Scene.item("f/\(number)"))) }
        #expect(!scene.machine.isRegistered(presenter))
        #expect(scene.dropped.map(\.presenter) == [presenter])
    }

    @Test("COORD-28: what the remote has moved takes along those who present and claim it, and what is inside; once")
    mutating func placedElsewhere() throws {
        try scene.present("P", "f/a")
        try scene.placed("g/", is: "f")
        #expect(scene.news() == ["P moved to g/a"], "nobody presents the folder itself")
        try scene.placed("g/", is: "f")
        #expect(scene.news() == [], "it is there already")
        try scene.request(1, alice, [(.writing(nil), try Scene.item("g/a", is: "f/a"))])
        #expect(scene.news() == ["P writer", "grant 1"])
        try scene.placed("h", is: "f/a")
        #expect(scene.news() == ["P moved to h"])
        scene.end(1)
        #expect(scene.news() == ["P changed", "P reacquire"])
        try scene.placed("elsewhere", is: "unknown")
        #expect(scene.news() == [])
    }
}
