import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentHost

@Suite("Transfers in sums")
struct TransferTallyTests {
    private func transfer(_ numbers: inout SplitMix) -> TransferStatus {
        let done = UInt64.random(in: 0...1_000, using: &numbers)
        return TransferStatus(
            done: done, expected: Bool.random(using: &numbers) ? UInt64.random(in: 0...2_000, using: &numbers) : nil,
            bytesPerSecond: Bool.random(using: &numbers) ? UInt64.random(in: 0...100, using: &numbers) : nil,
            wait: Bool.random(using: &numbers) ? TransferWait.allCases.randomElement(using: &numbers) : nil,
            problem: Bool.random(using: &numbers) ? DocumentError(.busy, "Later.") : nil)
    }

    @Test("every transfer counts once, and the sums do not depend on the order")
    func sums() {
        for seed in 0..<500 as Range<UInt64> {
            var numbers = SplitMix(state: seed)
            var all: [ItemTransfers] = []
            for _ in 0..<Int.random(in: 0...20, using: &numbers) {
                all.append(
                    ItemTransfers(
                        download: Bool.random(using: &numbers) ? transfer(&numbers) : nil,
                        upload: Bool.random(using: &numbers) ? transfer(&numbers) : nil))
            }
            var tally = TransferTally()
            for transfers in all { tally.add(transfers) }
            let single = all.flatMap { [$0.download, $0.upload] }.compactMap { $0 }
            #expect(tally.summary.waiting + tally.summary.underWay + tally.summary.failed == UInt64(single.count))
            #expect(tally.summary.underWay == UInt64(single.filter(\.isUnderWay).count))
            #expect(tally.summary.bytesLeft == single.reduce(0) { $0 + $1.bytesLeft })
            #expect(tally.summary.isEmpty == single.isEmpty)
            var other = TransferTally()
            for transfers in all.shuffled(using: &numbers) { other.add(transfers) }
            #expect(other == tally)
        }
    }

    @Test(
        "a document in conflict waits for a choice, and has not failed; one that is tried again has",
        arguments: TransferWait.allCases)
    func conflicts(_ wait: TransferWait) {
        var tally = TransferTally()
        tally.add(ItemTransfers(upload: TransferStatus(wait: wait, problem: DocumentError(.inConflict, "Both."))))
        #expect(tally.summary.waiting == (wait == .choice ? 1 : 0))
        #expect(tally.summary.failed == (wait == .choice ? 0 : 1))
    }

    @Test("the time left is that of what is under way and of what is next, not of what waits for something else")
    func timeLeft() {
        var tally = TransferTally()
        tally.add(ItemTransfers(download: TransferStatus(done: 50, expected: 100, bytesPerSecond: 10)))
        #expect(tally.summary.timeLeft == .seconds(5))
        tally.add(ItemTransfers(upload: TransferStatus(expected: 30, wait: .turn)))
        #expect(tally.summary.timeLeft == .seconds(8))
        for wait in TransferWait.allCases where wait != .turn {
            tally.add(ItemTransfers(upload: TransferStatus(expected: 1_000, wait: wait)))
            #expect(tally.summary.timeLeft == .seconds(8), "\(wait)")
        }
        #expect(tally.summary.bytesLeft == 80 + 1_000 * UInt64(TransferWait.allCases.count - 1))
    }

    @Test("sizes that cannot be do not end the host")
    func huge() {
        var tally = TransferTally()
        for _ in 0..<3 {
            tally.add(ItemTransfers(download: TransferStatus(expected: .max, bytesPerSecond: .max)))
        }
        #expect(tally.summary.bytesLeft == .max && tally.summary.bytesPerSecond == .max)
        #expect(tally.summary.timeLeft == .seconds(1))
    }
}
