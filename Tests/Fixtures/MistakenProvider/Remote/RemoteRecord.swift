import DocumentModel

/// An item as the remote keeps it. Its versions are counts of the remote's changes.
struct RemoteRecord: Hashable, Sendable {
    var id: ItemIdentifier
    /// In the order in which items were made; listings are in this order.
    var serial: UInt64
    var parentID: ItemIdentifier
    var name: ItemName
    var kind: ItemKind
    var size: Int64
    var modified: Timestamp
    var created: Timestamp
    /// 0 for folders.
    var contentVersion: UInt64
    var metadataVersion: UInt64
    /// When it was last changed, for the feed.
    var changed: UInt64
    /// The sequence of the change that brought its contents, which are in a file of that number.
    var contentsNumber: UInt64 = 0
    /// How many sides of conflicts are kept of it.
    var sides: UInt64 = 0

    var item: Item {
        get throws(DocumentError) {
            Item(
                id: id, parentID: parentID, name: name, kind: kind, size: size, modified: modified, created: created,
                version: try version, conflictVersions: Int(sides)
            )
        }
    }

    var version: ItemVersion {
        get throws(DocumentError) {
            try ItemVersion(
                content: contentVersion == 0 ? [] : Array("c\(contentVersion)".utf8),
                metadata: Array("m\(metadataVersion)".utf8)
            )
        }
    }
}

/// Something that was removed, for the feed.
struct RemoteGrave: Hashable, Sendable {
    var id: ItemIdentifier
    var changed: UInt64
}
