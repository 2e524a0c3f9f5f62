/// Writes protobuf messages field by field, whether or not they make sense.
struct MessageWriter {
    private(set) var bytes: [UInt8] = []

    static func message(_ build: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter()
        build(&writer)
        return writer.bytes
    }

    mutating func number(_ field: Int, _ value: UInt64) {
        append(varint: UInt64(field) << 3)
        append(varint: value)
    }

    mutating func bytes(_ field: Int, _ value: [UInt8]) {
        append(varint: UInt64(field) << 3 | 2)
        append(varint: UInt64(value.count))
        bytes += value
    }

    mutating func text(_ field: Int, _ value: String) {
        bytes(field, Array(value.utf8))
    }

    mutating func message(_ field: Int, _ build: (inout MessageWriter) -> Void) {
        bytes(field, Self.message(build))
    }

    mutating func raw(_ more: [UInt8]) {
        bytes += more
    }

    mutating func append(varint value: UInt64) {
        bytes += Self.varint(value)
    }

    static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        return bytes
    }
}
