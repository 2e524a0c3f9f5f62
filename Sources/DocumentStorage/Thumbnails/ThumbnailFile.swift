internal import DocumentModel

/// A thumbnail's file: a line, the length of a record, the record, the image. What is damaged is none.
struct ThumbnailFile {
    private static let title: [UInt8] = Array("docent thumbnail 1\n".utf8)
    /// An identifier has 4 KiB, and three bytes are written for one at most.
    private static let longestRecord = 16_384
    static let maximumLength = title.count + 4 + longestRecord + Thumbnail.maximumLength

    var key: ThumbnailKey
    var thumbnail: Thumbnail

    init(_ thumbnail: Thumbnail, of key: ThumbnailKey) {
        self.thumbnail = thumbnail
        self.key = key
    }

    /// Nil for anything but a whole file.
    init?(_ bytes: [UInt8], in domain: DomainName) {
        guard let (head, start) = Self.head(bytes, in: domain), bytes.count - start == head.length,
            Self.digest(of: bytes[start...]) == head.digest, let thumbnail = try? Thumbnail(Array(bytes[start...]))
        else { return nil }
        self.init(thumbnail, of: head.key)
    }

    /// What it is of, from the first bytes alone.
    static func key(_ bytes: [UInt8], in domain: DomainName) -> ThumbnailKey? { head(bytes, in: domain)?.head.key }

    /// So many bytes tell what a file is of.
    static let headLength = title.count + 4 + longestRecord

    private struct Head {
        var key: ThumbnailKey
        var length: Int
        var digest: [UInt8]
    }

    private static func head(_ bytes: [UInt8], in domain: DomainName) -> (head: Head, end: Int)? {
        guard bytes.starts(with: title), bytes.count >= title.count + 4 else { return nil }
        let start = title.count + 4
        let length = bytes[title.count..<start].reduce(0) { $0 << 8 | Int($1) }
        guard length <= longestRecord, start + length <= bytes.count,
            let record = RecordReader(Array(bytes[start..<start + length]), title: "docent thumbnail"),
            let id = record.text("item").flatMap({ try? ItemIdentifier($0) }),
            let contentVersion = record.hex("version"), let size = record.text("size").flatMap({ Int($0) }),
            let count = record.text("bytes").flatMap({ Int($0) }), let digest = record.hex("sha256")
        else { return nil }
        let key = ThumbnailKey(domain: domain, id: id, contentVersion: contentVersion, size: size)
        return (Head(key: key, length: count, digest: digest), start + length)
    }

    var bytes: [UInt8] {
        var record = RecordWriter(title: "docent thumbnail", version: 1)
        record.add("item", key.id.rawValue)
        record.add("version", hex: key.contentVersion)
        record.add("size", String(key.size))
        record.add("bytes", String(thumbnail.bytes.count))
        record.add("sha256", hex: Self.digest(of: thumbnail.bytes[...]))
        record.finish()
        let length = (0..<4).map { UInt8(truncatingIfNeeded: record.bytes.count >> (24 - 8 * $0)) }
        return Self.title + length + record.bytes + thumbnail.bytes
    }

    private static func digest(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digest = Digest()
        digest.add(Array(bytes))
        return digest.finish()
    }

    /// What the file is called: the same for all versions, and of names that no item can lead out of a folder with.
    static func name(of place: ThumbnailLedger.Place) -> String {
        digest(of: Array(place.id.rawValue.utf8)[...]).prefix(20).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined() + "-\(place.size)"
    }
}
