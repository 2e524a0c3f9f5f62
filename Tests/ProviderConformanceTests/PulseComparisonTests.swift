import Testing

@testable import ProviderConformance

@Suite("Whether a well-behaved provider is served at its usual speed")
struct PulseComparisonTests {
    /// As many rounds as are asked for, each step as long as `milliseconds` says.
    private func figures(rounds: Int = 40, _ milliseconds: (PulseFigures.Step, Int) -> Double) -> PulseFigures {
        var figures = PulseFigures()
        for round in 0..<rounds {
            for step in PulseFigures.Step.allCases { figures.add(milliseconds(step, round) / 1000, to: step) }
        }
        return figures
    }

    private var quiet: PulseFigures { figures { _, _ in 10 } }

    @Test("A host that slows down as its machine does is no slow host")
    func machine() {
        #expect(PulseComparison(quiet: quiet, attacked: quiet).problems == [])
        #expect(PulseComparison(quiet: quiet, attacked: figures { _, _ in 100 }).problems == [])
    }

    @Test("WIRE-25: a step that slows down by more than its machine is named, with the bound")
    func slow() {
        let attacked = figures { step, _ in step == .open ? 40 : 10 }
        #expect(
            PulseComparison(quiet: quiet, attacked: attacked).problems == ["“open”: the median is above 35000 µs."])
        let machine = figures { step, _ in step == .open ? 400 : step == .machine ? 100 : 10 }
        #expect(
            PulseComparison(quiet: quiet, attacked: machine).problems == ["“open”: the median is above 305000 µs."])
    }

    @Test(
        "WIRE-25: one answer in ten that waits for something is seen, too, and so is a single one that waits for ever")
    func late() {
        let attacked = figures { step, round in step == .send && round % 8 == 0 ? 200 : 10 }
        #expect(
            PulseComparison(quiet: quiet, attacked: attacked).problems
                == ["“send”: the slowest tenth is above 100000 µs."])
        let once = figures { step, round in step == .list && round == 7 ? 11_000 : 10 }
        #expect(PulseComparison(quiet: quiet, attacked: once).problems == ["Something took 11000000 µs."])
    }

    @Test("§10.6: too few rounds are no verdict")
    func nothing() {
        let comparison = PulseComparison(quiet: quiet, attacked: PulseFigures())
        #expect(comparison.problems == ["Only 40 and 0 rounds of work were measured."])
        #expect(comparison.description.contains("list: median 10000 µs → 0 µs"))
    }
}
