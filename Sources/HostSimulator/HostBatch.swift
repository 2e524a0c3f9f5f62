import Glibc

/// Many runs, for a person to read about.
package struct HostBatch {
    let seeds: Range<UInt64>
    let mistake: HostMistake?
    let jobs: Int
    let isLossy: Bool

    package init(from: UInt64, count: UInt64, mistake: HostMistake? = nil, jobs: Int, isLossy: Bool = false) {
        self.isLossy = isLossy
        seeds = from..<from + count
        self.mistake = mistake
        self.jobs = max(jobs, 1)
    }

    /// What a run of its own process printed.
    struct Outcome: Equatable {
        var complaint: String?
        var figures: String
    }

    /// Runs them all; what fails is shown with its seed, and the smallest history that was found.
    package func run(onLine: (String) -> Void) -> Bool {
        guard !seeds.isEmpty else { return true }
        let began = ContinuousClock.now
        var failing: [(seed: UInt64, complaint: String)] = []
        var repeated = 0
        var next = seeds.lowerBound
        while next < seeds.upperBound, failing.isEmpty {
            let some = Array(next..<min(next + UInt64(jobs), seeds.upperBound))
            next += UInt64(some.count)
            let children = some.map { ($0, HostChild(HostCase(seed: $0, mistake: mistake, isLossy: isLossy))) }
            for (seed, child) in children {
                let outcome = child.outcome()
                if seed % 100 == 0 {
                    repeated += 1
                    let again = HostChild(HostCase(seed: seed, mistake: mistake, isLossy: isLossy)).outcome()
                    guard again == outcome else {
                        onLine("Seed \(seed) does not give the same run twice:\n\(outcome)\n\(again)")
                        return false
                    }
                }
                guard let complaint = outcome.complaint else { continue }
                onLine("Seed \(seed): \(complaint)")
                failing.append((seed, complaint))
            }
        }
        guard let (first, complaint) = failing.first else {
            onLine(
                """
                \(seeds.count) seeds hold, \(seeds.lowerBound) to \(seeds.upperBound - 1), in \
                \(ContinuousClock.now - began); \(repeated) of them ran twice, with equal traces.
                """)
            return true
        }
        let smallest = Self.shrunk(HostCase(seed: first, mistake: mistake, isLossy: isLossy), as: complaint)
        onLine(smallest.scenario.summary)
        let flags = (isLossy ? " --lossy" : "") + (mistake.map { " --mistake \($0)" } ?? "")
        onLine("See it: scripts/simulate-hosts --show \(first)\(flags) --without \"\(smallest.without)\"")
        return false
    }

    /// What a complaint is about, whatever the item, the machine and the time.
    static func kind(of complaint: String) -> String {
        let words = complaint.split(separator: " ").filter { !$0.contains("/") }
        return words.prefix(9).joined(separator: " ").filter { !$0.isNumber }
    }

    /// Leaves out of a failing run what it fails without, too, and in the same way.
    static func shrunk(_ start: HostCase, as complaint: String) -> HostCase {
        let kind = kind(of: complaint)
        var best = start
        func tries(_ change: (inout HostCase.Omissions) -> Void) {
            var candidate = best
            change(&candidate.without)
            if HostChild(candidate).outcome().complaint.map(Self.kind) == kind { best = candidate }
        }
        let count = HostCase(seed: start.seed, isLossy: start.isLossy).scenario.steps.count
        for size in [8, 4, 2, 1] {
            for begin in stride(from: count - 1, through: 0, by: -size) {
                let some = (max(0, begin - size + 1)...begin).filter { !best.without.steps.contains($0) }
                if !some.isEmpty { tries { $0.steps.formUnion(some) } }
            }
        }
        for fault in HostScenario.Faults.names { tries { $0.faults.insert(fault) } }
        return best
    }

    /// Looks for each planted mistake.
    ///
    /// - Parameter only: the one that is looked for; nil: all.
    /// - Returns: whether all were found.
    package static func hunt(atMost limit: UInt64, _ jobs: Int, for only: HostMistake? = nil) -> Bool {
        var isComplete = true
        for mistake in HostMistake.allCases where only == nil || only == mistake {
            var found: (UInt64, String)?
            var next: UInt64 = 0
            while found == nil, next < limit {
                let children = (next..<min(next + UInt64(jobs), limit)).map {
                    ($0, HostChild(HostCase(seed: $0, mistake: mistake, isLossy: mistake.wantsLosses)))
                }
                next += UInt64(children.count)
                for (seed, child) in children {
                    let outcome = child.outcome()
                    if let complaint = outcome.complaint, found == nil { found = (seed, complaint) }
                }
            }
            print(found.map { "| \(mistake) | \($0.0) | \($0.1) |" } ?? "| \(mistake) | not found | |")
            isComplete = isComplete && found != nil
        }
        return isComplete
    }
}
