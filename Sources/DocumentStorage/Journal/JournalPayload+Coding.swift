internal import DocumentModel

extension JournalPayload {
    private static let title = "docent journal"

    var bytes: [UInt8] {
        var writer = RecordWriter(title: "docent journal", version: 1)
        if let operation { writer.add("operation", operation) }
        if let staging { writer.add("staging", staging) }
        if let file { writer.add("file", Self.text(file)) }
        if let base {
            writer.add("base-content", hex: base.content)
            writer.add("base-metadata", hex: base.metadata)
        }
        // No name holds a slash.
        if let place { writer.add("place", place.map(\.rawValue).joined(separator: "/")) }
        if let destination { writer.add("destination", destination.map(\.rawValue).joined(separator: "/")) }
        if let parentID { writer.add("parent", parentID.rawValue) }
        if let name { writer.add("name", name.rawValue) }
        if let originID { writer.add("origin", originID.rawValue) }
        if let kind { writer.add("kind", kind.rawValue) }
        if let source { writer.add("source", hex: source) }
        if let boot { writer.add("boot", boot) }
        for entry in follows { writer.add("follows", "\(entry)") }
        for part in parts { writer.add("part", part.text) }
        for (id, version) in known.sorted(by: { $0.key < $1.key }) {
            writer.add(
                "known", version.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ":" + id.rawValue)
        }
        if discardsEdits { writer.add("discards-edits", "yes") }
        if skipsTrash { writer.add("skips-trash", "yes") }
        if heldUnsent { writer.add("held-unsent", "yes") }
        if replacesContents { writer.add("replaces-contents", "yes") }
        if isNew { writer.add("is-new", "yes") }
        if isBaseKept { writer.add("is-base-kept", "yes") }
        if let digest { writer.add("digest", hex: digest) }
        if attempt > 0 { writer.add("attempt", "\(attempt)") }
        if isMaking { writer.add("is-making", "yes") }
        if mayBeOthers { writer.add("may-be-others", "yes") }
        if let calledOff { writer.add("called-off", calledOff) }
        writer.finish()
        return writer.bytes
    }

    init(bytes: [UInt8]) throws {
        self.init()
        guard let record = RecordReader(bytes, title: Self.title), record.version == 1 else {
            throw DocumentError(.localStorage, "The index holds a journal entry that cannot be read.")
        }
        operation = record.text("operation")
        staging = record.text("staging")
        file = record.text("file").flatMap(Self.file)
        if let content = record.hex("base-content"), let metadata = record.hex("base-metadata") {
            base = try ItemVersion(content: content, metadata: metadata)
        }
        place = try record.text("place").map(Self.names)
        destination = try record.text("destination").map(Self.names)
        parentID = try record.text("parent").map { try ItemIdentifier($0) }
        name = try record.text("name").map { try ItemName($0) }
        originID = try record.text("origin").map { try ItemIdentifier($0) }
        kind = record.text("kind").flatMap(ItemKind.init(rawValue:))
        source = record.hex("source")
        boot = record.text("boot")
        follows = record.texts("follows").compactMap { Int64($0) }
        parts = try record.texts("part").map { try CopiedPart($0) }
        for text in record.texts("known") {
            let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let id = String(parts[1]), let version = RecordReader.bytes(hex: Array(parts[0]))
            else { throw DocumentError(.localStorage, "The index holds a journal entry that cannot be read.") }
            known[try ItemIdentifier(id)] = version
        }
        discardsEdits = record.text("discards-edits") == "yes"
        skipsTrash = record.text("skips-trash") == "yes"
        heldUnsent = record.text("held-unsent") == "yes"
        replacesContents = record.text("replaces-contents") == "yes"
        isNew = record.text("is-new") == "yes"
        isBaseKept = record.text("is-base-kept") == "yes"
        digest = record.hex("digest")
        attempt = record.text("attempt").flatMap { Int($0) } ?? 0
        isMaking = record.text("is-making") == "yes"
        mayBeOthers = record.text("may-be-others") == "yes"
        calledOff = record.text("called-off")
    }

    private static func names(_ text: String) throws -> [ItemName] {
        try text.utf8.split(separator: UInt8(ascii: "/")).map { try ItemName(String(Substring($0))) }
    }

    static func text(_ file: FileIdentity) -> String {
        "\(file.inode) \(file.size) \(file.modified.seconds) \(file.modified.nanoseconds) \(file.changed.seconds) \(file.changed.nanoseconds)"
    }

    static func file(_ text: some StringProtocol) -> FileIdentity? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, let inode = UInt64(parts[0]), let size = Int64(parts[1]),
            let modified = Int64(parts[2]), let modifiedPart = UInt32(parts[3]),
            let changed = Int64(parts[4]), let changedPart = UInt32(parts[5])
        else { return nil }
        return FileIdentity(
            inode: inode, size: size, modified: Timestamp(seconds: modified, nanoseconds: modifiedPart),
            changed: Timestamp(seconds: changed, nanoseconds: changedPart))
    }
}
