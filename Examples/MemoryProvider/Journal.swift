import DocumentProvider

/// A change of the handbook: a new state of an item, or its removal with all that is in it.
struct Change {
    var id: ItemIdentifier
    var state: String
    var modified = Timestamp.zero
    /// Nil makes a folder.
    var contents: [UInt8]?
    var isRemoval = false
}

/// Changes, one after the other, in a file: each a line, with tabs between its fields, and the contents.
struct Journal {
    private let place: FilePath
    private let file: FileDescriptor

    init(file place: FilePath) throws {
        self.place = place
        file = try FileDescriptor.open(
            place, .readWrite, options: [.append, .create, .closeOnExec], permissions: .ownerReadWrite)
    }

    /// All changes, the oldest first. What a crash left of one that was not answered is taken away.
    func read() throws -> [Change] {
        var rest = try Transfer().read(place)[...]
        var changes: [Change] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let fields = rest[..<end].split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard fields.count == 6, let size = Int(fields[1]), rest.endIndex - end > size else { break }
            let contents = Array(rest[(end + 1)...].prefix(size))
            changes.append(
                Change(
                    id: try ItemIdentifier(fields[5]), state: fields[4],
                    modified: Timestamp(seconds: Int64(fields[2]) ?? 0, nanoseconds: UInt32(fields[3]) ?? 0),
                    contents: fields[0] == "document" ? contents : nil, isRemoval: fields[0] == "removal"))
            rest = rest[(end + 1 + size)...]
        }
        try file.resize(to: Int64(rest.startIndex))
        return changes
    }

    /// Writes a change down, or nothing of it.
    func append(_ change: Change) throws {
        let kind = change.isRemoval ? "removal" : change.contents == nil ? "folder" : "document"
        let fields = [
            kind, "\(change.contents?.count ?? 0)", "\(change.modified.seconds)", "\(change.modified.nanoseconds)",
            change.state, change.id.rawValue,
        ]
        let size = try file.seek(offset: 0, from: .end)
        do {
            try file.writeAll(
                Array(fields.joined(separator: "\t").utf8) + [UInt8(ascii: "\n")] + (change.contents ?? []))
        } catch {
            try file.resize(to: size)
            throw error
        }
    }
}
