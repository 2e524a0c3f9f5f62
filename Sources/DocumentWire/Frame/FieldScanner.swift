/// The tags of the fields that are read and written by hand. Each is one byte: `number << 3 | wire type`.
enum FrameField {
    static let id: UInt8 = 0x08
    static let request: UInt8 = 0x22
    static let answer: UInt8 = 0x2A
    /// Of a request and of an answer.
    static let body: UInt8 = 0x0A
    static let deadline: UInt8 = 0x10
    static let label: UInt8 = 0x1A
    static let priority: UInt8 = 0x20
}

/// Reads protobuf fields one by one, and gives up at the first one that is not as expected.
struct FieldScanner {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// Passes a tag, if it is the next byte.
    mutating func skip(_ tag: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == tag else { return false }
        position += 1
        return true
    }

    /// A varint of at most 9 bytes; the tenth byte has rules of its own and is left to others.
    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 63 {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// Passes the length of a message that takes up all of the rest.
    mutating func enterMessage() -> Bool {
        guard let length = varint() else { return false }
        return length == UInt64(bytes.count - position)
    }

    mutating func byteField() -> [UInt8]? {
        guard let length = varint(), length <= UInt64(bytes.count - position) else { return nil }
        let end = position + Int(length)
        defer { position = end }
        return [UInt8](UnsafeRawBufferPointer(rebasing: bytes[position..<end]))
    }
}
