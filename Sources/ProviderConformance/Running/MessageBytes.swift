package import DocumentWire

/// A protobuf message written field by field: for messages that no generated code would make, with fields that are
/// missing, unknown or out of range.
package struct MessageBytes: Hashable, Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// A message that is there already.
    package init(raw bytes: [UInt8]) {
        self.bytes = bytes
    }

    package func adding(_ field: UInt64, _ number: UInt64) -> MessageBytes {
        var message = self
        message.append(varint: field << 3)
        message.append(varint: number)
        return message
    }

    package func adding(_ field: UInt64, _ bytes: [UInt8]) -> MessageBytes {
        var message = self
        message.append(varint: field << 3 | 2)
        message.append(varint: UInt64(bytes.count))
        message.bytes += bytes
        return message
    }

    package func adding(_ field: UInt64, _ text: String) -> MessageBytes { adding(field, Array(text.utf8)) }

    package func adding(_ field: UInt64, _ message: MessageBytes) -> MessageBytes { adding(field, message.bytes) }

    /// The message as the body of a frame: the frame's length before it.
    package var framed: [UInt8] {
        var frame = MessageBytes()
        frame.append(varint: UInt64(bytes.count))
        return frame.bytes + bytes
    }

    /// A `ProviderRequest` with one call, by its field's number.
    package static func call(_ field: UInt64, _ call: MessageBytes = MessageBytes()) -> [UInt8] {
        MessageBytes().adding(field, call).bytes
    }

    /// The body of a frame with fields that nobody knows behind it.
    package static func withUnknownFields(_ frame: Frame) -> MessageBytes {
        var message = MessageBytes()
        message.bytes = frame.generalBody()
        return message.adding(1999, 7).adding(2000, "from the future")
    }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
