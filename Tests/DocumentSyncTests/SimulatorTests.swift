import DocumentSimulator
import Glibc
import Testing

/// A little of what scripts/simulate does by the thousand, built for release.
///
/// `DOCENT_SIMULATOR_SEEDS` says how many.
@Suite struct SimulatorTests {
    private static let count = getenv("DOCENT_SIMULATOR_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 60

    @Test(
        "SIM-6, INV-1 to INV-4, INV-9: machines that fail end with one tree, and nothing that was acknowledged is lost")
    func seeds() {
        var lines: [String] = []
        #expect(
            SimulationBatch(from: 0, count: Self.count).isWell { lines.append($0) }, "\(lines.joined(separator: "\n"))")
    }

    @Test("SIM-4: a seed gives the same run again, and another seed another", arguments: [UInt64(3), 77, 1234])
    func replay(seed: UInt64) {
        let run = SimulatedRun(Scenario(seed: seed))
        #expect(SimulatedRun(Scenario(seed: seed)) == run)
        #expect(SimulatedRun(Scenario(seed: seed + 1)).trace != run.trace)
    }

    @Test(
        "Seeds that have shown a mistake once hold",
        arguments: [
            UInt64(43_434), 66_215, 211_088, 329_647, 527_150, 616_419, 703_439, 781_260, 804_932, 1_031_707,
        ])
    func knownSeeds(seed: UInt64) {
        #expect(SimulatedRun(Scenario(seed: seed)).complaint == nil)
    }

    @Test(
        "Planted mistakes are found",
        arguments: [PlantedMistake.sendsOverNewerVersion, .keepsOnlyWinner, .scanIgnoresWrites, .callsAllEqual])
    func mistakes(mistake: PlantedMistake) {
        #expect(MistakeHunt(limit: 300).hunt(mistake).seed != nil)
    }

    @Test("SIM-4: what is left of a failing history still fails, and is shorter")
    func shrinking() throws {
        let seed = try #require(MistakeHunt(limit: 300).hunt(.callsAllEqual).seed)
        let scenario = Scenario(seed: seed)
        let shrunk = Shrinker.shrink(scenario, mistake: .callsAllEqual, limit: 150)
        #expect(SimulatedRun(shrunk, mistake: .callsAllEqual).complaint != nil)
        #expect(SimulatedRun(shrunk).complaint == nil)
        #expect(shrunk.steps.count < scenario.steps.count)
    }
}
