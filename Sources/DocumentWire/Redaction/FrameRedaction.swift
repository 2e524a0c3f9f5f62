/// Blanks out, in frames between a host and a provider, what nobody else may read: the fields that the protos mark as
/// secret, and wherever else it appears what was found in them or was named beforehand.
///
/// Each byte is overwritten by an asterisk, so that frames keep their lengths and stay readable messages; how long a
/// secret was is therefore told.
package struct FrameRedaction: Sendable {
    /// Which way a frame goes.
    package enum Direction: Hashable, Sendable, CaseIterable {
        case toProvider, toHost
    }

    /// What is shorter and only found in a field, such as “true”, is blanked out there and nowhere else.
    package static let shortestLearned = 8
    /// As many are remembered.
    private static let mostSecrets = 256
    private static let blank = UInt8(ascii: "*")

    private var secrets: [SecretPattern] = []

    /// - Parameter secrets: values that are blanked out wherever they appear; empty ones are left out.
    package init(secrets: [String] = []) {
        for secret in secrets { remember(Array(secret.utf8)) }
    }

    /// Blanks out the secrets in a frame's body. Bytes that are no well-formed frame lose everything from the first
    /// bad field on, where a secret could have followed.
    package mutating func redact(frame body: inout [UInt8], _ direction: Direction) {
        let paths = Self.paths[direction] ?? []
        if !paths.isEmpty {
            blankFields(in: 0..<body.count, of: &body, at: paths.map { $0[...] })
        }
        redact(bytes: &body)
    }

    /// Blanks out the values that are known as secrets, in bytes of any kind.
    package func redact(bytes: inout [UInt8]) {
        guard !secrets.isEmpty else { return }
        bytes.withUnsafeMutableBufferPointer { bytes in
            // Most frames have not even the first byte of most of them.
            var has = [Bool](repeating: false, count: 256)
            has.withUnsafeMutableBufferPointer { has in for byte in bytes { has[Int(byte)] = true } }
            for secret in secrets where secret.bytes.count <= bytes.count && has[Int(secret.bytes[0])] {
                secret.blank(in: bytes, with: Self.blank)
            }
        }
    }

    /// Blanks out the values that are known as secrets, in a text.
    package func redact(_ text: String) -> String {
        guard !secrets.isEmpty else { return text }
        var bytes = Array(text.utf8)
        redact(bytes: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func remember(_ value: [UInt8]) {
        guard !value.isEmpty, secrets.count < Self.mostSecrets, !secrets.contains(where: { $0.bytes == value })
        else { return }
        // The longest first: one may be part of another.
        let place = secrets.firstIndex { $0.bytes.count < value.count } ?? secrets.endIndex
        secrets.insert(SecretPattern(value), at: place)
    }

    // MARK: Fields

    /// Where secrets are, as paths of field numbers from the frame on.
    private static let paths: [Direction: [[UInt64]]] = [
        .toProvider: joined([
            ([2, 8], "SessionSettings"), ([4, 1], "ProviderRequest"), ([5, 1], "HostAnswer"),
            ([9, 1], "HostNotification"),
        ]),
        .toHost: joined([
            ([3, 6], "SessionCapabilities"), ([4, 1], "HostRequest"), ([5, 1], "ProviderAnswer"),
            ([9, 1], "ProviderNotification"),
        ]),
    ]

    private static func joined(_ carriers: [(path: [UInt64], message: String)]) -> [[UInt64]] {
        carriers.flatMap { carrier in
            (SecretFields.paths["docent.provider.v1.\(carrier.message)"] ?? []).map { carrier.path + $0 }
        }
    }

    private mutating func blankFields(in range: Range<Int>, of body: inout [UInt8], at paths: [ArraySlice<UInt64>]) {
        var position = range.lowerBound
        while position < range.upperBound {
            guard let tag = Self.varint(&position, range.upperBound, body),
                let payload = Self.payload(of: tag, &position, range.upperBound, body)
            else {
                for index in position..<range.upperBound { body[index] = Self.blank }
                return
            }
            let here = paths.filter { $0.first == tag >> 3 }
            if here.contains(where: { $0.count == 1 }) {
                if tag & 7 == 2, payload.count >= Self.shortestLearned { remember(Array(body[payload])) }
                // Only bytes, texts and messages keep their meaning; a number is made 0.
                for index in payload {
                    body[index] = tag & 7 == 2 ? Self.blank : body[index] & (tag & 7 == 0 ? 0x80 : 0)
                }
            } else if !here.isEmpty, tag & 7 == 2 {
                blankFields(in: payload, of: &body, at: here.map { $0.dropFirst() })
            }
        }
    }

    /// Passes a field's value.
    private static func payload(
        of tag: UInt64, _ position: inout Int, _ end: Int, _ bytes: [UInt8]
    ) -> Range<Int>? {
        let start = position
        var next = position
        switch tag & 7 {
        case 0:
            guard varint(&next, end, bytes) != nil else { return nil }
            position = next
            return start..<next
        case 1, 5:
            next += tag & 7 == 1 ? 8 : 4
            guard next <= end else { return nil }
            position = next
            return start..<next
        case 2:
            guard let length = varint(&next, end, bytes), length <= UInt64(end - next) else { return nil }
            position = next + Int(length)
            return next..<position
        default:
            return nil
        }
    }

    private static func varint(_ position: inout Int, _ end: Int, _ bytes: [UInt8]) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var next = position
        while next < end, shift < 64 {
            let byte = bytes[next]
            next += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                position = next
                return value
            }
            shift += 7
        }
        return nil
    }
}
