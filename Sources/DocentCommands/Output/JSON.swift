/// A JSON value. Objects keep the order of their members, so that a listing reads well and stays the same.
package enum JSON: Sendable {
    case string(String)
    case integer(Int64)
    case boolean(Bool)
    case null
    case array([JSON])
    case object([(String, JSON)])

    package init(_ text: String?) {
        self = text.map(JSON.string) ?? .null
    }

    package init(_ number: (some BinaryInteger)?) {
        self = number.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    /// The document, indented, without a line break at its end.
    package func text(indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .string(let text): return Self.quoted(text)
        case .integer(let number): return String(number)
        case .boolean(let value): return value ? "true" : "false"
        case .null: return "null"
        case .array(let values):
            if values.isEmpty { return "[]" }
            return "[\n" + values.map { inner + $0.text(indentation: inner) }.joined(separator: ",\n")
                + "\n\(indentation)]"
        case .object(let members):
            if members.isEmpty { return "{}" }
            return "{\n"
                + members.map { inner + Self.quoted($0) + ": " + $1.text(indentation: inner) }.joined(separator: ",\n")
                + "\n\(indentation)}"
        }
    }

    /// The document on one line.
    package var line: String {
        switch self {
        case .array(let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0) + ": " + $1.line }.joined(separator: ", ") + "}"
        default: text()
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
