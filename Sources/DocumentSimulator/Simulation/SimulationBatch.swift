/// Many runs, for a person to read about.
package struct SimulationBatch {
    let seeds: Range<UInt64>

    package init(from: UInt64, count: UInt64) {
        seeds = from..<from + count
    }

    /// Runs them all; what fails is shown with its seed, the smallest history that was found, and every step of that.
    package func isWell(onLine: (String) -> Void = { print($0) }) -> Bool {
        guard !seeds.isEmpty else { return true }
        let clock = ContinuousClock()
        let began = clock.now
        var events = 0
        var repeated = 0
        for seed in seeds {
            let scenario = Scenario(seed: seed)
            let run = SimulatedRun(scenario)
            events += run.events
            if seed % 100 == 0 {
                repeated += 1
                guard SimulatedRun(scenario) == run else {
                    onLine("Seed \(seed) does not give the same run twice.")
                    return false
                }
            }
            guard let complaint = run.complaint else { continue }
            onLine("Seed \(seed): \(complaint)")
            Self.show(Shrinker.shrink(scenario), onLine: onLine)
            return false
        }
        onLine(
            """
            \(seeds.count) seeds hold, \(seeds.lowerBound) to \(seeds.upperBound - 1): \(events) events in \
            \(clock.now - began); \(repeated) of them ran twice, with equal traces.
            """)
        return true
    }

    /// A run, step by step.
    package static func show(_ scenario: Scenario, mistake: PlantedMistake? = nil, onLine: (String) -> Void) {
        var lines: [String] = []
        let run = SimulatedRun(scenario, mistake: mistake, onStep: { lines.append($0) })
        lines.forEach(onLine)
        onLine("\(scenario)\n\(run.complaint ?? "All holds."), trace \(String(run.trace, radix: 16))")
    }
}
