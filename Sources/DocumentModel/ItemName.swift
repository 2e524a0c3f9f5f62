/// One path component, as stored by the provider: the checked form of a name that came from outside.
///
/// Names are kept as given; equality is that of the bytes. Names that differ only by case or by Unicode form are
/// different names, and the host reports the clash (CONT-12).
public struct ItemName: Sendable, CustomStringConvertible {
    /// The longest name, in bytes of UTF-8: what Linux file systems hold.
    public static let maximumLength = 255

    /// The folder in each folder of the storage root that holds placeholders; no item may be called so (PH-2).
    public static let placeholderFolder = ".docent-placeholders"

    public let rawValue: String

    /// Checks a name.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` when it is empty, longer than 255 bytes, `.` or
    ///   `..`, contains `/` or a control character, or is the name of the placeholders' folder.
    public init(_ rawValue: String) throws(DocumentError) {
        if let problem = Self.problem(of: rawValue) {
            throw DocumentError(.invalidArgument, "“\(Self.printable(rawValue))” cannot be a name: \(problem).")
        }
        self.rawValue = rawValue
    }

    public var description: String { rawValue }

    /// The part after the last dot, lower case; nil without one, and for names that only begin with a dot.
    public var pathExtension: String? {
        guard let dot = rawValue.lastIndex(of: "."), dot != rawValue.startIndex else { return nil }
        let suffix = rawValue[rawValue.index(after: dot)...]
        return suffix.isEmpty ? nil : suffix.lowercased()
    }

    private static func problem(of name: String) -> String? {
        let length = name.utf8.count
        if length == 0 { return "it is empty" }
        if length > maximumLength { return "it has \(length) bytes, and \(maximumLength) is the most" }
        if name == "." || name == ".." { return "it names a place, not an item" }
        if name.utf8.contains(UInt8(ascii: "/")) { return "it contains a slash" }
        if name.unicodeScalars.contains(where: \.isControl) { return "it contains a control character" }
        if name == placeholderFolder { return "this name is reserved" }
        return nil
    }

    /// The name with control characters made visible and its length bounded, for messages.
    package static func printable(_ name: String, limit: Int = 80) -> String {
        var text = ""
        for scalar in name.unicodeScalars.prefix(limit) {
            if scalar.isControl || scalar.isDeceptive {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return name.unicodeScalars.count > limit ? text + "…" : text
    }
}

extension Unicode.Scalar {
    /// Line separators, and marks that turn the direction of writing: what is shown is not what is there, “exe.png”
    /// for “gnp.exe”. In messages they are made visible.
    package var isDeceptive: Bool {
        (0x2028...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }

    /// C0, DEL and C1 controls, and the line and paragraph separators: nothing of it belongs in a name or a message.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
    }
}

extension ItemName: Hashable, Comparable {
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
