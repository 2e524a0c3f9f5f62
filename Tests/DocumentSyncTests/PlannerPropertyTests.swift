import DocumentSimulator
import DocumentSync
import Glibc
import Testing

/// `DOCENT_PLANNER_CASES` says how many; `scripts/simulate --planner-cases 1000000` runs a million, built for release.
@Suite struct PlannerPropertyTests {
    private static let count = getenv("DOCENT_PLANNER_CASES").flatMap { Int(String(cString: $0)) } ?? 2_000

    @Test("INV-1, INV-3, VER-15: any three trees end as one, nothing is lost, every deletion is carried out")
    func cases() {
        for seed in 0..<UInt64(Self.count) {
            guard let complaint = PlannerProperties.complaint(seed: seed) else { continue }
            var steps: [String] = []
            _ = PlannerProperties.complaint(seed: seed, onStep: { steps.append($0) })
            Issue.record("case \(seed): \(complaint)\n\(steps.joined(separator: "\n"))")
            return
        }
    }

    @Test("The properties notice a planner that deletes what was changed")
    func theyNotice() {
        let careless: SimulatedEngine.Planner = { trees, circumstances in
            var trees = trees
            // What is here counts as what was agreed on, once the remote has deleted it.
            for (id, sighting) in trees.remote where sighting == .gone {
                trees.synced[id]?.revision = trees.local[id]?.node?.revision
            }
            return SyncPlanner.plan(trees, circumstances)
        }
        #expect((0..<UInt64(2_000)).contains { PlannerProperties.complaint(seed: $0, planner: careless) != nil })
    }
}
