/// What is known of an item: identity, metadata and version, without contents.
public struct Item: Hashable, Sendable {
    public var id: ItemIdentifier
    /// The folder that it lies in; nil for the domain's top folder only.
    public var parentID: ItemIdentifier?
    /// Nil for the domain's top folder only.
    public var name: ItemName?
    public var kind: ItemKind
    public var contentType: ContentType
    /// In bytes; nil when the provider does not know it. 0 for folders.
    public var size: Int64?
    public var modified: Timestamp
    public var created: Timestamp
    public var version: ItemVersion
    public var capabilities: ItemCapabilities
    /// What the device calls itself that saved the contents; nil where the provider does not know, or does not say so here:
    /// it need not but in the answer to a download (VER-9).
    public var savedBy: String?
    /// How many unresolved sides of conflicts the remote keeps of the document beside its contents (VER-2): at most
    /// ``ProvidedVersion/mostOfOneDocument``.
    public var conflictVersions: Int

    /// - Parameters:
    ///   - contentType: told from the name's extension when nil.
    public init(
        id: ItemIdentifier,
        parentID: ItemIdentifier?,
        name: ItemName?,
        kind: ItemKind,
        contentType: ContentType? = nil,
        size: Int64? = nil,
        modified: Timestamp = .zero,
        created: Timestamp = .zero,
        version: ItemVersion,
        capabilities: ItemCapabilities = .all,
        savedBy: String? = nil,
        conflictVersions: Int = 0
    ) {
        self.id = id
        self.parentID = parentID
        self.name = name
        self.kind = kind
        self.contentType = contentType ?? ContentType(kind: kind, pathExtension: name?.pathExtension)
        self.size = size
        self.modified = modified
        self.created = created
        self.version = version
        self.capabilities = capabilities
        self.savedBy = savedBy
        self.conflictVersions = conflictVersions
    }
}

extension Item {
    /// The top folder of a domain, where its provider has nothing more to say of it.
    public static let root = Item(id: .root, parentID: nil, name: nil, kind: .folder, size: 0, version: .none)
}

/// What an item is.
public enum ItemKind: String, Sendable, CaseIterable {
    case document
    case folder
    /// A folder that is treated as one document.
    case package

    /// What a folder of that name is: a package, where the name's extension is that of a document type whose documents are
    /// folders (`rtfd`, `textbundle`, `pages`, `numbers`, `key`). For providers whose remote says nothing of it.
    public init(ofFolderNamed name: ItemName?) {
        self = ContentType.isPackage(pathExtension: name?.pathExtension) ? .package : .folder
    }

    /// Whether items lie in it: it is a folder on disk, be it treated as one document or not.
    public var isFolder: Bool { self != .document }
}

/// What may be done with an item.
public struct ItemCapabilities: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public static let read = ItemCapabilities(rawValue: 1 << 0)
    /// Change the contents; for folders: add items to it.
    public static let write = ItemCapabilities(rawValue: 1 << 1)
    public static let rename = ItemCapabilities(rawValue: 1 << 2)
    /// Move to another folder.
    public static let move = ItemCapabilities(rawValue: 1 << 3)
    public static let delete = ItemCapabilities(rawValue: 1 << 4)

    public static let readOnly: ItemCapabilities = [.read]
    public static let all: ItemCapabilities = [.read, .write, .rename, .move, .delete]
}
