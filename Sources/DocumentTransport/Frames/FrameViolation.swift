package import DocumentModel

/// Where a peer's stream stopped making sense, and what was found there.
package struct FrameViolation: Error, Hashable, Sendable {
    /// What is wrong, as a sentence.
    package var message: String
    /// How many bytes came before the bad ones.
    package var offset: UInt64
    /// The first bad bytes, as many as are kept.
    package var bytes: [UInt8]

    /// What open requests fail with because of it.
    package var code: DocumentError.Code

    /// So many bad bytes are kept: enough to recognise a line of text that was printed by mistake.
    package static let keptBytes = 256

    package init(
        _ message: String, code: DocumentError.Code = .protocolViolation, offset: UInt64, bytes: some Sequence<UInt8>
    ) {
        self.code = code
        self.message = message
        self.offset = offset
        self.bytes = Array(bytes.prefix(Self.keptBytes))
    }

    /// The bytes in hexadecimal, with spaces between them.
    package var hex: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count < 2 ? "0" + digits : digits
        }.joined(separator: " ")
    }

    /// The bytes as text on one line: what cannot be printed is escaped.
    package var text: String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.isDeceptive:
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Whether the bytes read like something that was printed.
    package var looksLikeText: Bool {
        // What was printed may have come together with the preface that follows it.
        let printed = bytes.firstRange(of: FrameDecoder.preface).map { bytes[..<$0.lowerBound] } ?? bytes[...]
        let start = printed.prefix(32)
        guard start.count >= 4 else { return false }
        return start.allSatisfy { byte in
            (0x20..<0x7F).contains(byte) || byte >= 0x80 || byte == 0x09 || byte == 0x0A || byte == 0x0D || byte == 0x1B
        } && start.contains { $0 < 0x80 }
    }
}

extension FrameViolation: CustomStringConvertible {
    package var description: String {
        guard !bytes.isEmpty else { return "\(message) (At byte \(offset).)" }
        return "\(message) (At byte \(offset): \(hex); as text: \"\(text)\".)"
    }
}
