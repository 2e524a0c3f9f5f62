/// What one key-value identifier may hold (CONT-2).
public enum KeyValueLimits {
    /// How many keys.
    public static let mostKeys = 1024
    /// Of all values together, in bytes.
    public static let mostBytes = 1 << 20
    /// Of one key, in bytes.
    public static let longestKey = 64

    /// - Throws: ``DocumentError`` with the code `invalidArgument` for an empty key, and for one that is longer than
    ///   ``longestKey``.
    package static func check(_ key: String) throws(DocumentError) {
        guard (1...longestKey).contains(key.utf8.count) else {
            throw DocumentError(
                .invalidArgument,
                "A key has 1 to \(longestKey) bytes, and “\(ItemName.printable(key, limit: 80))” has \(key.utf8.count): choose another one."
            )
        }
    }

    /// - Throws: ``DocumentError`` with the code `insufficientQuota` for more than an identifier may hold.
    package static func check(keys: Int, bytes: Int) throws(DocumentError) {
        guard keys <= mostKeys else {
            throw DocumentError(
                .insufficientQuota,
                "There would be \(keys) keys, and \(mostKeys) are as many as there may be: remove some first. Nothing was changed."
            )
        }
        guard bytes <= mostBytes else {
            throw DocumentError(
                .insufficientQuota,
                "The values would have \(bytes) bytes, and \(mostBytes) are as many as there may be: remove some first, or keep it in a document. Nothing was changed."
            )
        }
    }
}

/// What is set and removed in one step.
package struct KeyValueChange: Hashable, Sendable {
    package let values: [String: [UInt8]]
    package let removed: Set<String>

    /// - Throws: ``DocumentError``: `invalidArgument` for a key that is none, and for one that is set and removed;
    ///   `insufficientQuota` for more than can be held at all.
    package init(_ values: [String: [UInt8]], removing removed: Set<String> = []) throws(DocumentError) {
        for key in values.keys { try KeyValueLimits.check(key) }
        for key in removed { try KeyValueLimits.check(key) }
        if let both = removed.first(where: { values[$0] != nil }) {
            throw DocumentError(
                .invalidArgument,
                "The key “\(ItemName.printable(both))” is to be set and to be removed: say one of them.")
        }
        try KeyValueLimits.check(keys: values.count, bytes: values.values.reduce(0) { $0 + $1.count })
        self.values = values
        self.removed = removed
    }
}
