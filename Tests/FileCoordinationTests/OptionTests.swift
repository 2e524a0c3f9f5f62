import DocumentModel
import FileCoordination
import Testing

/// What each reading and writing option changes.
@Suite struct OptionTests {
    private var scene = Scene()
    private let alice = Scene.alice
    private let bob = Scene.bob

    @Test("COORD-9: a read has the contents provided before its accessor runs, and nobody writes meanwhile")
    mutating func contentsFirst() throws {
        scene.providesAtOnce = false
        try scene.request(1, alice, .reading, "a", provides: true)
        try scene.request(2, bob, .writing(nil), "a")
        #expect(scene.news() == ["provide 1 a"])
        scene.provided(1)
        scene.end(1)
        #expect(scene.news() == ["grant 1", "grant 2"])
    }

    @Test("COORD-9, PROV-14: when providing fails, the reader gets the provider's error, and nobody waits for it")
    mutating func providingFails() throws {
        scene.providesAtOnce = false
        try scene.present("P", "a")
        try scene.request(1, alice, .reading, "a", provides: true)
        try scene.request(2, bob, .writing(.forMoving), "a")
        let failure = DocumentError(.serverUnreachable, "The server is away.", causes: ["No route."])
        scene.provided(1, failure)
        #expect(scene.refusals[1] == failure)
        #expect(
            scene.news() == ["P reader", "P save", "provide 1 a", "refuse 1", "P reacquire", "P writer", "grant 2"])
    }

    @Test(
        "COORD-13, COORD-21: which options want the contents here",
        arguments: [
            (ClaimIntent.reading, true), (.reading(.withoutChanges), true), (.reading(.resolvesSymbolicLink), true),
            (.reading(.forUploading), true), (.reading(.immediatelyAvailableMetadataOnly), false),
            (.writing(nil), true), (.writing(.forMerging), true), (.writing(.forDeleting), false),
            (.writing(.forReplacing), false), (.writing(.forMoving), false),
            (.writing(.contentIndependentMetadataOnly), false),
        ])
    func contentsWanted(intent: ClaimIntent, isWanted: Bool) throws {
        var scene = scene
        try scene.request(1, alice, intent, "a", provides: true)
        #expect(scene.news().contains("provide 1 a") == isWanted)
    }

    @Test("COORD-10, COORD-11: presenters are asked to save before a read, unless it is without changes")
    mutating func savingFirst() throws {
        try scene.present("P", "a")
        try scene.request(1, alice, .reading, "a")
        scene.end(1)
        #expect(scene.news() == ["P reader", "P save", "grant 1", "P reacquire"])
        try scene.request(2, alice, .reading(.withoutChanges), "a")
        scene.end(2)
        #expect(scene.news() == ["P reader", "grant 2", "P reacquire"])
    }

    @Test("COORD-12: with resolvesSymbolicLink a read waits and asks as a plain one does: no item is a link")
    mutating func links() throws {
        try scene.present("P", "a")
        try scene.request(1, bob, .writing(nil), "a")
        try scene.request(2, alice, .reading(.resolvesSymbolicLink), "a")
        #expect(scene.news() == ["P writer", "grant 1"])
        scene.end(1)
        scene.end(2)
        #expect(scene.news() == ["P changed", "P reacquire", "P reader", "P save", "grant 2", "P reacquire"])
    }

    @Test(
        "COORD-21, PROV-16: a part of a package is claimed while any reads it, or the package; not while another part is read"
    )
    mutating func claimedParts() throws {
        let (a, b, whole) = (try Scene.item("p.pkg/a"), try Scene.item("p.pkg/b"), try Scene.item("p.pkg/"))
        try scene.request(1, alice, .reading, "p.pkg/a")
        try scene.request(2, bob, .reading, "p.pkg/a")
        scene.end(1)
        #expect(scene.machine.isClaimed(a) && !scene.machine.isClaimed(b))
        #expect(scene.machine.isClaimed(whole) && scene.machine.isClaimed(whole, contentsToo: true))
        scene.end(2)
        #expect(!scene.machine.isClaimed(a) && !scene.machine.isClaimed(whole, contentsToo: true))
        try scene.request(3, alice, [(.reading, whole)])
        #expect(scene.machine.isClaimed(a) && scene.machine.isClaimed(b))
        scene.end(3)
        try scene.request(4, alice, .reading, "p.pkg/inner/c")
        #expect(!scene.machine.isClaimed(try Scene.item("p.pkg/inner/")))
        #expect(scene.machine.isClaimed(try Scene.item("p.pkg/inner/"), contentsToo: true))
    }

    @Test("COORD-13: metadata alone waits for local writers and for presenters, and not for contents")
    mutating func metadataOnly() throws {
        try scene.present("P", "a")
        try scene.request(1, bob, .writing(nil), "a")
        try scene.request(2, alice, .reading(.immediatelyAvailableMetadataOnly), "a", provides: true)
        #expect(scene.news() == ["P writer", "grant 1"])
        scene.end(1)
        #expect(scene.news() == ["P changed", "P reacquire", "P reader", "P save", "grant 2"])
    }

    @Test("COORD-14: for uploading a snapshot is made, and the item is free at once")
    mutating func uploading() throws {
        scene.providesAtOnce = false
        try scene.present("P", "a")
        try scene.request(1, alice, .reading(.forUploading), "a")
        try scene.request(2, bob, .writing(.forMoving), "a")
        #expect(scene.news() == ["P reader", "P save", "snapshot 1 a"])
        scene.snapshotsMade(1)
        #expect(scene.news() == ["P reacquire", "grant 1", "P writer", "grant 2"])
        #expect(scene.machine.isHeld(ClaimID(1)), "until its accessor has returned and the snapshot is removed")
        scene.end(1)
        scene.end(2)
        #expect(scene.machine.heldCount == 0)
    }

    @Test(
        "COORD-14, COORD-33: two are read for uploading in one step; one beside another access is refused, and says so")
    mutating func uploadingTogether() throws {
        try scene.request(
            1, alice, [(.reading(.forUploading), Scene.item("a")), (.reading(.forUploading), Scene.item("b"))])
        try scene.request(2, alice, [(.reading(.forUploading), Scene.item("c")), (.writing(nil), Scene.item("d"))])
        try scene.request(3, alice, [(.reading, Scene.item("c")), (.reading(.forUploading), Scene.item("d"))])
        #expect(scene.news() == ["snapshot 1 a,b", "grant 1", "refuse 2", "refuse 3"])
        #expect(scene.refusals[2]?.code == .invalidArgument)
        #expect(
            scene.refusals[2]?.message
                == "alice asked in one step to read work:/c for uploading and to write work:/d, which would hold both; ask for them one after the other."
        )
    }

    @Test("COORD-14: when no snapshot can be made the accessor does not run")
    mutating func snapshotFails() throws {
        scene.providesAtOnce = false
        try scene.request(1, alice, .reading(.forUploading), "p.pkg/")
        scene.snapshotsMade(1, DocumentError(.localStorage, "The disk is full."))
        #expect(scene.news() == ["snapshot 1 p.pkg", "refuse 1"])
    }

    @Test(
        "COORD-15: a plain write has presenters relinquish, wants the contents, keeps others out, and tells of the change"
    )
    mutating func plainWrite() throws {
        scene.providesAtOnce = false
        try scene.present("P", "a")
        try scene.request(1, alice, .writing(nil), "a", provides: true)
        try scene.request(2, bob, .reading(.withoutChanges), "a")
        #expect(scene.news() == ["P writer", "provide 1 a"])
        scene.provided(1)
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["P changed", "P reacquire", "P reader", "grant 2"])
    }

    @Test("COORD-16: deleting has the item's presenters, those inside and those of packages around make ready")
    mutating func deleting() throws {
        try scene.present("Item", "p.pkg/f/")
        try scene.present("Inside", "p.pkg/f/a")
        try scene.present("Package", "p.pkg/")
        try scene.present("Folder", "/")
        try scene.request(1, alice, .writing(.forDeleting), "p.pkg/f/")
        scene.end(1)
        #expect(
            scene.news() == [
                "Item writer", "Package writer", "Inside writer", "Item deletion", "Inside deletion",
                "Package deletion of p.pkg/f", "grant 1", "Package changed p.pkg/f", "Folder changed p.pkg/f",
                "Item reacquire", "Inside reacquire", "Package reacquire",
            ])
    }

    @Test("COORD-17: moving has the presenters of a folder's contents relinquish, those of a document alone its own")
    mutating func moving() throws {
        try scene.present("Inside", "f/a")
        try scene.present("Around", "f/", [.relinquishing])
        try scene.request(1, alice, .writing(.forMoving), "f/")
        scene.end(1)
        #expect(
            scene.news() == [
                "Around writer", "Inside writer", "grant 1", "Around reacquire", "Inside reacquire",
            ])
        try scene.request(2, alice, .writing(.forMoving), "f/a")
        #expect(scene.news() == ["Inside writer", "grant 2"])
    }

    @Test("COORD-18: merging has presenters save before the write")
    mutating func merging() throws {
        scene.providesAtOnce = false
        scene.silent = ["P"]
        try scene.present("P", "a")
        try scene.request(1, alice, .writing(.forMerging), "a", provides: true)
        try scene.request(2, bob, .reading(.withoutChanges), "a")
        #expect(scene.news() == ["P writer"])
        scene.answer("P")
        #expect(scene.news() == ["P save"], "not before it has let go, and nobody writes before it has saved")
        scene.answer("P")
        #expect(scene.news() == ["provide 1 a"], "it is the contents that are merged (COORD-21)")
        scene.silent = []
        scene.provided(1)
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["P changed", "P reacquire", "P reader", "grant 2"])
    }

    @Test("COORD-19: replacing is as deleting for presenters, also when nothing is in the way")
    mutating func replacing() throws {
        try scene.present("P", "a")
        try scene.request(1, alice, .writing(.forReplacing), "a")
        try scene.request(2, bob, [(.writing(.forReplacing), Scene.place("new"))])
        #expect(scene.news() == ["P writer", "P deletion", "grant 1", "grant 2"])
    }

    @Test("COORD-20: a write of metadata alone excludes like any write, wants no contents, and tells of the change")
    mutating func metadataWrite() throws {
        scene.providesAtOnce = false
        try scene.present("P", "a")
        try scene.request(1, alice, .writing(.contentIndependentMetadataOnly), "a", provides: true)
        #expect(scene.news() == ["P writer", "grant 1"], "nobody is asked for the contents")
        try scene.request(2, bob, .reading(.withoutChanges), "a")
        try scene.request(3, bob, .writing(.contentIndependentMetadataOnly), "a", provides: true)
        #expect(scene.news() == [])
        scene.end(1)
        #expect(scene.news() == ["P changed", "P reacquire", "P reader", "grant 2"])
        scene.end(2)
        #expect(scene.news() == ["P reacquire", "P writer", "grant 3"])
    }

    @Test(
        "COORD-12, COORD-19: following links and replacing are refused in a preparation",
        arguments: [ClaimIntent.reading(.resolvesSymbolicLink), .writing(.forReplacing)])
    func unpreparable(intent: ClaimIntent) throws {
        var scene = scene
        try scene.request(1, alice, intent, "a", style: .preparation)
        #expect(scene.news() == ["refuse 1"])
        #expect(scene.refusals[1]?.code == .invalidArgument)
    }

    @Test("COORD-35: a preparation messages presenters of the items and of everything inside, and excludes nobody")
    mutating func preparing() throws {
        try scene.present("Item", "f/")
        try scene.present("Inside", "f/a")
        try scene.present("Other", "b")
        try scene.request(1, bob, .writing(nil), "f/a")
        #expect(scene.news() == ["Inside writer", "grant 1"])
        try scene.request(
            2, alice, [(.reading, Scene.item("f/")), (.writing(.forDeleting), Scene.item("b"))], style: .preparation)
        #expect(scene.news() == ["Item save", "Inside save", "Other deletion", "grant 2"])
        try scene.request(3, alice, .writing(.forDeleting), "b", in: [2])
        #expect(scene.news() == ["Other writer", "Other deletion", "grant 3"], "each is coordinated on its own")
        scene.end(3)
        scene.end(2)
        scene.end(1)
        #expect(scene.machine.heldCount == 0)
    }

    @Test("COORD-41: eviction asks presenters; one that has not declared it keeps the contents here")
    mutating func eviction() throws {
        try scene.present("Able", "a")
        try scene.request(1, alice, .evicting, "a", style: .unlessBusy)
        scene.end(1)
        #expect(scene.news() == ["Able eviction", "grant 1"])
        try scene.present("Unable", "a", PresenterCapabilities.all.subtracting(.eviction))
        try scene.request(2, alice, .evicting, "a", style: .unlessBusy)
        #expect(scene.news() == ["refuse 2"])
        #expect(
            scene.refusals[2]?.message
                == "work:/a stays here, because carol presents it and has not said that it can do without the contents; close it there first."
        )
        #expect(scene.machine.heldCount == 0)
    }
}

/// Places where nothing is yet.
@Suite struct PlaceTests {
    private var scene = Scene()

    @Test("COORD-7, COORD-19: who waits for a free place waits for the item that has come there, and for nobody twice")
    mutating func occupied() throws {
        let place = try Scene.place("f/new")
        try scene.request(1, Scene.alice, [(.writing(nil), place)])
        try scene.request(2, Scene.bob, [(.writing(nil), place)])
        try scene.request(3, Scene.carol, .writing(.forDeleting), "f/")
        #expect(scene.news() == ["grant 1"], "the folder around a place that is written stays")
        scene.take(scene.machine.occupied(by: try Scene.item("f/new", is: "x")))
        try scene.request(4, Scene.carol, [(.reading, Scene.item("f/new", is: "x"))])
        #expect(scene.news() == [])
        #expect(scene.machine.isClaimed(try Scene.key("x")))
        scene.end(1, [.appeared])
        #expect(scene.news() == ["grant 2"])
        scene.end(2)
        #expect(scene.news() == ["grant 3"])
        scene.end(3)
        #expect(scene.news() == ["grant 4"])
    }

    @Test("COORD-26, COORD-28: what appears at a claimed place is told to those around, and is under the claim")
    mutating func appeared() throws {
        try scene.present("F", "f/")
        try scene.request(1, Scene.alice, [(.writing(nil), Scene.place("f/new"))])
        scene.take(scene.machine.noticed(.appeared, on: try Scene.item("f/new", is: "x")))
        try scene.request(2, Scene.bob, [(.reading, Scene.item("f/new", is: "x"))])
        #expect(scene.news().filter { $0.hasPrefix("grant") } == ["grant 1"])
        scene.end(1, [.unchanged])
        #expect(scene.news().contains("grant 2"))
    }
}
