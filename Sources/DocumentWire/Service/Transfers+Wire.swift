import DocumentModel
import SwiftProtobuf

extension TransferStatus {
    init(_ wire: WireServiceTransfer) throws(DocumentError) {
        self.init(
            done: wire.done,
            expected: wire.hasExpected ? wire.expected : nil,
            percent: wire.hasPercent ? min(Int(wire.percent), 100) : nil,
            bytesPerSecond: wire.hasBytesPerSecond ? wire.bytesPerSecond : nil,
            timeLeft: wire.hasTimeLeftMs ? Duration(wireMilliseconds: wire.timeLeftMs) : nil,
            // One that is not known here is of a newer host: it waits all the same.
            wait: wire.wait.isEmpty ? nil : TransferWait(rawValue: wire.wait) ?? .change,
            retryIn: wire.hasRetryInMs ? Duration(wireMilliseconds: wire.retryInMs) : nil,
            problem: wire.hasProblem ? DocumentError(wire.problem) : nil
        )
    }
}

extension WireServiceTransfer {
    init(_ status: TransferStatus) {
        self.init()
        done = status.done
        if let expected = status.expected { self.expected = expected }
        if let percent = status.percent { self.percent = UInt32(clamping: percent) }
        if let speed = status.bytesPerSecond { bytesPerSecond = speed }
        if let time = status.timeLeft { timeLeftMs = time.wireMilliseconds }
        wait = status.wait?.rawValue ?? ""
        if let time = status.retryIn { retryInMs = time.wireMilliseconds }
        if let problem = status.problem { self.problem = WireFailure(problem) }
    }
}

extension TransferSummary {
    init(_ wire: WireServiceTransferSummary) {
        self.init(
            waiting: wire.waiting, underWay: wire.underWay, failed: wire.failed, bytesLeft: wire.bytesLeft,
            bytesPerSecond: wire.hasBytesPerSecond ? wire.bytesPerSecond : nil,
            timeLeft: wire.hasTimeLeftMs ? Duration(wireMilliseconds: wire.timeLeftMs) : nil)
    }
}

extension WireServiceTransferSummary {
    init(_ summary: TransferSummary) {
        self.init()
        waiting = summary.waiting
        underWay = summary.underWay
        failed = summary.failed
        bytesLeft = summary.bytesLeft
        if let speed = summary.bytesPerSecond { bytesPerSecond = speed }
        if let time = summary.timeLeft { timeLeftMs = time.wireMilliseconds }
    }
}

extension ItemTransfers {
    init(_ wire: WireServiceItemStatus) throws(DocumentError) {
        self.init(
            download: wire.hasDownload ? try TransferStatus(wire.download) : nil,
            upload: wire.hasUpload ? try TransferStatus(wire.upload) : nil,
            isDownloadRequested: wire.downloadRequested)
    }
}

extension ItemMarks {
    init(_ wire: WireServiceItemStatus) throws(DocumentError) {
        self.init(
            // One that is not known here is of a newer host.
            own: (try? Keeping.optional(wire.ownKeeping)) ?? nil,
            keeping: (try? Keeping.optional(wire.keeping)) ?? .automatic,
            isPausedItself: wire.pausedItself, isPaused: wire.paused,
            ignoredBy: wire.ignoredBy.isEmpty ? nil : try IgnorePattern(wire.ignoredBy))
    }
}

extension WireServiceItemStatus {
    mutating func set(_ transfers: ItemTransfers, _ marks: ItemMarks) {
        if let transfer = transfers.download { download = WireServiceTransfer(transfer) }
        if let transfer = transfers.upload { upload = WireServiceTransfer(transfer) }
        downloadRequested = transfers.isDownloadRequested
        ownKeeping = WireServiceKeeping(marks.own)
        // What most items are needs no room.
        if marks.keeping != .automatic { keeping = WireServiceKeeping(marks.keeping) }
        pausedItself = marks.isPausedItself
        paused = marks.isPaused
        ignoredBy = marks.ignoredBy?.text ?? ""
    }
}

extension Keeping {
    static func optional(_ wire: WireServiceKeeping) throws(DocumentError) -> Keeping? {
        switch wire {
        case .unspecified: nil
        case .automatic: .automatic
        case .pinned: .pinned
        case .onlineOnly: .onlineOnly
        case .excluded: .excluded
        case .whileCurrent: .whileCurrent
        case .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is no way to keep an item.")
        }
    }
}

extension WireServiceKeeping {
    init(_ keeping: Keeping?) {
        switch keeping {
        case nil: self = .unspecified
        case .automatic: self = .automatic
        case .pinned: self = .pinned
        case .onlineOnly: self = .onlineOnly
        case .excluded: self = .excluded
        case .whileCurrent: self = .whileCurrent
        }
    }
}

extension Duration {
    /// Longer than this nothing is told to last: a year.
    private static let mostMilliseconds: UInt64 = 31_536_000_000

    fileprivate init(wireMilliseconds: UInt64) {
        self = .milliseconds(Int64(min(wireMilliseconds, Self.mostMilliseconds)))
    }

    fileprivate var wireMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard UInt64(seconds) < Self.mostMilliseconds / 1_000 else { return Self.mostMilliseconds }
        return UInt64(seconds) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000)
    }
}
