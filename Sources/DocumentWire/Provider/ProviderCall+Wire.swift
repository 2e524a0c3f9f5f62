package import DocumentModel
import SwiftProtobuf

extension ProviderCall {
    /// Reads and checks a serialised `ProviderRequest`.
    ///
    /// - Throws: `protocolViolation` for bytes that are none, `unimplemented` for a call that is not known,
    ///   `invalidArgument` for one that asks for something impossible.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        let request = try WireProviderProviderRequest.decoded(from: bytes, as: "A request")
        switch request.call {
        case .identity: self = .identity
        case .item(let call): self = .item(try ItemIdentifier(call.id))
        case .enumerate(let call):
            self = .enumerate(
                container: try ItemIdentifier(call.containerID),
                page: call.page.isEmpty ? nil : try PageToken(Array(call.page)),
                suggestedCount: Checks.count(call.suggestedCount)
            )
        case .providePlaceholder(let call): self = .providePlaceholder(try ItemIdentifier(call.id))
        case .startProviding(let call):
            self = .startProviding(
                try ItemIdentifier(call.id),
                stagingPath: try Checks.absolutePath(call.stagingPath, "A staging file"),
                contentVersion: try Checks.contentVersion(Array(call.contentVersion))
            )
        case .itemChanged(let call): self = .itemChanged(try ItemIdentifier(call.id))
        case .stopProviding(let call): self = .stopProviding(try ItemIdentifier(call.id))
        case .identifierForPath(let call): self = .identifierForPath(try Checks.relativePath(call.path))
        case .pathForIdentifier(let call): self = .pathForIdentifier(try ItemIdentifier(call.id))
        case .create(let call): self = .create(try CreateCall(call))
        case .modify(let call): self = .modify(try ModifyCall(call))
        case .delete(let call): self = .delete(try DeleteCall(call))
        case .currentAnchor: self = .currentAnchor
        case .changesSince(let call):
            self = .changesSince(try SyncAnchor(Array(call.anchor)), suggestedCount: Checks.count(call.suggestedCount))
        case .provideRange(let call): self = .provideRange(try RangeCall(call))
        case .preparePicker(let call): self = .preparePicker(try PickerCall(call.picker))
        case .validateChoice(let call): self = .validateChoice(try PickerChoice(call), try PickerCall(call.picker))
        case .endPicker(let call): self = .endPicker(session: try Checks.operation(call.session))
        case .thumbnails(let call): self = .thumbnails(try ThumbnailsCall(call))
        case .listVersions(let call): self = .listVersions(try ItemIdentifier(call.id))
        case .provideVersion(let call): self = .provideVersion(try ProvideVersionCall(call))
        case .keepVersion(let call): self = .keepVersion(try KeepVersionCall(call))
        case .removeVersion(let call):
            self = .removeVersion(
                try ItemIdentifier(call.id), versionID: try Checks.versionIdentifier(call.versionID))
        case .quota: self = .quota
        case nil:
            throw DocumentError(
                .unimplemented, "This provider does not know the request. It may be older than the host: update it."
            )
        }
    }

    package func serialized() -> [UInt8] {
        var request = WireProviderProviderRequest()
        request.call = call
        return request.encoded()
    }

    private var call: WireProviderProviderRequest.OneOf_Call {
        switch self {
        case .identity: .identity(WireProviderIdentity())
        case .item(let id): .item(.with { $0.id = id.rawValue })
        case .enumerate(let container, let page, let suggestedCount):
            .enumerate(
                .with {
                    $0.containerID = container.rawValue
                    $0.page = collected(page?.bytes ?? [])
                    $0.suggestedCount = Checks.encodedCount(suggestedCount)
                }
            )
        case .providePlaceholder(let id): .providePlaceholder(.with { $0.id = id.rawValue })
        case .startProviding(let id, let stagingPath, let contentVersion):
            .startProviding(
                .with {
                    $0.id = id.rawValue
                    $0.stagingPath = stagingPath
                    $0.contentVersion = collected(contentVersion)
                }
            )
        case .itemChanged(let id): .itemChanged(.with { $0.id = id.rawValue })
        case .stopProviding(let id): .stopProviding(.with { $0.id = id.rawValue })
        case .identifierForPath(let path): .identifierForPath(.with { $0.path = path })
        case .pathForIdentifier(let id): .pathForIdentifier(.with { $0.id = id.rawValue })
        case .create(let call): .create(WireProviderCreate(call))
        case .modify(let call): .modify(WireProviderModify(call))
        case .delete(let call): .delete(WireProviderDelete(call))
        case .currentAnchor: .currentAnchor(WireProviderCurrentAnchor())
        case .changesSince(let anchor, let suggestedCount):
            .changesSince(
                .with {
                    $0.anchor = collected(anchor.bytes)
                    $0.suggestedCount = Checks.encodedCount(suggestedCount)
                }
            )
        case .provideRange(let call): .provideRange(WireProviderProvideRange(call))
        case .preparePicker(let picker): .preparePicker(.with { $0.picker = WireProviderPicker(picker) })
        case .validateChoice(let choice, let picker): .validateChoice(WireProviderValidateChoice(choice, picker))
        case .endPicker(let session): .endPicker(.with { $0.session = session })
        case .thumbnails(let call): .thumbnails(WireProviderGetThumbnails(call))
        case .listVersions(let id): .listVersions(.with { $0.id = id.rawValue })
        case .provideVersion(let call): .provideVersion(WireProviderProvideVersion(call))
        case .keepVersion(let call): .keepVersion(WireProviderKeepVersion(call))
        case .removeVersion(let id, let versionID):
            .removeVersion(
                .with {
                    $0.id = id.rawValue
                    $0.versionID = versionID
                })
        case .quota: .quota(WireProviderGetQuota())
        }
    }
}

extension ProviderCall.CreateCall {
    fileprivate init(_ wire: WireProviderCreate) throws(DocumentError) {
        let kind = try ItemKind(wire.kind)
        switch (kind, wire.contentsPath.isEmpty) {
        case (.folder, false):
            throw Checks.refusal("The folder “\(ItemName.printable(wire.name))” cannot be made with contents.")
        case (.document, true):
            throw Checks.refusal("The document “\(ItemName.printable(wire.name))” cannot be made without contents.")
        default: break
        }
        self.init(
            parentID: try ItemIdentifier(wire.parentID),
            name: try ItemName(wire.name),
            kind: kind,
            contentsPath: wire.contentsPath.isEmpty
                ? nil : try Checks.absolutePath(wire.contentsPath, "A contents file"),
            modified: wire.hasModified ? try Timestamp(wire.modified) : nil,
            operation: try Checks.operation(wire.operation)
        )
    }
}

extension WireProviderCreate {
    fileprivate init(_ call: ProviderCall.CreateCall) {
        self.init()
        parentID = call.parentID.rawValue
        name = call.name.rawValue
        kind = WireModelItemKind(call.kind)
        contentsPath = call.contentsPath ?? ""
        if let modified = call.modified { self.modified = WireModelTimestamp(modified) }
        operation = call.operation
    }
}

extension ProviderCall.ModifyCall {
    fileprivate init(_ wire: WireProviderModify) throws(DocumentError) {
        self.init(
            id: try ItemIdentifier(wire.id),
            baseVersion: try ItemVersion(wire.baseVersion),
            contentsPath: wire.contentsPath.isEmpty
                ? nil : try Checks.absolutePath(wire.contentsPath, "A contents file"),
            name: wire.name.isEmpty ? nil : try ItemName(wire.name),
            parentID: wire.parentID.isEmpty ? nil : try ItemIdentifier(wire.parentID),
            modified: wire.hasModified ? try Timestamp(wire.modified) : nil,
            operation: try Checks.operation(wire.operation)
        )
    }
}

extension WireProviderModify {
    fileprivate init(_ call: ProviderCall.ModifyCall) {
        self.init()
        id = call.id.rawValue
        baseVersion = WireModelItemVersion(call.baseVersion)
        contentsPath = call.contentsPath ?? ""
        name = call.name?.rawValue ?? ""
        parentID = call.parentID?.rawValue ?? ""
        if let modified = call.modified { self.modified = WireModelTimestamp(modified) }
        operation = call.operation
    }
}

extension ProviderCall.RangeCall {
    fileprivate init(_ wire: WireProviderProvideRange) throws(DocumentError) {
        guard !wire.contentVersion.isEmpty else {
            throw Checks.refusal("A part of contents was asked for, and not of which version.")
        }
        let (end, overflows) = wire.offset.addingReportingOverflow(wire.length)
        guard wire.offset >= 0, wire.length > 0, !overflows else {
            throw Checks.refusal("There is no part of \(wire.length) bytes from byte \(wire.offset) on.")
        }
        self.init(
            id: try ItemIdentifier(wire.id),
            stagingPath: try Checks.absolutePath(wire.stagingPath, "A staging file"),
            contentVersion: try Checks.contentVersion(Array(wire.contentVersion)),
            range: wire.offset..<end
        )
    }
}

extension WireProviderProvideRange {
    fileprivate init(_ call: ProviderCall.RangeCall) {
        self.init()
        id = call.id.rawValue
        stagingPath = call.stagingPath
        contentVersion = collected(call.contentVersion)
        offset = call.range.lowerBound
        length = Int64(call.range.count)
    }
}

extension ProviderCall.DeleteCall {
    fileprivate init(_ wire: WireProviderDelete) throws(DocumentError) {
        self.init(
            id: try ItemIdentifier(wire.id),
            baseVersion: try ItemVersion(wire.baseVersion),
            recursive: wire.recursive,
            operation: try Checks.operation(wire.operation)
        )
    }
}

extension WireProviderDelete {
    fileprivate init(_ call: ProviderCall.DeleteCall) {
        self.init()
        id = call.id.rawValue
        baseVersion = WireModelItemVersion(call.baseVersion)
        recursive = call.recursive
        operation = call.operation
    }
}
