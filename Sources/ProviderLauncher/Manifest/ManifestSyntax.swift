/// Finds what must not reach toml++ 3.4, which TOMLKit brings: it ends the whole process with a failed assertion at a table
/// without a name, such as `[[.settings]]`, and at a value that is a closing brace or a foreign space, such as `[}]`.
///
/// Strings and comments are passed over as the parser does it. Where that would be in doubt, the parser refuses the text
/// before it comes to what follows.
package struct ManifestSyntax {
    package struct Problem: Equatable {
        /// Counted from 1.
        package var line: Int
        /// What is wrong there.
        package var text: String
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    /// Nothing but spaces has come on this line.
    private var isAtStart = true
    /// What came last, spaces and comments aside.
    private var last: UInt8 = 0

    /// The first problem; nil when there is none.
    package static func problem(in text: String) -> Problem? {
        var syntax = ManifestSyntax(bytes: Array(text.utf8))
        return syntax.scan()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private mutating func scan() -> Problem? {
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if byte == UInt8(ascii: "\n") { line += 1 }
                isAtStart = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"): break
            case UInt8(ascii: "#"):
                position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                // A string without an end is refused by the parser, and nothing follows it.
                guard passString(byte) else { return nil }
                take(byte)
                continue
            case ..<0x20, 0x7F...:
                return Problem(line: line, text: "a character outside of quotes is not an ASCII one")
            case UInt8(ascii: "[") where isAtStart && !isNamed:
                return Problem(line: line, text: "a table has no name")
            case UInt8(ascii: "}") where [UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: "=")].contains(last):
                return Problem(line: line, text: "a value is missing before “}”")
            default: take(byte)
            }
            position += 1
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) {
        last = byte
        isAtStart = false
    }

    /// Whether what follows the first bracket is a name, an end that the parser refuses by itself, or nothing.
    private var isNamed: Bool {
        var rest = bytes[(position + 1)...].drop(while: Self.isBlank)
        if rest.first == UInt8(ascii: "[") { rest = rest.dropFirst().drop(while: Self.isBlank) }
        guard let next = rest.first else { return true }
        return switch next {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "\""),
            UInt8(ascii: "'"), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Passes a string of any of the four kinds.
    ///
    /// - Returns: false when it has no end.
    private mutating func passString(_ quote: UInt8) -> Bool {
        let opening = quotes(quote, at: position)
        position += min(opening, 3)
        // Two are an empty string.
        if opening == 2 { return true }
        let isMultiline = opening >= 3
        while position < bytes.count {
            let byte = bytes[position]
            if byte == quote {
                let count = quotes(quote, at: position)
                if !isMultiline {
                    position += 1
                    return true
                }
                // Up to two of them may belong to the text.
                position += min(count, 5)
                if count >= 3 { return true }
                continue
            }
            if byte == UInt8(ascii: "\n") {
                guard isMultiline else { return false }
                line += 1
            }
            position += byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") && !isLastOfLine ? 2 : 1
        }
        return false
    }

    /// A backslash at the end of a line hides the line's end only.
    private var isLastOfLine: Bool {
        position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
    }

    private func quotes(_ quote: UInt8, at start: Int) -> Int {
        bytes[start...].prefix { $0 == quote }.count
    }
}
