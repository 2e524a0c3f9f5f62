package import DocumentModel

extension Item {
    /// Checks an item that came from outside.
    ///
    /// - Throws: `invalidArgument` with what is wrong.
    package init(_ wire: WireModelItem) throws(DocumentError) {
        let id = try ItemIdentifier(wire.id)
        let kind = try ItemKind(wire.kind)
        let isTop = wire.parentID.isEmpty
        guard isTop == wire.name.isEmpty else {
            throw Checks.refusal(
                "The item “\(ItemName.printable(wire.id))” has \(isTop ? "a name but no folder" : "a folder but no name"). Only the top folder has neither."
            )
        }
        if isTop, kind != .folder {
            throw Checks.refusal(
                "The item “\(ItemName.printable(wire.id))” has no folder, so it must be one: the top folder.")
        }
        let parentID: ItemIdentifier? = isTop ? nil : try ItemIdentifier(wire.parentID)
        guard parentID != id else {
            throw Checks.refusal("The item “\(ItemName.printable(wire.id))” lies in itself.")
        }
        let version = try wire.hasVersion ? ItemVersion(wire.version) : .none
        if kind == .document, version.content.isEmpty {
            throw Checks.refusal(
                "The document “\(ItemName.printable(wire.name))” has no content version: without one its changes cannot be told."
            )
        }
        let most = kind == .document ? ProvidedVersion.mostOfOneDocument : 0
        guard wire.conflictVersions <= most else {
            throw Checks.refusal(
                "“\(ItemName.printable(wire.name))” cannot have \(wire.conflictVersions) sides of conflicts: a \(kind) has at most \(most)."
            )
        }
        self.init(
            id: id,
            parentID: parentID,
            name: isTop ? nil : try ItemName(wire.name),
            kind: kind,
            contentType: wire.contentType.isEmpty ? nil : try ContentType(wire.contentType),
            size: try Self.checkedSize(wire.size, of: wire),
            modified: try Timestamp(wire.modified),
            created: try Timestamp(wire.created),
            version: version,
            capabilities: wire.hasCapabilities ? ItemCapabilities(wire.capabilities) : .readOnly,
            savedBy: wire.savedBy.isEmpty ? nil : Checks.displayable(wire.savedBy, limit: 256),
            conflictVersions: Int(wire.conflictVersions)
        )
    }

    private static func checkedSize(_ size: Int64, of wire: WireModelItem) throws(DocumentError) -> Int64? {
        if size == -1 { return nil }
        guard size >= 0, wire.kind != .folder || size == 0 else {
            throw Checks.refusal("“\(ItemName.printable(wire.name))” cannot have a size of \(size) bytes.")
        }
        return size
    }
}

extension WireModelItem {
    package init(_ item: Item) {
        self.init()
        id = item.id.rawValue
        parentID = item.parentID?.rawValue ?? ""
        name = item.name?.rawValue ?? ""
        kind = WireModelItemKind(item.kind)
        contentType = item.contentType.identifier
        size = item.size ?? -1
        modified = WireModelTimestamp(item.modified)
        created = WireModelTimestamp(item.created)
        version = WireModelItemVersion(item.version)
        capabilities = WireModelItemCapabilities(item.capabilities)
        savedBy = item.savedBy ?? ""
        conflictVersions = UInt32(clamping: item.conflictVersions)
    }
}

extension ItemKind {
    init(_ wire: WireModelItemKind) throws(DocumentError) {
        switch wire {
        case .document: self = .document
        case .folder: self = .folder
        case .package: self = .package
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a kind of item.")
        }
    }
}

extension WireModelItemKind {
    init(_ kind: ItemKind) {
        switch kind {
        case .document: self = .document
        case .folder: self = .folder
        case .package: self = .package
        }
    }
}

extension Timestamp {
    /// From the year 1 to the year 9999, as everywhere in protobuf.
    static let secondsRange: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    init(_ wire: WireModelTimestamp) throws(DocumentError) {
        guard Self.secondsRange.contains(wire.seconds), wire.nanoseconds <= 999_999_999 else {
            throw Checks.refusal(
                "\(wire.seconds) seconds and \(wire.nanoseconds) nanoseconds are not a point in time between the years 1 and 9999."
            )
        }
        self.init(seconds: wire.seconds, nanoseconds: wire.nanoseconds)
    }
}

extension WireModelTimestamp {
    init(_ timestamp: Timestamp) {
        self.init()
        seconds = timestamp.seconds
        nanoseconds = timestamp.nanoseconds
    }
}

extension ItemVersion {
    init(_ wire: WireModelItemVersion) throws(DocumentError) {
        try self.init(content: Array(wire.content), metadata: Array(wire.metadata))
    }
}

extension WireModelItemVersion {
    init(_ version: ItemVersion) {
        self.init()
        content = collected(version.content)
        metadata = collected(version.metadata)
    }
}

extension ItemCapabilities {
    init(_ wire: WireModelItemCapabilities) {
        self = []
        if wire.read { insert(.read) }
        if wire.write { insert(.write) }
        if wire.rename { insert(.rename) }
        if wire.move { insert(.move) }
        if wire.delete { insert(.delete) }
    }
}

extension WireModelItemCapabilities {
    init(_ capabilities: ItemCapabilities) {
        self.init()
        read = capabilities.contains(.read)
        write = capabilities.contains(.write)
        rename = capabilities.contains(.rename)
        move = capabilities.contains(.move)
        delete = capabilities.contains(.delete)
    }
}
