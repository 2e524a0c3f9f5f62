package import DocumentModel

/// Adds the transfers of items up, without I/O: each item counts once in each direction, as failed, waiting or under way.
/// A conflict has failed nowhere: it waits for somebody who chooses.
package struct TransferTally: Hashable, Sendable {
    package private(set) var summary = TransferSummary()
    /// Of what is under way, and of what only waits for that.
    private var bytesAhead: UInt64 = 0

    package init() {}

    package mutating func add(_ transfers: ItemTransfers) {
        if let download = transfers.download { add(download) }
        if let upload = transfers.upload { add(upload) }
    }

    private mutating func add(_ transfer: TransferStatus) {
        if transfer.isUnderWay {
            summary.underWay += 1
        } else if transfer.problem != nil, transfer.wait != .choice {
            summary.failed += 1
        } else {
            summary.waiting += 1
        }
        summary.bytesLeft = Self.sum(summary.bytesLeft, transfer.bytesLeft)
        if transfer.isUnderWay, let speed = transfer.bytesPerSecond {
            summary.bytesPerSecond = Self.sum(summary.bytesPerSecond ?? 0, speed)
        }
        // What is paused, for one, takes as long as somebody lets it.
        if transfer.isUnderWay || transfer.wait == .turn { bytesAhead = Self.sum(bytesAhead, transfer.bytesLeft) }
        summary.timeLeft = summary.bytesPerSecond.flatMap { TransferMeter.time(for: bytesAhead, at: $0) }
    }

    /// Sizes are what providers say, and may be anything.
    private static func sum(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (sum, overflows) = one.addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
