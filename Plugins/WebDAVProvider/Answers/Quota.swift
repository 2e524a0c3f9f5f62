internal import DocumentModel

/// How much may be kept on the server, as far as it says so (RFC 4331), in bytes.
struct Quota: Hashable, Sendable {
    var available: Int64?
    var used: Int64?

    /// Without a total: what is used and what is left need not make one, where others share the room.
    var told: RemoteQuota {
        get throws(DocumentError) {
            try RemoteQuota(
                used: used.flatMap { UInt64(exactly: $0) }, available: available.flatMap { UInt64(exactly: $0) })
        }
    }

    /// For people; nil when the server says nothing.
    var sentence: String? {
        switch (available, used) {
        case (0?, _): "There is no room left on the server."
        case (let available?, let used?):
            "There is room for \(Self.text(available)) on the server, and \(Self.text(used)) are used."
        case (let available?, nil): "There is room for \(Self.text(available)) on the server."
        case (nil, let used?): "On the server, \(Self.text(used)) are used."
        case (nil, nil): nil
        }
    }

    /// `999 B`, `1.2 KB`, `34 MB`: powers of 1000. What is left is never told to be more than it is.
    private static func text(_ bytes: Int64) -> String {
        // Tenths, but of what would be too many of them.
        var (value, unit) = bytes < .max / 10 ? (bytes * 10, 0) : (bytes / 100, 1)
        while value >= 10_000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        if unit == 0 || value >= 100 { return "\(value / 10) \(units[unit])" }
        return "\(value / 10).\(value % 10) \(units[unit])"
    }

    private static let units = ["B", "KB", "MB", "GB", "TB", "PB", "EB"]
}
