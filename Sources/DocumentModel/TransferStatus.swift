/// A transfer of an item in one direction: one that is under way, or one that waits, and for what (XFER-3 to XFER-8).
public struct TransferStatus: Hashable, Sendable {
    /// In bytes; never falls within one transfer.
    public var done: UInt64
    /// In bytes; nil while not known. May change.
    public var expected: UInt64?
    /// 0 to 100, and never falling within one transfer (XFER-4, XFER-7); nil while nobody knows how much it will be.
    public var percent: Int?
    /// Smoothed over some seconds; nil while nothing is under way, or too short a time to say.
    public var bytesPerSecond: UInt64?
    /// How long it takes at this speed; nil while one of the two is not known.
    public var timeLeft: Duration?
    /// What it waits for, which is also what would end the waiting; nil while bytes are on their way.
    public var wait: TransferWait?
    /// With ``TransferWait/retry``: how long until then.
    public var retryIn: Duration?
    /// What went wrong with it last; nil when nothing has since it was last carried out.
    public var problem: DocumentError?

    public init(
        done: UInt64 = 0, expected: UInt64? = nil, percent: Int? = nil, bytesPerSecond: UInt64? = nil,
        timeLeft: Duration? = nil, wait: TransferWait? = nil, retryIn: Duration? = nil, problem: DocumentError? = nil
    ) {
        self.done = done
        self.expected = expected
        self.percent = percent
        self.bytesPerSecond = bytesPerSecond
        self.timeLeft = timeLeft
        self.wait = wait
        self.retryIn = retryIn
        self.problem = problem
    }

    /// Whether it is on its way now.
    public var isUnderWay: Bool { wait == nil }

    /// How many bytes are still to come, as far as that is known.
    public var bytesLeft: UInt64 {
        guard let expected, expected > done else { return 0 }
        return expected - done
    }
}

/// What a transfer waits for (XFER-8).
public enum TransferWait: String, Sendable, CaseIterable {
    /// Its turn: others of the domain are before it.
    case turn
    /// Somebody lets it go on: it, a folder around it or its domain was paused.
    case resume
    /// Somebody includes it again: it, or a folder around it, is excluded from sync.
    case inclusion
    /// Whoever uses the document ends.
    case use
    /// A while: it failed, and is tried again by itself.
    case retry
    /// The remote can be reached again.
    case remote
    /// Somebody signs in.
    case signIn
    /// There is room on the remote.
    case remoteSpace
    /// There is room on this machine's disk.
    case localSpace
    /// Somebody chooses: it was changed on both sides.
    case choice
    /// The provider says that what is wrong is resolved.
    case provider
    /// Somebody asks for it again (DOWN-2).
    case request
    /// Something changes, here or on the remote: as it is, it cannot be done.
    case change
}

/// The transfers of one item.
public struct ItemTransfers: Hashable, Sendable {
    /// Contents that come, or were to come; nil when there is nothing to tell.
    public var download: TransferStatus?
    /// Changes that go out; nil when everything is on the remote.
    public var upload: TransferStatus?
    /// Whether its contents are wanted: somebody asked for them, or it is kept here.
    public var isDownloadRequested: Bool

    public init(download: TransferStatus? = nil, upload: TransferStatus? = nil, isDownloadRequested: Bool = false) {
        self.download = download
        self.upload = upload
        self.isDownloadRequested = isDownloadRequested
    }
}

/// The transfers of a document, of everything below a folder, or of a domain, in sums.
public struct TransferSummary: Hashable, Sendable {
    /// Documents that wait, without an error but for that of a conflict; and folders that were made here and cannot be made on
    /// the remote now.
    public var waiting: UInt64
    public var underWay: UInt64
    /// Documents whose transfer failed last, whatever would end that, and folders that could not be made on the remote. Those in
    /// conflict wait.
    public var failed: UInt64
    /// Bytes still to go in both directions, as far as that is known.
    public var bytesLeft: UInt64
    /// Of all that are under way; nil while none can say.
    public var bytesPerSecond: UInt64?
    /// How long what is under way, and what only waits for its turn, takes at this speed; nil while that is not known.
    public var timeLeft: Duration?

    public init(
        waiting: UInt64 = 0, underWay: UInt64 = 0, failed: UInt64 = 0, bytesLeft: UInt64 = 0,
        bytesPerSecond: UInt64? = nil, timeLeft: Duration? = nil
    ) {
        self.waiting = waiting
        self.underWay = underWay
        self.failed = failed
        self.bytesLeft = bytesLeft
        self.bytesPerSecond = bytesPerSecond
        self.timeLeft = timeLeft
    }

    public var isEmpty: Bool { waiting == 0 && underWay == 0 && failed == 0 }
}
