/// What the first bytes of an image say of it. Nothing of the picture itself is read.
public struct ImageHeader: Hashable, Sendable {
    /// The formats that are known, by their media types.
    public enum Format: String, Sendable, CaseIterable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webp = "image/webp"
    }

    public let format: Format
    /// In pixels; never 0.
    public let width: Int
    public let height: Int

    /// Nil for what is none of the known formats, is cut off before it says how large it is, or has no pixels; and for
    /// pictures that move.
    public init?(of bytes: [UInt8]) {
        let found: (format: Format, size: (width: Int, height: Int)?)
        if bytes.starts(with: Self.pngSignature) {
            found = (.png, Self.pngSize(bytes))
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            found = (.jpeg, Self.jpegSize(bytes))
        } else if bytes.starts(with: Array("RIFF".utf8)) {
            found = (.webp, Self.webPSize(bytes))
        } else {
            return nil
        }
        guard let size = found.size, size.width > 0, size.height > 0 else { return nil }
        (format, width, height) = (found.format, size.width, size.height)
    }

    /// In pixels.
    public var longerSide: Int { max(width, height) }

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The chunk with the size is the first one.
    private static func pngSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 33, bytes[8..<16].elementsEqual([0, 0, 0, 13] + Array("IHDR".utf8)) else { return nil }
        let (width, height) = (bigEndian(bytes[16..<20]), bigEndian(bytes[20..<24]))
        // The format allows no more, and a reader that takes them for signed sees something else than we do.
        guard width < 1 << 31, height < 1 << 31 else { return nil }
        return (width, height)
    }

    /// Segments come before the one that begins the picture, each with its length.
    private static func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        var place = 2
        while place + 4 <= bytes.count {
            guard bytes[place] == 0xFF else { return nil }
            let marker = bytes[place + 1]
            switch marker {
            case 0xFF: place += 1  // Filling.
            case 0x01, 0xD0...0xD7: place += 2  // Without a length.
            case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
                guard place + 9 <= bytes.count, bigEndian(bytes[place + 2..<place + 4]) >= 8 else { return nil }
                return (bigEndian(bytes[place + 7..<place + 9]), bigEndian(bytes[place + 5..<place + 7]))
            case 0x00, 0xD8...0xDA: return nil
            default:
                let length = bigEndian(bytes[place + 2..<place + 4])
                guard length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }

    /// A container with chunks. In its extended form the first one says how large the canvas is, and the picture has to
    /// be just that: else a reader might believe the one, and we the other.
    private static func webPSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 20, bytes[8..<12].elementsEqual("WEBP".utf8) else { return nil }
        let end = 8 + littleEndian(bytes[4..<8])
        guard end <= bytes.count else { return nil }
        var canvas: (width: Int, height: Int)?
        var place = 12
        while place + 8 <= end {
            let data = place + 8
            let length = littleEndian(bytes[place + 4..<data])
            guard data + length <= end else { return nil }
            switch String(decoding: bytes[place..<place + 4], as: UTF8.self) {
            case "VP8X":
                let moves = UInt8(0x02)
                guard canvas == nil, place == 12, length >= 10, bytes[data] & moves == 0 else { return nil }
                canvas = (
                    littleEndian(bytes[data + 4..<data + 7]) + 1, littleEndian(bytes[data + 7..<data + 10]) + 1
                )
            case "VP8 ": return agreed(lossySize(bytes[data..<data + length]), canvas)
            case "VP8L": return agreed(losslessSize(bytes[data..<data + length]), canvas)
            default: guard canvas != nil else { return nil }
            }
            place = data + length + length % 2
        }
        return nil
    }

    private static func agreed(
        _ picture: (width: Int, height: Int)?, _ canvas: (width: Int, height: Int)?
    ) -> (width: Int, height: Int)? {
        guard let picture else { return nil }
        return canvas.map { $0 == picture } ?? true ? picture : nil
    }

    private static func lossySize(_ data: ArraySlice<UInt8>) -> (width: Int, height: Int)? {
        let start = data.startIndex
        // Whole pictures only, no differences from one before.
        guard data.count >= 10, data[start] & 1 == 0, data[start + 3..<start + 6].elementsEqual([0x9D, 0x01, 0x2A])
        else { return nil }
        return (
            littleEndian(data[start + 6..<start + 8]) & 0x3FFF, littleEndian(data[start + 8..<start + 10]) & 0x3FFF
        )
    }

    private static func losslessSize(_ data: ArraySlice<UInt8>) -> (width: Int, height: Int)? {
        let start = data.startIndex
        guard data.count >= 5, data[start] == 0x2F else { return nil }
        let bits = littleEndian(data[start + 1..<start + 5])
        return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
    }

    private static func bigEndian(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
