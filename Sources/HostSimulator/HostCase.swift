import CHostSimulation
import Glibc

/// One run in a process of its own, so that it is the same each time.
package struct HostCase: Sendable {
    /// What is left out of a scenario.
    package struct Omissions: Sendable, CustomStringConvertible {
        package var steps: Set<Int> = []
        package var faults: Set<String> = []

        package init() {}

        /// - Parameter text: the steps' numbers and the faults' names, with commas between.
        package init(_ text: String) {
            for part in text.split(separator: ",") {
                if let step = Int(part) { steps.insert(step) } else { faults.insert(String(part)) }
            }
        }

        package var description: String {
            (steps.sorted().map { "\($0)" } + faults.sorted()).joined(separator: ",")
        }
    }

    package var seed: UInt64
    package var mistake: HostMistake?
    package var without: Omissions
    /// Answers are lost all the time, and documents moved, so that much is asked for twice.
    package var isLossy: Bool

    package init(
        seed: UInt64, mistake: HostMistake? = nil, without: Omissions = Omissions(), isLossy: Bool = false
    ) {
        self.seed = seed
        self.mistake = mistake
        self.without = without
        self.isLossy = isLossy
    }

    package var scenario: HostScenario {
        var scenario = HostScenario(seed: seed)
        if isLossy { scenario.repeatRequests() }
        scenario.steps = scenario.steps.enumerated().filter { !without.steps.contains($0.offset) }.map(\.element)
        for fault in without.faults { scenario.faults.leaveOut(fault) }
        return scenario
    }

    /// Begins the program anew as runs need it, so that none of those that it starts has to.
    package static func settle() {
        simulation_settle(CommandLine.unsafeArgv)
    }

    /// Makes the run in this process, once only, and says what came of it.
    ///
    /// - Returns: whether all held.
    package func run(isShown: Bool) -> Bool {
        Self.settle()
        let folder = "/dev/shm/docent-simulation-\(10_000_000 + getpid())/"
        let scenario = scenario
        guard HostSimulation.prepare(folder, for: scenario) else {
            print("\(folder) cannot be made.")
            fflush(nil)
            // Nothing was tried: that is no finding.
            _exit(3)
        }
        if isShown { print(scenario.summary) }
        let simulation = HostSimulation(
            scenario, in: folder, mistake: mistake, onLine: isShown ? { print($0) } : nil)
        let complaint = simulation.play()
        print(complaint ?? "All holds.")
        print(simulation.figures)
        fflush(nil)
        simulation_pause()
        if getenv("DOCENT_SIMULATION_KEEP") == nil { HostSimulation.remove(folder) }
        // Much of what was killed is still there, and is not to come to an end of its own.
        _exit(complaint == nil ? 0 : 2)
    }
}

extension HostScenario.Faults {
    static let names: [String] = [
        "death", "refusal", "lostRequest", "lostAnswer", "slow", "badDisk", "flippedBit", "fullDisk", "outage",
    ]

    mutating func leaveOut(_ name: String) {
        switch name {
        case "death": death = 0
        case "refusal": refusal = 0
        case "lostRequest": lostRequest = 0
        case "lostAnswer": lostAnswer = 0
        case "slow": slow = 0
        case "badDisk": badDisk = 0
        case "flippedBit": flippedBit = 0
        case "fullDisk": fullDisk = nil
        case "outage": outage = nil
        default: break
        }
    }
}

extension HostScenario {
    /// For people.
    var summary: String {
        "Seed \(seed): \(machines) machines\(hasFeed ? "" : ", no feed")"
            + (likeNames.map { ", names that clash are \($0)" } ?? "") + ", \(faults)\n"
            + steps.map { "  \($0.time) ms: m\($0.machine) \($0.action) \($0.pick) \($0.other)" }.joined(
                separator: "\n")
    }
}
