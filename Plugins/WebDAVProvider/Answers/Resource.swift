internal import DocumentModel

/// One resource of a 207 answer.
struct Resource: Hashable, Sendable {
    /// As the server wrote it.
    var href = ""
    /// Of the resource as a whole; nil when only its properties have one.
    var status: Int?
    var properties = Properties()
    /// Whether any property was said to be found.
    var hasProperties = false
    /// Some status of it was no status.
    var isUnreadable = false
    /// What is said of it beside its status.
    var conditions: Set<Multistatus.Condition> = []
}

/// What a server tells of a resource.
struct Properties: Hashable, Sendable {
    var isFolder = false
    /// In bytes.
    var length: Int64?
    /// In seconds since 1970, by the server's clock.
    var modified: Int64?
    var created: Int64?
    var tag: EntityTag?
    /// Of a folder: how many bytes may be added to it, and how many are in it.
    var quota = Quota()
    /// Of a folder: what to ask with for what changes in it from now on (RFC 6578).
    var syncToken: String?

    mutating func merge(_ other: Properties) {
        isFolder = isFolder || other.isFolder
        length = other.length ?? length
        modified = other.modified ?? modified
        created = other.created ?? created
        tag = other.tag ?? tag
        quota.available = other.quota.available ?? quota.available
        quota.used = other.quota.used ?? quota.used
        syncToken = other.syncToken ?? syncToken
    }
}

extension Properties {
    /// Whether it can be told from another version of the resource at all.
    var hasValidator: Bool { tag != nil || modified != nil }

    /// The version of a document's contents. Size, date and tag together: none of them alone is enough on the servers
    /// that are known (RS-2). A tag that turns from weak to strong, as Apache's do after a second, is the same.
    var contentVersion: [UInt8] {
        isFolder ? [] : Array("1;\(length ?? -1);\(modified ?? 0);\(Self.short(tag?.opaque ?? ""))".utf8)
    }

    /// The version of everything else that is told of an item, its place included.
    func metadataVersion(at path: RemotePath) -> [UInt8] {
        if path.isRoot { return Array("1;root".utf8) }
        let place = Self.sum(path.names.map(\.rawValue).joined(separator: "/"))
        let tag = Self.short(tag?.opaque ?? "")
        return Array("2;\(isFolder ? "f" : "d");\(modified ?? 0);\(created ?? 0);\(place);\(tag)".utf8)
    }

    /// The version of the item at a place.
    func version(at path: RemotePath) throws(DocumentError) -> ItemVersion {
        try ItemVersion(content: contentVersion, metadata: metadataVersion(at: path))
    }

    /// A version's part has 128 bytes: of a longer tag its beginning, and a checksum of it all.
    private static func short(_ tag: String) -> String {
        guard tag.utf8.count > 64 else { return tag }
        return String(decoding: tag.utf8.prefix(40), as: UTF8.self) + "~" + sum(tag)
    }

    private static func sum(_ text: String) -> String {
        let sum: UInt64 = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(sum, radix: 16)
    }

    /// - Parameter capabilities: what may be done with items of the domain.
    func item(at path: RemotePath, _ capabilities: ItemCapabilities) throws(DocumentError) -> Item {
        // The dates of the top folder change with everything in it, also with what nobody is shown.
        if path.isRoot, isFolder {
            return Item(
                id: .root, parentID: nil, name: nil, kind: .folder, size: 0,
                version: try ItemVersion(content: [], metadata: metadataVersion(at: path)), capabilities: capabilities)
        }
        return Item(
            id: try path.identifier, parentID: try path.parent?.identifier, name: path.name?.shown,
            kind: isFolder ? ItemKind(ofFolderNamed: path.name?.shown) : .document, size: isFolder ? 0 : length,
            modified: Timestamp(seconds: modified ?? 0), created: Timestamp(seconds: created ?? modified ?? 0),
            version: try version(at: path), capabilities: capabilities)
    }
}
