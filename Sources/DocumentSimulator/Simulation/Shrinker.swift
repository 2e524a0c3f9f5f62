/// Leaves out of a failing run what it fails without, too.
package enum Shrinker {
    /// - Parameter limit: how many runs it may take.
    package static func shrink(_ scenario: Scenario, mistake: PlantedMistake? = nil, limit: Int = 600) -> Scenario {
        shrink(scenario, limit: limit) { SimulatedRun($0, mistake: mistake).complaint != nil }
    }

    /// - Parameters:
    ///   - limit: how many runs it may take.
    ///   - fails: runs a scenario in whatever way it failed.
    package static func shrink(_ scenario: Scenario, limit: Int, fails: (Scenario) -> Bool) -> Scenario {
        var best = scenario
        var runs = 0
        func stillFails(_ candidate: Scenario) -> Bool {
            runs += 1
            return runs <= limit && fails(candidate)
        }
        var hasShrunk = true
        while hasShrunk, runs < limit {
            hasShrunk = false
            for index in best.steps.indices.reversed() {
                var candidate = best
                candidate.steps.remove(at: index)
                if stillFails(candidate) {
                    best = candidate
                    hasShrunk = true
                }
            }
            for candidate in withFewerFaults(best) where stillFails(candidate) {
                best = candidate
                hasShrunk = true
                break
            }
        }
        return best
    }

    private static func withFewerFaults(_ scenario: Scenario) -> [Scenario] {
        var candidates: [Scenario] = []
        let faults: [WritableKeyPath<Scenario.Faults, Int>] = [
            \.lostRequest, \.lostReply, \.doubled, \.slow, \.crash, \.crashBetween, \.transient, \.flippedBits,
            \.expiredAnchor,
        ]
        for fault in faults where scenario.faults[keyPath: fault] != 0 {
            var candidate = scenario
            candidate.faults[keyPath: fault] = 0
            candidates.append(candidate)
        }
        for window in [\Scenario.Faults.outage, \.fullDisk] where scenario.faults[keyPath: window] != nil {
            var candidate = scenario
            candidate.faults[keyPath: window] = nil
            candidates.append(candidate)
        }
        if scenario.allowsClashes {
            var candidate = scenario
            candidate.allowsClashes = false
            candidates.append(candidate)
        }
        return candidates
    }
}
