/// How long each step of a pulse took.
struct PulseFigures: Sendable {
    /// What is done again and again.
    enum Step: String, CaseIterable, Sendable {
        case list, open, change, send
        /// The same kind of work without a host: what the machine itself takes.
        case machine
    }

    /// In seconds.
    private var times: [Step: [Double]] = [:]
    /// What went wrong.
    var failures: [String] = []

    mutating func add(_ seconds: Double, to step: Step) { times[step, default: []].append(seconds) }

    /// How often everything was done.
    var cycles: Int { Step.allCases.map { times[$0]?.count ?? 0 }.min() ?? 0 }

    /// The time that so much of the step's times are at most: 0.5 for the median. 0 when nothing was measured.
    func quantile(_ part: Double, of step: Step) -> Double {
        let sorted = (times[step] ?? []).sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    func median(of step: Step) -> Double { quantile(0.5, of: step) }

    /// The longest of all steps that a host has a part in.
    var slowest: Double {
        Step.allCases.filter { $0 != .machine }.compactMap { times[$0]?.max() }.max() ?? 0
    }
}
