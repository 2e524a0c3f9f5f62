import ArgumentParser
import Glibc
import HostSimulator

/// Run through scripts/simulate-hosts.
@main struct DocentSimulateHosts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scripts/simulate-hosts",
        abstract: "Tries to show that hosts lose something. docs/simulator.md says how.")

    @Option(help: "How many runs of several hosts, each from its seed.")
    var seeds: UInt64 = 0

    @Option(help: "The first seed.")
    var from: UInt64 = 0

    @Option(help: "How many runs go side by side.")
    var jobs = 2

    @Option(help: "Show the run of one seed, step by step.")
    var show: UInt64?

    @Option(help: "Plant this mistake.")
    var mistake: String?

    @Option(help: "Leave out these steps of the scenario, and these faults.", transform: HostCase.Omissions.init)
    var without = HostCase.Omissions()

    @Flag(help: "Have answers lost all the time, and documents moved, so that much is asked for twice.")
    var lossy = false

    @Option(help: "Look for each planted mistake in at most so many seeds.")
    var mistakes: UInt64 = 0

    @Flag(help: "Make one run, and say what came of it. For the program itself.")
    var one = false

    func run() throws {
        var planted: HostMistake?
        if let mistake {
            guard let known = HostMistake(rawValue: mistake) else {
                let names = HostMistake.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no mistake \(mistake). There are: \(names).")
            }
            planted = known
        }
        let isLossy = lossy || planted?.wantsLosses == true
        if let show {
            let isWell = HostCase(seed: show, mistake: planted, without: without, isLossy: isLossy).run(isShown: !one)
            throw isWell ? ExitCode.success : ExitCode(2)
        }
        HostCase.settle()
        guard mistakes == 0 else {
            throw HostBatch.hunt(atMost: mistakes, jobs, for: planted) ? ExitCode.success : ExitCode.failure
        }
        let isWell = HostBatch(from: from, count: seeds, mistake: planted, jobs: jobs, isLossy: isLossy).run {
            print($0)
        }
        if !isWell { throw ExitCode.failure }
    }
}
