import DocumentMount
import Testing

/// How long the kernel may keep what it is told.
@Suite struct FreshnessTests {
    private func lifetime(_ freshness: Freshness, _ look: Freshness.Look) -> Double {
        freshness.answer(look) { lifetime in lifetime }
    }

    @Test func whileTheHostTellsWhatHappensAnswersAreKeptLong() {
        let freshness = Freshness()
        #expect(lifetime(freshness, freshness.look()) == Freshness.short)
        freshness.happened(isTold: true)
        #expect(lifetime(freshness, freshness.look()) == Freshness.longest)
        freshness.happened(isTold: false)
        #expect(lifetime(freshness, freshness.look()) == Freshness.short)
    }

    @Test func anAnswerThatSomethingHasOvertakenIsNotKept() {
        let freshness = Freshness()
        freshness.happened(isTold: true)
        let before = freshness.look()
        freshness.happened(isTold: true)
        #expect(lifetime(freshness, before) == 0)
        #expect(lifetime(freshness, freshness.look()) == Freshness.longest)
    }
}
