internal import DocumentModel

/// What is remembered of one item.
struct FolderRecord: Hashable, Sendable {
    let id: RecordID
    /// The root's parent is the root.
    var parent: RecordID
    /// Nil for the root only.
    var name: EntryName?
    var facts: FileFacts
    /// The time of change that the content version is made with. Later than what is here, the time of change in
    /// `facts` only tells of renames and the like.
    var contentChanged: Timestamp
    /// The point of the feed at which name, folder or mode changed last.
    var metadataSequence: UInt64
    /// The point of the feed at which anything changed last.
    var sequence: UInt64
    /// How many sides of conflicts are kept of it.
    var conflictSides: UInt8 = 0

    /// Changes when the contents change, and never for a rename. Size and time of modification alone would miss a
    /// rewrite that sets the time back.
    var contentVersion: [UInt8] {
        guard !facts.isFolder else { return [] }
        var writer = ByteWriter()
        writer.byte(1)
        writer.number(facts.key.inode)
        writer.number(UInt64(bitPattern: facts.size))
        writer.timestamp(facts.modified)
        writer.timestamp(contentChanged)
        return writer.bytes
    }

    var metadataVersion: [UInt8] {
        var writer = ByteWriter()
        writer.number(metadataSequence)
        return writer.bytes
    }
}

/// A name in a folder.
struct Place: Hashable, Comparable, Sendable {
    var parent: RecordID
    var name: EntryName

    static func < (one: Self, other: Self) -> Bool {
        one.parent == other.parent ? one.name < other.name : one.parent < other.parent
    }
}
