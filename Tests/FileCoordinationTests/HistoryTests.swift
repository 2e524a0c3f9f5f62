import CoordinationHistories
import Testing

/// Random histories: whatever is asked in whatever order, exclusion holds, nobody waits for ever, and messages balance.
/// `scripts/check-coordination` runs a million.
@Suite struct HistoryTests {
    private static let count: UInt64 = 300

    @Test(
        "Random histories keep every promise of COORD-1 to COORD-8, COORD-14, COORD-25, COORD-33, COORD-37 and COORD-39",
        arguments: 0..<2 as Range<UInt64>)
    func histories(half: UInt64) throws {
        let items = try History.items()
        for seed in stride(from: half, to: Self.count, by: 2) {
            guard let complaint = History.complaint(seed: seed, items: items) else { continue }
            var steps: [String] = []
            _ = History.complaint(seed: seed, items: items) { steps.append($0) }
            Issue.record("history \(seed): \(complaint)\n\(steps.joined(separator: "\n"))")
            return
        }
    }
}
