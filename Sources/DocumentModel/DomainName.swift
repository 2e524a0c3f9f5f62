/// The short name of a domain: `work`.
public struct DomainName: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let maximumLength = 64

    public let rawValue: String

    /// Checks a name: 1 to 64 letters, digits, `-`, `_` and `.` of ASCII, the first one a letter or digit.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    public init(_ rawValue: String) throws(DocumentError) {
        let bytes = rawValue.utf8
        let fits = bytes.count <= Self.maximumLength && bytes.first?.isASCIIAlphanumeric == true
        guard fits, bytes.allSatisfy({ $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }) else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(rawValue))” cannot be a domain's name: use up to \(Self.maximumLength) letters, digits, “-”, “_” and “.”, beginning with a letter or digit."
            )
        }
        self.rawValue = rawValue
    }

    private init(unchecked rawValue: String) { self.rawValue = rawValue }

    /// What is on this machine and in no domain: no domain can be called so, and nothing that is read comes to it.
    package static let thisMachine = DomainName(unchecked: "")

    public var description: String { rawValue }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension UInt8 {
    var isASCIIAlphanumeric: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}
