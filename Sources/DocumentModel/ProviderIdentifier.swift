/// A provider's name, in reverse-DNS form: `org.example.photos`. Unique on a machine (ID-6); also the purpose
/// identifier of everything that acts for the provider (ID-5).
public struct ProviderIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let maximumLength = 128

    public let rawValue: String

    /// Checks an identifier: two or more parts with dots between them, each of 1 to 63 lower-case ASCII letters,
    /// digits and `-`, neither beginning nor ending with `-`, the first one beginning with a letter.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    public init(_ rawValue: String) throws(DocumentError) {
        let parts = rawValue.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        let partsFit = parts.allSatisfy { part in
            (1...63).contains(part.count) && part.first != hyphen && part.last != hyphen
                && part.allSatisfy { $0.isASCIILowercaseAlphanumeric || $0 == hyphen }
        }
        let beginsWithLetter = rawValue.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false
        guard parts.count >= 2, partsFit, beginsWithLetter, rawValue.utf8.count <= Self.maximumLength else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(rawValue))” cannot be a provider's identifier: write it like org.example.photos, in lower case."
            )
        }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension UInt8 {
    fileprivate var isASCIILowercaseAlphanumeric: Bool {
        isASCIIAlphanumeric && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}
