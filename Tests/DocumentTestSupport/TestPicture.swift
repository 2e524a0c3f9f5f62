/// Pictures for tests: right as far as headers and words go, with nothing to be seen.
package enum TestPicture {
    /// - Parameter words: `tEXt` chunks.
    package static func png(_ width: Int, _ height: Int, words: [String: String] = [:]) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += chunk("IHDR", number(width) + number(height) + [8, 4, 0, 0, 0])
        for (key, value) in words.sorted(by: { $0.key < $1.key }) {
            bytes += chunk("tEXt", Array(key.utf8) + [0] + Array(value.utf8))
        }
        return bytes + chunk("IDAT", [0x78, 0xDA, 0x63, 0x64, 0x60, 0, 0, 0, 6, 0, 2]) + chunk("IEND", [])
    }

    package static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        let short = { (number: Int) in [UInt8(number >> 8), UInt8(number & 0xFF)] }
        let application: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]
        return [0xFF, 0xD8] + application + [0xFF, 0xC0, 0, 11, 8] + short(height) + short(width) + [1, 1, 0x11, 0]
            + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0, 0xFF, 0xD9]
    }

    private static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(kind.utf8) + data
        return number(data.count) + checked + number(Int(sum(of: checked)))
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }

    /// CRC-32.
    private static func sum(of bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }
}
