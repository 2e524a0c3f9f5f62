import DocumentModel
import DocumentTestSupport
import Testing

@testable import DocumentHost

@Suite("How far a transfer is, and how fast")
struct TransferMeterTests {
    @Test("XFER-4, XFER-7: neither bytes nor percent fall within a transfer, whatever is told; 100 % is all of it")
    func neverFalling() {
        for seed in 0..<2_000 as Range<UInt64> {
            var numbers = SplitMix(state: seed)
            var now = Duration.milliseconds(Int64.random(in: 0...9, using: &numbers))
            var meter = TransferMeter(at: now)
            var last = meter.status(at: now)
            for _ in 0..<40 {
                let expected: UInt64? =
                    Bool.random(using: &numbers) ? UInt64.random(in: 0...1 << 40, using: &numbers) : nil
                let done = UInt64.random(in: 0...1 << UInt64.random(in: 0...41, using: &numbers), using: &numbers)
                meter.report(TransferProgress(done: done, expected: expected), at: now)
                let status = meter.status(at: now)
                #expect(status.done >= last.done && status.done >= done)
                #expect((status.percent ?? 0) >= (last.percent ?? 0), "seed \(seed)")
                #expect((0...100).contains(status.percent ?? 0))
                #expect((status.expected ?? .max) >= status.done)
                if last.percent != 100, status.percent == 100 { #expect(status.done == status.expected) }
                #expect((status.bytesPerSecond ?? 0) <= 1_000_000_000_000_000)
                last = status
                now += .milliseconds(Int64.random(in: 0...4_000, using: &numbers))
            }
        }
    }

    @Test("XFER-4: of a million bytes of which all but one are there it says 99 %")
    func almost() {
        var meter = TransferMeter(at: .zero)
        meter.report(TransferProgress(done: 999_999, expected: 1_000_000), at: .seconds(1))
        #expect(meter.status(at: .seconds(1)).percent == 99)
        meter.report(TransferProgress(done: 1_000_000, expected: 1_000_000), at: .seconds(1))
        #expect(meter.status(at: .seconds(1)).percent == 100)
    }

    @Test("a steady transfer's speed and time left are what they are, with reports however far apart")
    func steady() throws {
        for gap in [10, 100, 333, 2_000] as [Int64] {
            var meter = TransferMeter(at: .zero)
            var time = Int64(0)
            while time < 20_000 {
                time += gap
                meter.report(TransferProgress(done: UInt64(time) * 50, expected: 2_000_000), at: .milliseconds(time))
            }
            let status = meter.status(at: .milliseconds(time))
            let speed = try #require(status.bytesPerSecond)
            #expect((49_000...51_000).contains(speed), "gap \(gap): \(speed)")
            let left = try #require(status.timeLeft)
            #expect(abs(left / .seconds(1) - Double(status.bytesLeft) / 50_000) <= 2)
        }
    }

    @Test("DOWN-10: of a download that was interrupted, what was there before is no speed, and shortens no time left")
    func resumed() throws {
        var meter = TransferMeter(at: .zero)
        var progress = TransferProgress(done: 5_000_000_000, expected: 6_000_000_000)
        progress.before = 5_000_000_000
        // That was read again before.
        meter.report(progress, at: .seconds(20))
        #expect(meter.status(at: .seconds(20)).percent == 83)
        #expect(meter.status(at: .milliseconds(20_100)).bytesPerSecond == nil)
        for second in 21...25 as ClosedRange<Int64> {
            progress.done += 1_000_000
            meter.report(progress, at: .seconds(second))
        }
        let status = meter.status(at: .seconds(25))
        let speed = try #require(status.bytesPerSecond)
        #expect((990_000...1_010_000).contains(speed), "\(speed)")
        let left = try #require(status.timeLeft)
        #expect((980...1_010).contains(left / .seconds(1)), "\(left)")
    }

    @Test("a speed is told as soon as one can be, and goes to nothing in a transfer that stands still")
    func stalling() {
        var meter = TransferMeter(at: .zero)
        meter.report(TransferProgress(done: 100, expected: 1_000), at: .milliseconds(10))
        #expect(meter.status(at: .milliseconds(10)).bytesPerSecond == nil)
        meter.report(TransferProgress(done: 500, expected: 1_000), at: .seconds(1))
        #expect(meter.status(at: .seconds(1)).bytesPerSecond == 500)
        var last = UInt64(500)
        for second in 2...15 as ClosedRange<Int64> {
            let speed = meter.status(at: .seconds(second)).bytesPerSecond ?? .max
            #expect(speed < last)
            last = speed
        }
        let stalled = meter.status(at: .seconds(16))
        #expect(stalled.bytesPerSecond == 0 && stalled.timeLeft == nil)
        #expect(stalled.percent == 50)
    }

    @Test("what is expected may be known to others than the provider")
    func expecting() {
        var meter = TransferMeter(at: .zero)
        meter.report(TransferProgress(done: 25), at: .seconds(1))
        #expect(meter.status(at: .seconds(1)).percent == nil)
        #expect(meter.status(at: .seconds(1), expecting: 100).percent == 25)
        #expect(meter.status(at: .seconds(1), expecting: 10).percent == 100)
    }
}
