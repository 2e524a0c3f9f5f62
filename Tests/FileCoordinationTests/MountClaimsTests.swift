import DocumentModel
import FileCoordination
import Testing

/// Claims of mounted trees, whose programs may have a document open for ever.
@Suite struct MountClaimsTests {
    private var scene = Scene()
    private let one = Scene.alice
    private let other = Scene.bob
    private let tool = Scene.carol

    private mutating func open(
        _ id: UInt64, _ mount: ClaimOwner, _ intent: ClaimIntent, style: Claim.Style = .access
    ) throws {
        let intention = AccessIntention(try Scene.item("a"), intent)
        let claim = Claim(
            id: ClaimID(id), owner: mount, intentions: [intention], style: style,
            coordinator: CoordinatorID(owner: mount.id, number: 1), isOfMount: true)
        scene.take(scene.machine.request(claim, at: scene.time))
    }

    @Test("Programs read in one mount what others write in another one, whoever was first, and nobody else does")
    mutating func readers() throws {
        try open(1, one, .writing(nil))
        try open(2, other, .reading(.asItComes))
        try open(3, other, .reading([.asItComes, .withoutChanges, .immediatelyAvailableMetadataOnly]))
        #expect(scene.news() == ["grant 1", "grant 2", "grant 3"])
        try scene.request(4, tool, .reading(.asItComes), "a")
        #expect(scene.news() == [])
        scene.end(1)
        #expect(scene.news() == ["grant 4"])
        scene.end(4)
        try open(5, one, .writing(nil))
        try open(6, one, .writing(nil), style: .renewal)
        #expect(scene.news() == ["grant 5", "grant 6"])
        try scene.request(7, tool, .writing(nil), "a")
        #expect(scene.news() == [])
    }

    @Test(
        "Two that write in two mounts do not share: the second one is refused after some seconds, and says who has it",
        arguments: [ClaimIntent.writing(nil), .writing(.forReplacing)])
    func writers(first: ClaimIntent) throws {
        var test = self
        try test.open(1, one, first)
        try test.open(2, other, .writing(nil))
        try test.open(3, other, .writing(nil), style: .renewal)
        #expect(test.scene.machine.nextDeadline == Claim.patienceWithMounts)
        test.scene.pass(to: Claim.patienceWithMounts)
        #expect(test.scene.news() == ["grant 1", "refuse 2", "refuse 3"])
        #expect(test.scene.refusals[2]?.code == .busy)
        #expect(test.scene.refusals[2]?.message.contains("alice") == true)
        #expect(test.scene.machine.nextDeadline == nil)
    }

    @Test("Who opens a document in a mount waits for other tools as long as it takes")
    mutating func tools() throws {
        try scene.request(1, tool, .writing(nil), "a")
        try open(2, one, .writing(nil))
        #expect(scene.news() == ["grant 1"])
        for _ in 0..<4 {
            let time = try #require(scene.machine.nextDeadline)
            #expect(time == scene.time + Claim.patienceWithMounts)
            scene.pass(to: time)
            #expect(scene.news() == [])
        }
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
        #expect(scene.machine.nextDeadline == nil)
    }

    @Test("Contents that are brought for a program take as long as they take, also when another mount has the document")
    mutating func contents() throws {
        scene.providesAtOnce = false
        let intention = AccessIntention(try Scene.item("a"), .writing(nil))
        let claim = Claim(
            id: ClaimID(1), owner: one, intentions: [intention], providesContents: true, isOfMount: true)
        scene.take(scene.machine.request(claim, at: scene.time))
        try open(2, other, .writing(nil))
        scene.pass(to: .seconds(60))
        #expect(scene.news() == ["provide 1 a"])
        scene.provided(1)
        scene.end(1)
        #expect(scene.news() == ["grant 1", "grant 2"])
    }

    @Test("Newer contents that are brought for a program take as long as they take, whoever opens it in another mount")
    mutating func newerContents() throws {
        try open(1, one, .writing(nil), style: .renewal)
        try open(2, other, .writing(nil))
        scene.pass(to: .seconds(60))
        #expect(scene.news() == ["grant 1"])
        scene.end(1)
        #expect(scene.news() == ["grant 2"])
    }
}
