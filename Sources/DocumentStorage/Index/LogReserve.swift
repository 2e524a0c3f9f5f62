/// How much of the disk belongs to the index's log before the log needs it, so that what makes room on a full disk (a
/// removal, an eviction, a truncation) can be written down. Without I/O.
///
/// SQLite begins the log anew when it has about half as much, and never makes it shorter: what it was given once stays with
/// it until it is closed. The other half is for when the database itself cannot grow, and the log cannot be begun anew.
struct LogReserve: Sendable {
    /// In bytes.
    static let most: Int64 = 8 << 20
    /// After how many writes it is looked at again, while it is not all there.
    static let patience = 64

    private(set) var held: Int64 = 0
    private var writes = 0

    /// - Returns: whether ``next(available:)`` is to be asked.
    mutating func wrote() -> Bool {
        guard held < Self.most else { return false }
        writes += 1
        guard writes >= Self.patience else { return false }
        writes = 0
        return true
    }

    /// - Parameter available: how many bytes anybody may still write to the disk. Most of a small disk is left to others.
    /// - Returns: the size up to which the log is to be given room; nil when it has as much.
    func next(available: Int64) -> Int64? {
        let size = min(Self.most, held + max(available, 0) / 4) & ~0xFFFF
        return size > held ? size : nil
    }

    mutating func given(_ size: Int64) { held = size }

    /// The file system has no such thing.
    mutating func impossible() { held = Self.most }

    /// The log was made shorter.
    mutating func lost() { held = 0 }
}
