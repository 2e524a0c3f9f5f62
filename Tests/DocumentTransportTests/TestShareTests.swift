import DocumentTestSupport
import Testing

/// What `scripts/test` leaves out at one commit it tries at the next ones.
struct TestShareTests {
    @Test("The shares of all arguments are all arguments, each once", arguments: 3...9)
    func together(_ count: Int) {
        let shares: [[Int]] = (1...3).map { number in TestShare.of(0..<count, number, of: 3) }
        let together: [Int] = shares.flatMap(\.self).sorted()
        #expect(together == Array(0..<count))
        let most = shares.map(\.count).max() ?? 0
        #expect(most == (count + 2) / 3)
    }

    @Test("A share is never empty, so that a test is never left out as a whole")
    func few() {
        let shares: [[String]] = (1...3).map { number in TestShare.of(["a", "b"], number, of: 3) }
        #expect(shares == [["a"], ["b"], ["a"]])
        let none: [Int] = TestShare.of([], 1, of: 3)
        #expect(none.isEmpty)
    }
}
