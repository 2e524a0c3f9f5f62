/// Whether a well-behaved provider was served at its usual speed while others misbehaved.
///
/// Attacks take processors and disks from everybody. How much is measured beside each step, by work of the same kind that
/// no host has a part in; a host may slow its providers down by little more than that.
struct PulseComparison: Sendable {
    /// Between the attacks, when there was none.
    let quiet: PulseFigures
    /// While there were attacks.
    let attacked: PulseFigures

    /// How much more than the machine a step may slow down, in the median and where nine tenths are served.
    static let allowance = (median: 3.0, late: 5.0)
    /// What nobody notices, in seconds.
    static let slack = (median: 0.005, late: 0.050)
    /// What nobody waits for, in seconds.
    static let longest = 10.0
    /// Fewer say nothing.
    static let leastCycles = 20

    private func slowdown(_ step: PulseFigures.Step, _ part: Double) -> Double {
        let usual = quiet.quantile(part, of: step)
        return usual > 0 ? attacked.quantile(part, of: step) / usual : 1
    }

    /// One sentence for each step that is too slow; none when all is well.
    var problems: [String] {
        guard min(quiet.cycles, attacked.cycles) >= Self.leastCycles else {
            return ["Only \(quiet.cycles) and \(attacked.cycles) rounds of work were measured."]
        }
        var problems: [String] = []
        for step in PulseFigures.Step.allCases where step != .machine {
            for (part, name, allowance, slack) in [
                (0.5, "median", Self.allowance.median, Self.slack.median),
                (0.9, "slowest tenth", Self.allowance.late, Self.slack.late),
            ] {
                let bound = quiet.quantile(part, of: step) * allowance * max(1, slowdown(.machine, part)) + slack
                guard attacked.quantile(part, of: step) > bound else { continue }
                problems.append("“\(step.rawValue)”: the \(name) is above \(Self.words(bound)).")
            }
        }
        if attacked.slowest > Self.longest { problems.append("Something took \(Self.words(attacked.slowest)).") }
        return problems
    }

    /// A line for each step.
    var description: String {
        let lines = PulseFigures.Step.allCases.map { step in
            let figures = [0.5, 0.9].map { part in
                "\(Self.words(quiet.quantile(part, of: step))) → \(Self.words(attacked.quantile(part, of: step)))"
            }
            return "\(step.rawValue): median \(figures[0]), nine tenths within \(figures[1])"
        }
        let rounds = "\(quiet.cycles) rounds of work without attacks, \(attacked.cycles) meanwhile"
        return ([rounds] + lines + ["slowest meanwhile: \(Self.words(attacked.slowest))"]).joined(separator: "\n")
    }

    static func words(_ seconds: Double) -> String { "\(Int((seconds * 1_000_000).rounded())) µs" }
}
