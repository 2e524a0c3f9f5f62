/// Shows which planted mistakes the simulator finds, and how soon.
package struct MistakeHunt {
    package struct Find: Sendable {
        package let mistake: PlantedMistake
        /// Nil when no seed shows it.
        package let seed: UInt64?
        package let complaint: String
    }

    let limit: UInt64

    /// - Parameter limit: how many seeds a mistake may take.
    package init(limit: UInt64) {
        self.limit = limit
    }

    package func hunt(_ mistake: PlantedMistake) -> Find {
        for seed in 0..<limit {
            if let complaint = SimulatedRun(Scenario(seed: seed), mistake: mistake).complaint {
                return Find(mistake: mistake, seed: seed, complaint: complaint)
            }
        }
        return Find(mistake: mistake, seed: nil, complaint: "not found in \(limit) seeds")
    }

    /// As the table of docs/simulator.md.
    ///
    /// - Returns: those that were not found.
    package func report(onLine: (String) -> Void = { print($0) }) -> Set<PlantedMistake> {
        onLine("| mistake | seed | what is noticed |\n| --- | --- | --- |")
        var missing: Set<PlantedMistake> = []
        for mistake in PlantedMistake.allCases {
            let find = hunt(mistake)
            if find.seed == nil { missing.insert(mistake) }
            let words = find.complaint.prefix(90).replacing("|", with: "/").replacing("\n", with: " ")
            onLine("| \(mistake.rawValue) | \(find.seed.map { "\($0)" } ?? "–") | \(words) |")
        }
        return missing
    }
}
