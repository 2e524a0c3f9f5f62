import SwiftProtobuf

/// What the contract calls the call or the answer that a body carries, for records and logs.
package enum CallName {
    /// A body that the host sent in a request.
    package static func ofRequest(_ field: UInt32) -> String {
        name(field) { try WireProviderProviderRequest(serializedBytes: $0).call as Any? }
    }

    /// A body that a provider sent in a request.
    package static func ofHostRequest(_ field: UInt32) -> String {
        name(field) { try WireProviderHostRequest(serializedBytes: $0).call as Any? }
    }

    /// A body that a provider sent in a notification.
    package static func ofEvent(_ field: UInt32) -> String {
        name(field) { try WireProviderProviderNotification(serializedBytes: $0).event as Any? }
    }

    /// The field of `ProviderRequest`, and of the answer to it, as the `.proto` file has it: `start_providing`.
    package static func of(_ call: ProviderCall) -> String { field(call) }

    /// The same of an answer.
    package static func of(_ reply: ProviderReply) -> String { field(reply) }

    /// A case is called like its field, but for the writing.
    private static func field(_ value: Any) -> String {
        let name = Mirror(reflecting: value).children.first?.label ?? "\(value)"
        return name.reduce(into: "") { text, character in
            text += character.isUppercase ? "_" + character.lowercased() : String(character)
        }
    }

    /// The number of the field that a message begins with; nil for one that is empty.
    static func firstField(of message: [UInt8]) -> UInt64? {
        guard !message.isEmpty else { return nil }
        var tag: UInt64 = 0
        for (index, byte) in message.prefix(5).enumerated() {
            tag |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            if byte < 0x80 { break }
        }
        return tag >> 3
    }

    /// A message that holds nothing but that field, empty, is read, and the case that it gives is looked at: so the
    /// names are those of the contract, and there is no second list of them.
    private static func name(_ field: UInt32, _ read: ([UInt8]) throws -> Any?) -> String {
        guard field > 0 else { return "" }
        var bytes: [UInt8] = []
        var tag = field << 3 | 2
        while tag >= 0x80 {
            bytes.append(UInt8(tag & 0x7F) | 0x80)
            tag >>= 7
        }
        bytes += [UInt8(tag), 0]
        guard let call = try? read(bytes) else { return "field \(field)" }
        return Mirror(reflecting: call).children.first?.label ?? "field \(field)"
    }
}
