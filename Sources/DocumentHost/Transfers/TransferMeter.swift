package import DocumentModel
import Glibc

/// How far one transfer is, how fast, and how long it still takes: a state machine without I/O, told of bytes and of the
/// time. What it says never falls within the transfer, whatever it is told (XFER-4, XFER-7).
package struct TransferMeter: Hashable, Sendable {
    /// The speed is that of about the last so many seconds.
    package static let memory: Double = 3
    /// In shorter than this nobody can tell a speed.
    package static let shortest = Duration.milliseconds(250)
    /// Silence of this length is no speed at all.
    package static let stall = Duration.seconds(15)

    package private(set) var progress = TransferProgress(done: 0)
    private var percent: Int?
    /// When the speed was last reckoned, and how much there was then.
    private var measured: Duration
    private var measuredBytes: UInt64 = 0
    private var lastByte: Duration
    /// In bytes a second.
    private var speed: Double?

    /// - Parameter now: counts from some moment, and never backwards.
    package init(at now: Duration) {
        measured = now
        lastByte = now
    }

    /// A provider that begins anew after an error reports less than before: that is not told.
    package mutating func report(_ report: TransferProgress, at now: Duration) {
        if report.done > progress.done {
            progress.done = report.done
            lastByte = max(now, lastByte)
        }
        if let expected = report.expected { progress.expected = expected }
        // Whoever sends more than was expected has expected too little.
        if let expected = progress.expected, expected < progress.done { progress.expected = progress.done }
        if let current = Self.percent(progress) { percent = max(percent ?? 0, current) }
        // Nor did it come while that was looked at.
        if report.before > measuredBytes { (measured, measuredBytes) = (now, min(report.before, progress.done)) }
        measure(at: now)
    }

    /// 100 only when all of it is there.
    private static func percent(_ progress: TransferProgress) -> Int? {
        guard let expected = progress.expected else { return nil }
        guard expected > 0 else { return 100 }
        if progress.done >= expected { return 100 }
        return min(99, Int(Double(progress.done) / Double(expected) * 100))
    }

    private mutating func measure(at now: Duration) {
        let elapsed = now - measured
        guard elapsed >= Self.shortest else { return }
        let seconds = elapsed / .seconds(1)
        let current = Double(progress.done - measuredBytes) / seconds
        // The longer ago, the less it counts.
        let weight = 1 - exp(-seconds / Self.memory)
        speed = speed.map { $0 + weight * (current - $0) } ?? current
        measured = now
        measuredBytes = progress.done
    }

    /// - Parameter expected: how much it will be, where the provider has not said.
    package func status(at now: Duration, expecting expected: UInt64? = nil) -> TransferStatus {
        var meter = self
        meter.measure(at: now)
        var progress = progress
        var percent = percent
        if progress.expected == nil, let expected {
            progress.expected = max(expected, progress.done)
            percent = Self.percent(progress)
        }
        var status = TransferStatus(done: progress.done, expected: progress.expected, percent: percent)
        if now - lastByte >= Self.stall {
            status.bytesPerSecond = 0
        } else if let speed = meter.speed, speed.isFinite, speed >= 0 {
            status.bytesPerSecond = UInt64(min(speed, 1e15))
        }
        if let speed = status.bytesPerSecond, progress.expected != nil {
            status.timeLeft = Self.time(for: status.bytesLeft, at: speed)
        }
        return status
    }

    /// Nil when it would take for ever, or nearly.
    package static func time(for bytes: UInt64, at bytesPerSecond: UInt64) -> Duration? {
        if bytes == 0 { return .zero }
        guard bytesPerSecond > 0 else { return nil }
        let seconds = (Double(bytes) / Double(bytesPerSecond)).rounded(.up)
        return seconds < 31_536_000 ? .seconds(Int64(seconds)) : nil
    }
}
