/// An item's identity within its domain: opaque, persistent, never reused for another item (ID-1, ID-9).
///
/// Two identifiers are equal when their bytes are; unlike `String`, Unicode equivalence does not count.
public struct ItemIdentifier: Sendable, CustomStringConvertible {
    /// The longest identifier, in bytes of UTF-8 (ID-9).
    public static let maximumLength = 4096

    /// The top folder of a domain, unless its provider names another one.
    public static let root = ItemIdentifier(unchecked: "/")

    public let rawValue: String

    /// Makes an identifier from what a provider gave.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` when it is empty, longer than
    ///   ``maximumLength`` or holds a NUL.
    public init(_ rawValue: String) throws(DocumentError) {
        let length = rawValue.utf8.count
        guard length > 0, length <= Self.maximumLength, !rawValue.utf8.contains(0) else {
            throw DocumentError(
                .invalidArgument,
                "An item identifier must have 1 to \(Self.maximumLength) bytes and no NUL; this one has \(length) bytes."
            )
        }
        self.rawValue = rawValue
    }

    private init(unchecked rawValue: String) {
        self.rawValue = rawValue
    }

    public var description: String { rawValue }
}

extension ItemIdentifier: Hashable, Comparable {
    public static func == (one: Self, other: Self) -> Bool {
        one.rawValue.hasSameBytes(as: other.rawValue)
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.rawValue.utf8.lexicographicallyPrecedes(other.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        rawValue.hashBytes(into: &hasher)
    }
}
