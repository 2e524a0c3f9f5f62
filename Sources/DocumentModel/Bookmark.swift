/// What a host tool keeps in order to find an item again, without a picker and without knowing where it is by then
/// (BOOK-1): sealed by the host that made it, so that a changed byte is refused.
///
/// A bookmark is bound to an item, not to a path, and to the tool that made it or to a document (BOOK-3). It is opaque:
/// keep its ``text`` or its ``bytes`` as they are.
public struct Bookmark: Hashable, Sendable {
    /// The longest bookmark, in bytes.
    public static let maximumLength = 16 * 1024
    private static let prefix = "docent-bookmark:"

    /// What the host sealed.
    public let bytes: [UInt8]

    /// Takes bytes as a host gave them. Whether they are genuine, only the host can tell.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` for none, and for more than ``maximumLength``.
    public init(bytes: [UInt8]) throws(DocumentError) {
        guard (1...Self.maximumLength).contains(bytes.count) else {
            throw DocumentError(
                .invalidArgument,
                "A bookmark has 1 to \(Self.maximumLength) bytes, and this has \(bytes.count): use one as it was made.")
        }
        self.bytes = bytes
    }

    /// Reads what ``text`` gave.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` for anything else, also where only the writing differs.
    public init(text: String) throws(DocumentError) {
        guard text.utf8.starts(with: Self.prefix.utf8),
            let bytes = Base64URL.bytes(of: text.utf8.dropFirst(Self.prefix.utf8.count))
        else {
            throw DocumentError(
                .invalidArgument,
                "This is no bookmark, or a part of it is missing: one begins with “\(Self.prefix)”, and is used as it was made."
            )
        }
        try self.init(bytes: bytes)
    }

    /// One word of ASCII, for files and command lines.
    public var text: String { Self.prefix + Base64URL.text(of: bytes) }
}

extension Bookmark: CustomStringConvertible {
    /// Not its text, so that it does not get into logs.
    public var description: String { "a bookmark of \(bytes.count) bytes" }
}

/// What a bookmark allows.
public enum BookmarkRights: String, Sendable, CaseIterable {
    /// Writes through it are refused (BOOK-3).
    case readOnly
    /// Reading and writing.
    case readWrite
}

/// The number that a bookmark is listed and revoked by: 16 hexadecimal digits. Knowing it gives nothing.
public struct BookmarkIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt64

    /// Any number can be one.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Reads what ``description`` gave.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    public init(_ text: String) throws(DocumentError) {
        guard text.utf8.count == 16, let value = UInt64(text, radix: 16), text.utf8.first != UInt8(ascii: "+") else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(text))” is not the number of a bookmark: “docent bookmark list” shows them.")
        }
        rawValue = value
    }

    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
