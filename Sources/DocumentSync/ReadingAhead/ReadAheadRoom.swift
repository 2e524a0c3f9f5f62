package import DocumentModel

/// How much may be fetched that nobody has asked for: not what would make something else leave, or fill the disk. Without I/O.
package enum ReadAheadRoom {
    /// A twentieth of the disk stays free, or so much where that is less. In bytes.
    private static let mostReserved: Int64 = 1 << 30

    /// - Parameters:
    ///   - limits: how much may be here; nil: nobody has said.
    ///   - here: how much is. In bytes.
    ///   - free: of the disk; nil: nobody knows.
    ///   - disk: all of it.
    /// - Returns: in bytes.
    package static func left(
        _ limits: SpaceLimits?, here: UInt64, free: Int64?, of disk: Int64
    ) -> Int64 {
        var left = Int64.max
        if let limits { left = limits.high > here ? Int64(clamping: limits.high - here) : 0 }
        if let free { left = min(left, free - min(disk / 20, mostReserved)) }
        return max(left, 0)
    }
}
