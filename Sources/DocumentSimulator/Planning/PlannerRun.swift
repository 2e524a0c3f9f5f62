/// Many cases of the planner's properties, for a person to read about.
package struct PlannerRun {
    let seeds: Range<UInt64>

    package init(from: UInt64, count: UInt64) {
        seeds = from..<from + count
    }

    /// Stops at the first case that fails, and shows it step by step.
    package func isWell() -> Bool {
        guard !seeds.isEmpty else { return true }
        let clock = ContinuousClock()
        let began = clock.now
        for seed in seeds {
            guard let complaint = PlannerProperties.complaint(seed: seed) else { continue }
            print("Planner case \(seed): \(complaint)")
            _ = PlannerProperties.complaint(seed: seed, onStep: { print($0) })
            return false
        }
        print(
            "\(seeds.count) planner cases hold, \(seeds.lowerBound) to \(seeds.upperBound - 1), in \(clock.now - began)."
        )
        return true
    }
}
