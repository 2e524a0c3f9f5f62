internal import DocumentModel

/// What is written down beside the contents of a kept version. Others write there, too: nothing of it is believed that
/// was not looked at.
struct VersionNote: Hashable, Sendable {
    /// In bytes.
    static let largest = 1 << 16

    var role: ProvidedVersion.Role
    /// The document, as whoever wrote this knew it last: by its file, wherever that is now; else by its path, whatever
    /// file is there now.
    var key: FileKey
    var path: [EntryName]
    var modified: Timestamp
    /// Empty where it is not known.
    var savedBy: String
    /// 32 bytes.
    var sha256: [UInt8]

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.byte(1)
        writer.byte(role == .conflict ? 1 : 2)
        writer.number(key.inode)
        writer.optional(key.born) { $0.timestamp($1) }
        writer.number(UInt32(truncatingIfNeeded: path.count))
        for name in path { writer.text(name.rawValue) }
        writer.timestamp(modified)
        writer.text(savedBy)
        writer.block(sha256)
        return writer.bytes
    }

    init(
        role: ProvidedVersion.Role, key: FileKey, path: [EntryName], modified: Timestamp, savedBy: String,
        sha256: [UInt8]
    ) {
        self.role = role
        self.key = key
        self.path = path
        self.modified = modified
        self.savedBy = savedBy
        self.sha256 = sha256
    }

    /// Nil for what is no note.
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.byte() == 1, let role = reader.byte(), role == 1 || role == 2,
            let inode = reader.number(UInt64.self), let born = reader.optional({ $0.timestamp() }),
            let count = reader.number(UInt32.self), count <= Self.largest
        else { return nil }
        var path: [EntryName] = []
        for _ in 0..<count {
            guard let name = reader.text().flatMap({ EntryName(written: $0) }) else { return nil }
            path.append(name)
        }
        guard let modified = reader.timestamp(), let savedBy = reader.text(), savedBy.utf8.count <= 256,
            let digest = reader.block(), digest.count == 32, reader.isAtEnd
        else { return nil }
        self.init(
            role: role == 1 ? .conflict : .older, key: FileKey(inode: inode, born: born), path: path,
            modified: modified, savedBy: savedBy, sha256: Array(digest))
    }
}
