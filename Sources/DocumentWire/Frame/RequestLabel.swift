/// What the asker calls a request, for logs of both sides: the name of the check that makes it.
package struct RequestLabel: Hashable, Sendable {
    /// In bytes.
    package static let limit = 64

    let bytes: [UInt8]

    /// - Returns: nil for an empty text. What is too long is cut off, and what cannot be printed is replaced.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let isPrintable = scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
            let character = Array(String(isPrintable ? scalar : "\u{FFFD}").utf8)
            guard bytes.count + character.count <= Self.limit else { break }
            bytes += character
        }
        self.bytes = bytes
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
