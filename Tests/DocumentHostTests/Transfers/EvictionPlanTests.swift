import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentHost

@Suite("Which documents leave to make room")
struct EvictionPlanTests {
    private func candidate(_ numbers: inout SplitMix) -> EvictionPlan.Candidate {
        EvictionPlan.Candidate(
            bytes: UInt64.random(in: 0...100, using: &numbers),
            state: ItemState.allCases.randomElement(using: &numbers) ?? .materialised,
            keeping: Keeping.allCases.randomElement(using: &numbers) ?? .automatic,
            isClaimed: Int.random(in: 0...3, using: &numbers) == 0)
    }

    @Test("XFER-14, XFER-10, XFER-12: down to the low mark and no further; never what is changed, claimed or pinned")
    func plan() throws {
        for seed in 0..<3_000 as Range<UInt64> {
            var numbers = SplitMix(state: seed)
            var candidates: [EvictionPlan.Candidate] = []
            for _ in 0..<Int.random(in: 0...30, using: &numbers) { candidates.append(candidate(&numbers)) }
            let here = candidates.reduce(0) { $0 + $1.bytes }
            let high = UInt64.random(in: 0...1_500, using: &numbers)
            let limits = try SpaceLimits(high: high, low: UInt64.random(in: 0...high, using: &numbers))
            guard var plan = EvictionPlan(limits, here: here) else {
                #expect(here <= high)
                continue
            }
            #expect(here > high)
            var stays = here
            var last: UInt64 = 0
            for candidate in candidates where plan.takes(candidate) {
                #expect([.materialised, .outdated].contains(candidate.state) && !candidate.isClaimed)
                #expect([.automatic, .onlineOnly, .whileCurrent].contains(candidate.keeping))
                #expect(stays > limits.low, "nothing leaves once the mark is reached")
                stays -= candidate.bytes
                last = candidate.bytes
                plan.evicted(candidate.bytes)
            }
            if plan.isDone {
                #expect(stays <= limits.low && stays + last > limits.low)
            } else {
                let mayLeave = candidates.filter {
                    !$0.isClaimed && ($0.state == .materialised || $0.state == .outdated)
                        && $0.keeping != .pinned && $0.keeping != .excluded
                }
                #expect(here - stays == mayLeave.reduce(0) { $0 + $1.bytes }, "all that may leave has left")
            }
        }
    }

    @Test("XFER-14: without limits, and below the high mark, nothing leaves")
    func nothing() throws {
        #expect(EvictionPlan(nil, here: .max) == nil)
        #expect(EvictionPlan(try SpaceLimits(high: 100, low: 10), here: 100) == nil)
        #expect(EvictionPlan(try SpaceLimits(high: 100, low: 10), here: 101)?.left == 91)
        #expect(throws: DocumentError.self) { try SpaceLimits(high: 1, low: 2) }
    }
}
