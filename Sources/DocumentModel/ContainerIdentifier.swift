/// A container's name: `<TEAM>.<name>`, for example `ABCDE12345.org.example.notes` (CONT-1).
public struct ContainerIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The longest one, in bytes; it is a folder's name, too.
    public static let maximumLength = 128
    /// How many characters the team has.
    public static let teamLength = 10

    /// The text.
    public let rawValue: String

    /// Checks an identifier: ten upper-case ASCII letters and digits, a dot, and a name of ASCII letters, digits, `-`, `_`
    /// and single dots.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    public init(_ rawValue: String) throws(DocumentError) {
        guard Self.isName(rawValue.utf8[...]) else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(rawValue))” is not a container's identifier: write it as TEAM.name with a team of \(Self.teamLength) capital letters and digits, for example ABCDE12345.org.example.notes."
            )
        }
        self.rawValue = rawValue
    }

    /// The first ten characters.
    public var team: String { String(rawValue.prefix(Self.teamLength)) }

    public var description: String { rawValue }

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    fileprivate static func isName(_ text: Substring.UTF8View) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.count <= maximumLength, parts.count >= 2, let team = parts.first, team.count == teamLength,
            team.allSatisfy({ $0.isASCIIAlphanumeric && !(UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        }
    }
}

/// One entry of a tool's entitlement to containers: an identifier, or all of a team's that begin alike, written with a
/// `*` for the last part: `ABCDE12345.*`, `ABCDE12345.org.example.*`.
public struct ContainerPattern: Hashable, Sendable, CustomStringConvertible {
    /// The identifier; nil for a pattern with a wildcard.
    public let identifier: ContainerIdentifier?
    private let start: String

    /// Checks a pattern. A wildcard stands behind the team at the earliest.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument`.
    public init(_ text: String) throws(DocumentError) {
        guard text.utf8.last == UInt8(ascii: "*") else {
            let identifier = try ContainerIdentifier(text)
            self.identifier = identifier
            start = identifier.rawValue
            return
        }
        // With something in the wildcard's place it is an identifier.
        let start = String(text.dropLast())
        guard start.utf8.last == UInt8(ascii: "."), ContainerIdentifier.isName((start + "x").utf8[...]) else {
            throw DocumentError(
                .invalidArgument,
                "“\(ItemName.printable(text))” is not a pattern for containers: the star stands for the last part, behind the team and a dot, for example ABCDE12345.*."
            )
        }
        identifier = nil
        self.start = start
    }

    /// Whether it may stand for more than one container.
    public var hasWildcard: Bool { identifier == nil }

    /// Whether a container is one of those that it stands for.
    public func matches(_ container: ContainerIdentifier) -> Bool {
        hasWildcard ? container.rawValue.utf8.starts(with: start.utf8) : container == identifier
    }

    public var description: String { hasWildcard ? start + "*" : start }
}
