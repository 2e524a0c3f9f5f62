import Testing

@testable import DocumentTestSupport

/// What `scripts/test` leaves out at one commit it tries at the next ones.
struct TestShareTests {
    @Test("The shares of all arguments are all arguments, each once", arguments: 3...9)
    func together(_ count: Int) {
        let shares = (1...3).map { TestShare.of(0..<count, $0, of: 3) }
        #expect(shares.joined().sorted() == Array(0..<count))
        #expect(shares.allSatisfy { $0.count <= (count + 2) / 3 })
    }

    @Test("A share is never empty, so that a test is never left out as a whole")
    func few() {
        #expect((1...3).map { TestShare.of(["a", "b"], $0, of: 3) } == [["a"], ["b"], ["a"]])
        #expect(TestShare.of([Int](), 1, of: 3).isEmpty)
    }
}
