internal import DocumentModel

/// Builds the bytes of versions, anchors, page tokens and state entries. Numbers are little-endian.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    mutating func number<Number: FixedWidthInteger>(_ value: Number) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func timestamp(_ value: Timestamp) {
        number(value.seconds)
        number(value.nanoseconds)
    }

    mutating func block(_ value: some Collection<UInt8>) {
        number(UInt32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) {
        block(value.utf8)
    }
}

/// Reads what ``ByteWriter`` wrote; everything is nil once something does not fit.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? {
        rest.popFirst()
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        let value = rest.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
        rest = rest.dropFirst(size)
        return value
    }

    mutating func timestamp() -> Timestamp? {
        guard let seconds = number(Int64.self), let nanoseconds = number(UInt32.self), nanoseconds < 1_000_000_000
        else {
            return nil
        }
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }

    mutating func block() -> ArraySlice<UInt8>? {
        number(UInt32.self).flatMap { bytes(Int($0)) }
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() -> String? {
        block().flatMap { String(validating: $0, as: UTF8.self) }
    }
}
