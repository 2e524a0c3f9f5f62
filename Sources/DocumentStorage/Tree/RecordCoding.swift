internal import DocumentModel

/// Text records of `key: value` lines, closed by a line with a check sum, so that a torn one is never taken for a
/// good one.
///
/// Values are UTF-8 with control characters and `%` as `%XX`.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    init(title: StaticString, version: Int) {
        bytes.reserveCapacity(320)
        title.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: String(version).utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func add(_ key: StaticString, _ value: some StringProtocol) {
        begin(key)
        for byte in value.utf8 {
            if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "%") {
                bytes.append(UInt8(ascii: "%"))
                appendHex(byte)
            } else {
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func add(_ key: StaticString, hex value: [UInt8]) {
        begin(key)
        for byte in value { appendHex(byte) }
        bytes.append(UInt8(ascii: "\n"))
    }

    mutating func finish() {
        let sum = Self.sum(bytes[...])
        begin("check")
        for shift in stride(from: 56, through: 0, by: -8) { appendHex(UInt8(truncatingIfNeeded: sum >> UInt64(shift))) }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func begin(_ key: StaticString) {
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
    }

    private mutating func appendHex(_ byte: UInt8) {
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Against torn and cut records, not against forgers.
    static func sum(_ bytes: ArraySlice<UInt8>) -> UInt64 { StableHash(bytes).value }
}

/// The inverse of ``RecordWriter``.
struct RecordReader {
    let version: Int
    /// In their order, where a key is there several times.
    private var values: [String: [[UInt8]]] = [:]

    /// Nil for anything but a whole record with that title. Keys that nobody knows are kept and ignored.
    init?(_ bytes: [UInt8], title: String) {
        guard bytes.last == UInt8(ascii: "\n") else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count >= 2, let first = lines.first, let last = lines.last else { return nil }
        var check = RecordCheck(line: last)
        guard check.matches(bytes[..<last.startIndex]) else { return nil }
        let words = first.split(separator: UInt8(ascii: " "))
        guard words.dropLast().joined(separator: [UInt8(ascii: " ")]).elementsEqual(title.utf8),
            let number = words.last.flatMap({ Int(String(decoding: $0, as: UTF8.self)) })
        else { return nil }
        version = number
        for line in lines.dropFirst().dropLast() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon + 2 <= line.endIndex else { return nil }
            values[String(decoding: line[..<colon], as: UTF8.self), default: []].append(Array(line[(colon + 2)...]))
        }
    }

    func text(_ key: String) -> String? { values[key]?.last.flatMap(Self.text) }

    /// All values of a key, in their order; what is no text is left out.
    func texts(_ key: String) -> [String] { (values[key] ?? []).compactMap(Self.text) }

    private static func text(_ value: [UInt8]) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count)
        var index = 0
        while index < value.count {
            if value[index] == UInt8(ascii: "%") {
                guard index + 2 < value.count, let byte = hexByte(value[index + 1], value[index + 2]) else {
                    return nil
                }
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(value[index])
                index += 1
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    func hex(_ key: String) -> [UInt8]? {
        values[key]?.last.flatMap { Self.bytes(hex: Array($0)) }
    }

    static func bytes(hex digits: [UInt8]) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = hexByte(digits[index], digits[index + 1]) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func hexByte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = Character(Unicode.Scalar(high)).hexDigitValue,
            let low = Character(Unicode.Scalar(low)).hexDigitValue
        else { return nil }
        return UInt8(high << 4 | low)
    }
}

/// A record's last line.
private struct RecordCheck {
    private let sum: UInt64?

    init(line: ArraySlice<UInt8>) {
        let text = String(decoding: line, as: UTF8.self)
        sum = text.hasPrefix("check: ") ? UInt64(text.dropFirst("check: ".count), radix: 16) : nil
    }

    mutating func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
        sum == RecordWriter.sum(bytes)
    }
}
