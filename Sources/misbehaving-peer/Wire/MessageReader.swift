/// A protobuf message taken apart into its fields, with no schema.
struct MessageReader {
    private enum Value {
        case number(UInt64)
        case bytes([UInt8])
    }

    private var fields: [(number: Int, value: Value)] = []

    /// Nil when the bytes are no message. Fields of other wire types are passed over.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let tag = Self.varint(&rest), tag >> 3 > 0 else { return nil }
            let number = Int(truncatingIfNeeded: tag >> 3)
            switch tag & 7 {
            case 0:
                guard let value = Self.varint(&rest) else { return nil }
                fields.append((number, .number(value)))
            case 2:
                guard let count = Self.varint(&rest), count <= UInt64(rest.count) else { return nil }
                fields.append((number, .bytes(Array(rest.prefix(Int(count))))))
                rest = rest.dropFirst(Int(count))
            case 1:
                guard rest.count >= 8 else { return nil }
                rest = rest.dropFirst(8)
            case 5:
                guard rest.count >= 4 else { return nil }
                rest = rest.dropFirst(4)
            default: return nil
            }
        }
    }

    /// The numbers of the fields that are there.
    var numbers: [Int] { fields.map(\.number) }

    func number(_ field: Int) -> UInt64 {
        for case (field, .number(let value)) in fields.reversed() { return value }
        return 0
    }

    func bytes(_ field: Int) -> [UInt8] { all(field).last ?? [] }

    func text(_ field: Int) -> String { String(decoding: bytes(field), as: UTF8.self) }

    /// Empty when the field is absent or no message.
    func message(_ field: Int) -> MessageReader {
        MessageReader(bytes(field)) ?? .empty
    }

    func all(_ field: Int) -> [[UInt8]] {
        fields.compactMap { entry in
            guard entry.number == field, case .bytes(let bytes) = entry.value else { return nil }
            return bytes
        }
    }

    /// Numbers of a repeated field, packed or not.
    func numbers(_ field: Int) -> [UInt64] {
        fields.flatMap { entry -> [UInt64] in
            guard entry.number == field else { return [] }
            switch entry.value {
            case .number(let value): return [value]
            case .bytes(let bytes):
                var rest = bytes[...]
                var values: [UInt64] = []
                while !rest.isEmpty, let value = Self.varint(&rest) { values.append(value) }
                return values
            }
        }
    }

    static var empty: MessageReader { MessageReader() }

    private init() {}

    static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
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
