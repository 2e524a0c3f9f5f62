package import DocumentModel

/// What stands for an item whose contents are not here: its metadata (PH-1).
package struct Placeholder: Hashable, Sendable {
    package var id: ItemIdentifier
    package var name: ItemName
    package var kind: ItemKind
    package var contentType: ContentType
    /// Nil when the provider does not know it.
    package var size: Int64?
    package var modified: Timestamp
    package var created: Timestamp
    package var contentVersion: [UInt8]

    package init(
        id: ItemIdentifier, name: ItemName, kind: ItemKind, contentType: ContentType, size: Int64?,
        modified: Timestamp, created: Timestamp, contentVersion: [UInt8]
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.contentType = contentType
        self.size = size
        self.modified = modified
        self.created = created
        self.contentVersion = contentVersion
    }

    /// Of an item; nil for a domain's top folder, which has no name.
    package init?(_ item: Item) {
        guard let name = item.name else { return nil }
        self.init(
            id: item.id, name: name, kind: item.kind, contentType: item.contentType, size: item.size,
            modified: item.modified, created: item.created, contentVersion: item.version.content
        )
    }
}
