import DocumentModel
import Testing

@Suite struct ImageHeaderTests {
    static let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x30, 0x00, 0x00, 0x00, 0x14, 0x08, 0x04, 0x00, 0x00, 0x00, 0xB5, 0x1C, 0x0C, 0x02, 0x00, 0x00, 0x00,
        0x0B, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0x64, 0x60, 0x00, 0x00, 0x00, 0x06, 0x00, 0x02, 0x30, 0x81,
        0xD0, 0x2F, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]
    /// With filling, a segment before the picture, and one that begins the picture step by step.
    static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 6, 1, 2, 3, 4, 0xFF, 0xFF, 0xC4, 0, 3, 9, 0xFF, 0xC2, 0, 11, 8, 0, 20, 0, 48]
        + [1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0, 0xFF, 0xD9]
    static let lossy = webP(chunk("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A, 48, 0x40, 20, 0x80, 0, 0]))
    static let lossless = webP(chunk("VP8L", [0x2F, 47, 0xC0, 4, 0, 0]))
    static let extended = webP(
        chunk("VP8X", [0x10, 0, 0, 0, 47, 0, 0, 19, 0, 0]) + chunk("ALPH", [1, 2, 3])
            + chunk("VP8 ", [0x10, 0, 0, 0x9D, 0x01, 0x2A, 48, 0, 20, 0]))

    private static func webP(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + [UInt8(4 + chunks.count), 0, 0, 0] + Array("WEBP".utf8) + chunks
    }

    private static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
        Array(kind.utf8) + [UInt8(data.count), 0, 0, 0] + data + (data.count.isMultiple(of: 2) ? [] : [0])
    }

    static let good: [(ImageHeader.Format, [UInt8])] = [
        (.png, png), (.jpeg, jpeg), (.webp, lossy), (.webp, lossless), (.webp, extended),
    ]

    @Test("PICK-17: a header tells format and size", arguments: good)
    func sizes(format: ImageHeader.Format, bytes: [UInt8]) throws {
        let header = try #require(ImageHeader(of: bytes))
        #expect(header.format == format && header.width == 48 && header.height == 20)
        #expect(try Thumbnail(bytes).mediaType == format.rawValue)
    }

    @Test("PICK-17: what is cut off before it says how large it is, is no picture", arguments: good)
    func cut(format: ImageHeader.Format, bytes: [UInt8]) {
        // A WebP says how long it is.
        let enough = [.png: 33, .jpeg: 25, .webp: bytes.count][format] ?? 0
        for count in 0..<bytes.count {
            #expect((ImageHeader(of: Array(bytes.prefix(count))) != nil) == (count >= enough), "\(format): \(count)")
        }
    }

    @Test("PICK-17: whatever the bytes are, a header has pixels, and nothing traps", arguments: good)
    func damaged(format: ImageHeader.Format, bytes: [UInt8]) {
        var numbers = SeededNumbers(state: 17)
        for place in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFE, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                expectSound(damaged)
            }
        }
        for _ in 0..<20_000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                damaged[Int.random(in: damaged.indices, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            if Bool.random(using: &numbers) { damaged.removeLast(Int.random(in: 0..<damaged.count, using: &numbers)) }
            if Int.random(in: 0..<8, using: &numbers) == 0 { damaged += damaged }
            expectSound(damaged)
        }
    }

    private func expectSound(_ bytes: [UInt8]) {
        guard let header = ImageHeader(of: bytes) else { return }
        #expect(header.width > 0 && header.height > 0 && header.width < 1 << 31 && header.height < 1 << 31)
        // And what is too large is no thumbnail.
        guard let thumbnail = try? Thumbnail(bytes) else { return }
        #expect(thumbnail.header == header && header.longerSide <= 2048)
    }

    @Test("PICK-17: pictures that move, or that say one thing and are another, are none")
    func refused() {
        #expect(ImageHeader(of: Self.webP(Self.chunk("VP8X", [0x12, 0, 0, 0, 47, 0, 0, 19, 0, 0]))) == nil)
        // A picture of 16,384 × 16,384 in a canvas of 48 × 20.
        let canvas = Self.chunk("VP8X", [0, 0, 0, 0, 47, 0, 0, 19, 0, 0])
        #expect(ImageHeader(of: Self.webP(canvas + Self.chunk("VP8L", [0x2F, 0xFF, 0xFF, 0xFF, 0x0F, 0]))) == nil)
        #expect(ImageHeader(of: Self.webP(canvas + Self.chunk("ALPH", [1]))) == nil)
        // Not the key of anything.
        #expect(
            ImageHeader(of: Self.webP(Self.chunk("VP8 ", [0x11, 0, 0, 0x9D, 0x01, 0x2A, 48, 0, 20, 0, 0, 0]))) == nil)
        var flat = Self.png
        flat.replaceSubrange(16..<20, with: [0, 0, 0, 0])
        #expect(ImageHeader(of: flat) == nil)
        #expect(ImageHeader(of: Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)) == nil)
        #expect(ImageHeader(of: Array("GIF89a".utf8) + [UInt8](repeating: 1, count: 40)) == nil)
    }

    @Test("PICK-17: a thumbnail is bounded in bytes and pixels")
    func bounds() throws {
        let most = Self.png + [UInt8](repeating: 0, count: Thumbnail.maximumLength - Self.png.count)
        #expect(try Thumbnail(most).bytes.count == Thumbnail.maximumLength)
        #expect(throws: DocumentError.self) { try Thumbnail(most + [0]) }
        var wide = Self.png
        wide.replaceSubrange(16..<20, with: [0, 0, 8, 0])
        #expect(try Thumbnail(wide).fits(1024) && !Thumbnail(wide).fits(1023))
        wide[19] = 1
        #expect(throws: DocumentError.self) { try Thumbnail(wide) }
    }
}

/// The same numbers in every run.
private struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
