import DocumentSync
import Testing

/// DOWN-10: the order in which the parts of a document come.
struct RangePlanTests {
    @Test("DOWN-10: what somebody waits for comes first, then what lies behind it, then the rest")
    func order() {
        var plan = RangePlan(size: 10, partSize: 1)
        #expect(plan.next() == 0..<1)
        plan.want(6..<8)
        #expect(plan.next() == 6..<7)
        #expect(plan.next() == 7..<8)
        #expect(plan.next() == 8..<9)
        #expect(plan.next() == 9..<10)
        #expect(plan.next() == 1..<2)
    }

    @Test("Runs grow while parts come fast, and shrink when they come slowly; who waits gets one part")
    func runs() {
        var plan = RangePlan(size: 1000, partSize: 1, longestRun: 4)
        var sizes: [Int] = []
        for _ in 0..<5 {
            guard let run = plan.next() else { break }
            sizes.append(run.count)
            plan.arrived(run, in: .milliseconds(100))
        }
        #expect(sizes == [1, 2, 4, 4, 4])
        var fast = RangePlan(size: 1000, partSize: 1, longestRun: 8)
        for expected in [4, 8] {
            guard let run = fast.next() else { break }
            fast.arrived(run, in: .milliseconds(10))
            #expect(fast.runLength == expected)
        }
        for expected in [2, 1, 1] {
            guard let run = plan.next() else { break }
            plan.arrived(run, in: .seconds(5))
            #expect(plan.runLength == expected)
        }
        plan.want(500..<600)
        #expect(plan.next() == 500..<501)
    }

    @Test("What is wanted of what is here, or is none, is nothing to be asked for")
    func nothing() {
        var plan = RangePlan(size: 10, partSize: 4, present: [0, 1, 2, 3, 77, -1])
        #expect(plan.isComplete && plan.bytesPresent == 10)
        plan.want(-5..<100)
        #expect(plan.next() == nil)
        var empty = RangePlan(size: 0, partSize: 4)
        #expect(empty.isComplete && empty.next() == nil && empty.bytesPresent == 0)
    }

    @Test(
        "Whatever comes, fails and is wanted in whatever order, each part comes, and none twice at once",
        arguments: 0..<300)
    func everyHistory(_ seed: UInt64) {
        var random = Steps(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let size = Int64.random(in: 0...200, using: &random)
        let partSize = Int64.random(in: 1...9, using: &random)
        let count = Int((size + partSize - 1) / partSize)
        var here = Set((0..<count).filter { _ in Int.random(in: 0..<4, using: &random) == 0 })
        var plan = RangePlan(
            size: size, partSize: partSize, longestRun: .random(in: 1...5, using: &random), present: here)
        var underWay: [Range<Int>] = []
        for _ in 0..<2000 where !plan.isComplete {
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let start = Int64.random(in: -3...size, using: &random)
                plan.want(start..<start + Int64.random(in: 0...20, using: &random))
            case 1, 2:
                guard let run = plan.next() else {
                    #expect(!underWay.isEmpty)
                    continue
                }
                #expect(!run.isEmpty && run.upperBound <= count)
                for part in run {
                    #expect(!here.contains(part) && !underWay.contains { $0.contains(part) })
                }
                underWay.append(run)
            default:
                guard let index = underWay.indices.randomElement(using: &random) else { continue }
                let run = underWay.remove(at: index)
                if Bool.random(using: &random) {
                    plan.arrived(run, in: .milliseconds(Int.random(in: 0...9000, using: &random)))
                    here.formUnion(run)
                } else {
                    underWay.append(run)
                }
            }
            let bytes = here.map { part in plan.bytes(of: part..<part + 1) }
            #expect(plan.bytesPresent == bytes.reduce(0) { $0 + $1.upperBound - $1.lowerBound })
            #expect(plan.has(0..<size) == plan.isComplete)
        }
        #expect(plan.isComplete)
    }

    @Test("Sizes that no document has are no reason to fail")
    func impossibleSizes() {
        for size in [Int64.max, 1 << 62, 0, -1] {
            var plan = RangePlan(size: size, partSize: 1 << 58)
            plan.want(0..<Int64.max)
            #expect(plan.has(Int64.max - 1..<Int64.max) == (size < Int64.max))
            #expect((plan.next() == nil) == (size <= 0))
        }
    }
}

/// Numbers that are the same each time.
private struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
