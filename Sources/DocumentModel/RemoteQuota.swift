/// How much room the remote of a domain has, in bytes, as far as it says (CONT-13).
///
/// Each number may be missing. They need not add up: a remote may keep some room for itself, or share it.
public struct RemoteQuota: Hashable, Sendable {
    /// All the room that there is.
    public let total: UInt64?
    /// What is taken of it. More than `total` where the remote has been given less since.
    public let used: UInt64?
    /// What may still be put there.
    public let available: UInt64?

    /// - Throws: `invalidArgument` for what cannot be: more than 2⁶³ − 1 bytes, more left than there is at all, or something left
    ///   although more is used than there is.
    public init(total: UInt64? = nil, used: UInt64? = nil, available: UInt64? = nil) throws(DocumentError) {
        for bytes in [total, used, available] {
            guard let bytes, bytes > UInt64(Int64.max) else { continue }
            throw DocumentError(.invalidArgument, "No remote has room for \(bytes) bytes: say nothing instead.")
        }
        if let total, let available, available > total {
            throw DocumentError(
                .invalidArgument, "Of \(total) bytes, \(available) cannot be left: leave out what is not known.")
        }
        if let total, let used, used > total, (available ?? 0) > 0 {
            throw DocumentError(
                .invalidArgument,
                "Of \(total) bytes, \(used) cannot be used and \(available ?? 0) be left: leave out what is not known.")
        }
        self.total = total
        self.used = used
        self.available = available
    }

    private init() {
        total = nil
        used = nil
        available = nil
    }

    /// The remote says nothing.
    public static let unknown = RemoteQuota()

    /// What may still be put there, as far as that can be told.
    public var room: UInt64? {
        if let available { return available }
        guard let total, let used else { return nil }
        return total - min(used, total)
    }
}

/// What a remote has said of its room, and when: it may be otherwise by now.
public struct ToldQuota: Hashable, Sendable {
    public var quota: RemoteQuota
    /// When it was asked.
    public var asOf: Timestamp

    public init(_ quota: RemoteQuota, asOf: Timestamp) {
        self.quota = quota
        self.asOf = asOf
    }
}
