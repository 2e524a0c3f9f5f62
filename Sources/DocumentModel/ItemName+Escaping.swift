/// Names that a remote has and no item may have: with a slash, with control characters, or not in UTF-8.
///
/// A character that is not allowed is shown as one that looks like it: `/` as U+2215, control characters as their pictures
/// (U+2400 and following). What has no picture is shown byte by byte, as `‛` (U+201B) and two hexadecimal digits. A character
/// that stands for itself, and could be taken for one of these, has a `‛` before it. So nothing is lost: each name of a remote
/// has one that an item may have, and comes back from it.
extension ItemName {
    /// The name under which a remote's is shown.
    ///
    /// - Parameter bytes: as the remote has it.
    /// - Throws: ``DocumentError`` with the code `invalidArgument` for what cannot be shown so: an empty name, one that is
    ///   longer than 255 bytes when it is shown, `.`, `..`, and the reserved one.
    public init(escaping bytes: some Collection<UInt8>) throws(DocumentError) {
        try self.init(Self.escaping(bytes))
    }

    /// The name under which a remote's is shown, however long that is.
    ///
    /// One that would be too long when it is shown has its beginning and its ending, and between them `…` and sixteen
    /// hexadecimal digits, which are of all of it: so two of them differ, and each is the same at any time. From such a name
    /// nothing comes back: whoever uses it remembers what it stands for.
    ///
    /// - Throws: ``DocumentError`` with the code `invalidArgument` for an empty name, `.`, `..`, and the reserved one.
    public init(shortening bytes: some Collection<UInt8>) throws(DocumentError) {
        let parts = Self.escaped(bytes)
        let whole = Self.escaping(bytes)
        guard whole.utf8.count > Self.maximumLength else {
            try self.init(whole)
            return
        }
        let digits = Self.digest(of: bytes)
        // What programs tell types by.
        let ending = whole.utf8.suffix(Self.longestEnding).lastIndex(of: UInt8(ascii: ".")).map { whole[$0...] } ?? ""
        let end = "…\(digits)" + (ending.unicodeScalars.allSatisfy(\.isASCII) ? ending : "")
        var beginning: [UInt8] = []
        for part in parts {
            guard beginning.count + part.count + end.utf8.count <= Self.maximumLength else { break }
            beginning += part
        }
        try self.init(String(decoding: beginning, as: UTF8.self) + end)
    }

    /// With the dot.
    private static let longestEnding = 16

    /// Nothing secret hangs on it.
    private static func digest(of bytes: some Collection<UInt8>) -> String { StableHash(bytes).digits.uppercased() }

    /// What is shown of each character of a name, or of each byte that is none.
    private static func escaped(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        var shown: [[UInt8]] = []
        var rest = Array(bytes)[...]
        while let (scalar, length) = Self.scalar(at: rest) {
            let own = rest.prefix(length)
            rest = rest.dropFirst(length)
            if let scalar, let picture = Self.picture(of: scalar) {
                shown.append(Array(String(picture).utf8))
            } else if let scalar, !isByteWise(scalar) {
                shown.append((isSpecial(scalar) ? Array(String(mark).utf8) : []) + own)
            } else {
                shown.append(own.flatMap { hexadecimal($0) })
            }
        }
        return shown
    }

    /// The text under which a remote's name is shown, also when it is none that an item may have: too long, for one.
    public static func escaping(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: escaped(bytes).joined(), as: UTF8.self)
    }

    /// The name as the remote has it, of one that is shown so.
    public var unescaped: [UInt8] { Self.unescaping(rawValue) }

    /// The name as the remote has it, of such a text.
    public static func unescaping(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if let own = Self.scalar(of: scalar) {
                bytes += String(own).utf8
            } else if scalar == mark, let next = rest.first, isSpecial(next) {
                bytes += String(next).utf8
                rest.removeFirst()
            } else if scalar == mark, let byte = Self.byte(rest.prefix(2)) {
                bytes.append(byte)
                rest = rest.dropFirst(2)
            } else {
                bytes += String(scalar).utf8
            }
        }
        return bytes
    }

    private static let mark: Unicode.Scalar = "\u{201B}"
    private static let slash: Unicode.Scalar = "\u{2215}"

    /// What stands for another character.
    private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
        scalar == mark || self.scalar(of: scalar) != nil
    }

    private static func picture(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x2F: slash
        case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value)
        case 0x7F: "\u{2421}"
        default: nil
        }
    }

    private static func scalar(of picture: Unicode.Scalar) -> Unicode.Scalar? {
        switch picture.value {
        case slash.value: "/"
        case 0x2400..<0x2420: Unicode.Scalar(picture.value - 0x2400)
        case 0x2421: "\u{7F}"
        default: nil
        }
    }

    /// What has no picture.
    private static func isByteWise(_ scalar: Unicode.Scalar) -> Bool {
        (0x80...0x9F).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    /// The next character; nil, with the length of a byte, where there is none. Nil at the end.
    private static func scalar(at bytes: ArraySlice<UInt8>) -> (Unicode.Scalar?, length: Int)? {
        guard let first = bytes.first else { return nil }
        let length =
            switch first {
            case 0..<0x80: 1
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 0
            }
        guard length > 0, let text = String(validating: bytes.prefix(length), as: UTF8.self),
            let scalar = text.unicodeScalars.first, text.unicodeScalars.count == 1
        else { return (nil, 1) }
        return (scalar, length)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        Array(String(mark).utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// - Returns: nil for what ``hexadecimal(_:)`` never gives.
    private static func byte(_ text: Substring.UnicodeScalarView) -> UInt8? {
        let values = text.compactMap { scalar in
            digits.firstIndex { UInt32($0) == scalar.value }
        }
        guard text.count == 2, values.count == 2, values[0] >= 8 else { return nil }
        return UInt8(values[0] << 4 | values[1])
    }
}
