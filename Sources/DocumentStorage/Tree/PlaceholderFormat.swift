internal import DocumentModel

/// How a placeholder is written: text that a person can read.
enum PlaceholderFormat {
    /// More than any item needs: an identifier of 4 KiB with every byte escaped.
    static let maximumSize = 16 << 10
    private static let version = 1

    static func encode(_ placeholder: Placeholder) -> [UInt8] {
        var writer = RecordWriter(title: "docent placeholder", version: version)
        writer.add("id", placeholder.id.rawValue)
        writer.add("name", placeholder.name.rawValue)
        writer.add("kind", placeholder.kind.rawValue)
        writer.add("package", placeholder.kind == .package ? "yes" : "no")
        writer.add("type", placeholder.contentType.identifier)
        if let size = placeholder.size { writer.add("size", String(size)) }
        writer.add("modified", text(placeholder.modified))
        writer.add("created", text(placeholder.created))
        writer.add("content", hex: placeholder.contentVersion)
        writer.finish()
        return writer.bytes
    }

    /// Nil for a torn or foreign file, and for one of a newer version.
    static func decode(_ bytes: [UInt8]) -> Placeholder? {
        guard let record = RecordReader(bytes, title: "docent placeholder"), record.version == version,
            let id = record.text("id").flatMap({ try? ItemIdentifier($0) }),
            let name = record.text("name").flatMap({ try? ItemName($0) }),
            let kind = record.text("kind").flatMap(ItemKind.init(rawValue:)),
            let type = record.text("type").flatMap({ try? ContentType($0) }),
            let modified = record.text("modified").flatMap(timestamp),
            let created = record.text("created").flatMap(timestamp),
            let content = record.hex("content")
        else { return nil }
        return Placeholder(
            id: id, name: name, kind: kind, contentType: type, size: record.text("size").flatMap { Int64($0) },
            modified: modified, created: created, contentVersion: content
        )
    }

    private static func text(_ time: Timestamp) -> String { "\(time.seconds).\(time.nanoseconds)" }

    private static func timestamp(_ text: String) -> Timestamp? {
        let parts = text.split(separator: ".")
        guard parts.count == 2, let seconds = Int64(parts[0]), let nanoseconds = UInt32(parts[1]),
            nanoseconds < 1_000_000_000
        else { return nil }
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
}
