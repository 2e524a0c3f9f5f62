/// A protobuf message taken apart into its fields as they came: for what a host would cut, leave out or refuse before
/// anybody sees it.
package struct MessageFields: Sendable {
    private enum Value {
        case number(UInt64)
        case bytes([UInt8])
    }

    private var fields: [(number: UInt64, value: Value)] = []

    /// Nil when the bytes are no message. Groups and numbers of fixed size, which the contract has none of, are none.
    package init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let tag = Self.varint(&rest), tag >> 3 > 0, let value = Self.varint(&rest) else { return nil }
            switch tag & 7 {
            case 0: fields.append((tag >> 3, .number(value)))
            case 2:
                guard value <= UInt64(rest.count) else { return nil }
                fields.append((tag >> 3, .bytes(Array(rest.prefix(Int(value))))))
                rest = rest.dropFirst(Int(value))
            default: return nil
            }
        }
    }

    /// The bytes of each field with a number, in order.
    package func all(_ number: UInt64) -> [[UInt8]] {
        fields.compactMap { field in
            guard field.number == number, case .bytes(let bytes) = field.value else { return nil }
            return bytes
        }
    }

    /// Of a field that comes once; empty when it is not there.
    package func bytes(_ number: UInt64) -> [UInt8] { all(number).last ?? [] }

    /// The numbers of a repeated field, packed or not.
    package func numbers(_ number: UInt64) -> [UInt64] {
        fields.filter { $0.number == number }.flatMap { field -> [UInt64] in
            switch field.value {
            case .number(let value): return [value]
            case .bytes(let bytes):
                var rest = bytes[...]
                var values: [UInt64] = []
                while !rest.isEmpty, let value = Self.varint(&rest) { values.append(value) }
                return values
            }
        }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64, let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
