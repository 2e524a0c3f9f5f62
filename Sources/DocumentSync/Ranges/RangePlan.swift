/// In which order the parts of a document come (DOWN-10): what somebody waits for first, then what lies behind that, then
/// the rest from the beginning. A value without I/O.
///
/// Parts have one size, but for the last; what is asked for at once is a run of them.
package struct RangePlan: Sendable {
    package let size: Int64
    package let partSize: Int64
    /// How many parts are asked for at once, when nobody waits for one of them: more when they come fast, so that what each
    /// request costs counts less; fewer when they come slowly, so that less is lost when one is cut off.
    package private(set) var runLength: Int
    private let longestRun: Int
    private var present: [Bool]
    private var missing: Int
    private var underWay: Set<Int> = []
    /// What somebody waits for and was not asked for: the oldest first, from `firstWanted` on.
    private var wanted: [Int] = []
    private var firstWanted = 0
    /// Where it goes on.
    private var cursor = 0

    /// - Parameters:
    ///   - size: the document's, in bytes.
    ///   - partSize: in bytes, more than 0.
    ///   - firstRun: how many parts are asked for at once in the beginning.
    ///   - longestRun: how many at most.
    ///   - present: parts that are here; numbers that are none count for nothing.
    package init(
        size: Int64, partSize: Int64, firstRun: Int = 1, longestRun: Int = 8, present: some Sequence<Int> = []
    ) {
        self.size = max(size, 0)
        self.partSize = max(partSize, 1)
        self.longestRun = max(longestRun, 1)
        runLength = min(max(firstRun, 1), self.longestRun)
        let count = Int(self.size / self.partSize) + (self.size % self.partSize == 0 ? 0 : 1)
        self.present = Array(repeating: false, count: count)
        missing = count
        for part in present where self.present.indices.contains(part) && !self.present[part] {
            self.present[part] = true
            missing -= 1
        }
    }

    package var isComplete: Bool { missing == 0 }

    /// How much is here.
    package var bytesPresent: Int64 {
        guard let last = present.indices.last else { return 0 }
        let rest = size - Int64(last) * partSize
        let others = present.count - missing - (present[last] ? 1 : 0)
        return Int64(others) * partSize + (present[last] ? rest : 0)
    }

    /// The next parts to be asked for, which count as under way then; nil while there is nothing to be asked for.
    package mutating func next() -> Range<Int>? {
        if let first = nextWanted() { return first }
        guard let first = firstMissing(from: cursor) ?? firstMissing(from: 0) else { return nil }
        var end = first + 1
        while end < present.count, end - first < runLength, isFree(end) { end += 1 }
        cursor = end
        return begin(first..<end)
    }

    /// The same, only of what somebody waits for.
    package mutating func nextWanted() -> Range<Int>? {
        while firstWanted < wanted.count {
            let first = wanted[firstWanted]
            firstWanted += 1
            guard isFree(first) else { continue }
            // Who waits is not to wait for more.
            cursor = first + 1
            return begin(first..<first + 1)
        }
        (wanted, firstWanted) = ([], 0)
        return nil
    }

    /// A run that takes less time than this is followed by a longer one, and by a much longer one when it takes an eighth of it; a
    /// run that takes more than four times as long is followed by a shorter one. So what a cut loses is what came in the last
    /// second or two.
    package static let quick = Duration.milliseconds(500)

    /// They are here, whole.
    ///
    /// - Parameter time: how long it took since they were asked for.
    package mutating func arrived(_ run: Range<Int>, in time: Duration) {
        if run.count >= runLength, time < Self.quick {
            runLength = min(runLength * (time < Self.quick / 8 ? 4 : 2), longestRun)
        }
        if time > Self.quick * 4 { runLength = max(runLength / 2, 1) }
        for part in run where !present[part] {
            present[part] = true
            missing -= 1
        }
        underWay.subtract(run)
    }

    /// Which bytes they are.
    package func bytes(of run: Range<Int>) -> Range<Int64> {
        min(
            Int64(run.lowerBound) * partSize, size)..<(run.upperBound < present.count
            ? Int64(run.upperBound) * partSize : size)
    }

    /// Whether all of these bytes are here; those behind the end are.
    package func has(_ bytes: Range<Int64>) -> Bool { parts(of: bytes).allSatisfy { present[$0] } }

    /// Somebody waits for these bytes.
    package mutating func want(_ bytes: Range<Int64>) {
        wanted += parts(of: bytes).filter(isFree)
    }

    private func parts(of bytes: Range<Int64>) -> Range<Int> {
        let (start, end) = (max(bytes.lowerBound, 0), min(bytes.upperBound, size))
        guard start < end else { return 0..<0 }
        return Int(start / partSize)..<Int((end - 1) / partSize) + 1
    }

    private func isFree(_ part: Int) -> Bool { !present[part] && !underWay.contains(part) }

    private func firstMissing(from start: Int) -> Int? {
        guard start < present.count else { return nil }
        return (start..<present.count).first(where: isFree)
    }

    private mutating func begin(_ run: Range<Int>) -> Range<Int> {
        underWay.formUnion(run)
        return run
    }
}
