import ArgumentParser
import DocumentSimulator

/// Run through scripts/simulate.
@main struct DocentSimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scripts/simulate",
        abstract: "Tries to show that the sync engine loses something. docs/simulator.md says how.")

    @Option(help: "How many runs of several machines, each from its seed.")
    var seeds: UInt64 = 0

    @Option(help: "The first seed.")
    var from: UInt64 = 0

    @Option(help: "How many sets of three trees are planned for and carried out.")
    var plannerCases: UInt64 = 0

    @Option(help: "Look for each planted mistake in at most so many seeds.")
    var mistakes: UInt64 = 0

    @Option(help: "Show the run of one seed, step by step.")
    var show: UInt64?

    @Option(help: "With --show: plant this mistake.")
    var mistake: String?

    func run() throws {
        if let show {
            let planted = try mistake.map(planted)
            SimulationBatch.show(Scenario(seed: show), mistake: planted, onLine: { print($0) })
        }
        guard PlannerRun(from: from, count: plannerCases).isWell(),
            SimulationBatch(from: from, count: seeds).isWell()
        else { throw ExitCode.failure }
        guard mistakes > 0 else { return }
        let missing = MistakeHunt(limit: mistakes).report()
        let count = PlantedMistake.allCases.count
        print("\(count - missing.count) of \(count) planted mistakes were found.")
        if !missing.isEmpty { throw ExitCode.failure }
    }

    private func planted(_ name: String) throws -> PlantedMistake {
        guard let mistake = PlantedMistake(rawValue: name) else {
            let names = PlantedMistake.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("There is no mistake \(name). There are: \(names).")
        }
        return mistake
    }
}
