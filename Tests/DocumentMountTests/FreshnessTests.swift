import DocumentModel
import DocumentMount
import Testing

/// How long the kernel may keep what it is told.
@Suite struct FreshnessTests {
    private func lifetime(_ freshness: Freshness, _ look: Freshness.Look, of location: Location? = nil) -> Double {
        freshness.answer(look, of: location) { lifetime in lifetime }
    }

    @Test func whileTheHostTellsWhatHappensAnswersAreKeptLong() {
        let freshness = Freshness()
        #expect(lifetime(freshness, freshness.look()) == Freshness.short)
        freshness.happened(at: nil, isTold: true)
        #expect(lifetime(freshness, freshness.look()) == Freshness.longest)
        freshness.happened(at: nil, isTold: false)
        #expect(lifetime(freshness, freshness.look()) == Freshness.short)
    }

    @Test func anAnswerThatSomethingHasOvertakenIsNotKept() throws {
        let freshness = Freshness()
        let location = try Location("work:/a/b")
        freshness.happened(at: nil, isTold: true)
        for places in [nil, [location], [try Location("work:/x"), location]] {
            let before = freshness.look()
            freshness.happened(at: places, isTold: true)
            #expect(lifetime(freshness, before) == 0)
            #expect(lifetime(freshness, before, of: location) == 0)
            #expect(!freshness.isStill(before, of: location))
            #expect(lifetime(freshness, freshness.look(), of: location) == Freshness.longest)
        }
        let before = freshness.look()
        freshness.changed()
        #expect(lifetime(freshness, before, of: location) == 0)
    }

    @Test(arguments: [
        ("work:/a/b", true), ("work:/a", true), ("work:/", true), ("work:/a/b/c", true), ("work:/a/c", false),
        ("work:/ab", false), ("other:/a/b", false),
    ])
    func whatHappensElsewhereOvertakesNothing(place: String, concerns: Bool) throws {
        let freshness = Freshness()
        let location = try Location("work:/a/b")
        freshness.happened(at: nil, isTold: true)
        let before = freshness.look()
        freshness.happened(at: [try Location(place)], isTold: true)
        #expect(freshness.isStill(before, of: location) == !concerns)
        #expect(lifetime(freshness, before, of: location) == (concerns ? 0 : Freshness.longest))
    }

    @Test func whatWasTooLongAgoToBeRememberedMayHaveConcernedIt() throws {
        let freshness = Freshness()
        let (location, elsewhere) = (try Location("work:/a"), try Location("work:/b"))
        freshness.happened(at: nil, isTold: true)
        let long = freshness.look()
        for _ in 0..<10 * Freshness.remembered { freshness.happened(at: [elsewhere], isTold: true) }
        #expect(!freshness.isStill(long, of: location))
        let short = freshness.look()
        for _ in 0..<Freshness.remembered { freshness.happened(at: [elsewhere], isTold: true) }
        #expect(freshness.isStill(short, of: location))
        freshness.happened(at: [location], isTold: true)
        #expect(!freshness.isStill(short, of: location))
    }
}
