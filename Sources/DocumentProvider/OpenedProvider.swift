import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage

/// A provider that has been told its domain, or the error that it threw then.
///
/// An ended connection would look like a crash. So the hello succeeds and says what is wrong, and each request fails
/// with the error.
struct OpenedProvider<P: Provider>: Sendable {
    let identifier: ProviderIdentifier
    let domain: DomainName
    private let documentStorageURL: FilePath
    private let outcome: Result<P, DocumentError>
    private let modifying: (any ModifyingProvider)?
    private let changeFeed: (any ChangeFeedProvider)?
    private let picker: (any PickerProvider)?
    private let ranges: (any RangeProvider)?
    private let thumbnails: (any ThumbnailProvider)?
    private let versions: (any VersionsProvider)?
    private let quota: (any QuotaProvider)?

    init(context: ProviderContext) async {
        identifier = context.providerIdentifier
        domain = context.domain
        documentStorageURL = context.documentStorageURL
        do {
            let provider = try await P(context: context)
            outcome = .success(provider)
            modifying = provider as? any ModifyingProvider
            changeFeed = provider as? any ChangeFeedProvider
            picker = provider as? any PickerProvider
            ranges = provider as? any RangeProvider
            thumbnails = provider as? any ThumbnailProvider
            versions = provider as? any VersionsProvider
            quota = provider as? any QuotaProvider
        } catch {
            outcome = .failure(
                error as? DocumentError
                    ?? DocumentError(
                        .notConfigured,
                        "The domain “\(context.domain)” could not be opened. Check its settings.",
                        detail: String(reflecting: error),
                        causes: ["\(error)"]
                    )
            )
            modifying = nil
            changeFeed = nil
            picker = nil
            ranges = nil
            thumbnails = nil
            versions = nil
            quota = nil
        }
    }

    /// What the provider threw, as the host gets it with the hello.
    var failure: DocumentError? {
        guard case .failure(var error) = outcome else { return nil }
        // A provider that used the host's own codes would lose its connection.
        if error.code.isReservedForHost { error.code = .internal }
        return error
    }

    var capabilities: SessionCapabilities {
        var capabilities: Set<ProviderCapability> = []
        if P.self is any ModifyingProvider.Type { capabilities.insert(.modifying) }
        if P.self is any ChangeFeedProvider.Type { capabilities.insert(.changes) }
        if P.self is any RangeProvider.Type { capabilities.insert(.ranges) }
        if P.self is any PickerProvider.Type { capabilities.insert(.picker) }
        if P.self is any SignInProvider.Type { capabilities.insert(.signIn) }
        if P.self is any ThumbnailProvider.Type { capabilities.insert(.thumbnails) }
        if P.self is any VersionsProvider.Type { capabilities.insert(.versions) }
        if P.self is any QuotaProvider.Type { capabilities.insert(.quota) }
        let rootID = if case .success(let provider) = outcome { provider.rootID } else { ItemIdentifier.root }
        return SessionCapabilities(capabilities: capabilities, rootID: rootID)
    }

    /// Has the provider answer a call.
    func reply(to call: ProviderCall, transfer: Transfer) async throws -> ProviderReply {
        let provider = try outcome.get()
        switch call {
        case .identity:
            return .identity(identifier, version: P.version)
        case .item(let id):
            return .item(try await provider.item(for: id))
        case .enumerate(let container, let page, let count):
            return .enumerate(try await provider.items(in: container, page: page, suggestedCount: count))
        case .providePlaceholder(let id):
            try await provider.providePlaceholder(for: id)
            return .providePlaceholder
        case .startProviding(let id, let stagingPath, let contentVersion):
            let item = try await provider.startProvidingItem(
                id, at: FilePath(stagingPath), contentVersion: contentVersion, transfer: transfer
            )
            if let digest = transfer.vouchedDigest, digest.count != 32 {
                throw DocumentError(
                    .internal,
                    "The provider vouches for contents with a SHA-256 of \(digest.count) bytes, where one has 32.")
            }
            return .startProviding(ProvidedContents(item, sha256: transfer.vouchedDigest))
        case .itemChanged(let id):
            try await provider.itemChanged(id)
            return .itemChanged
        case .stopProviding(let id):
            try await provider.stopProvidingItem(id)
            return .stopProviding
        case .identifierForPath(let path):
            return .identifierForPath(try await provider.persistentIdentifier(forItemAt: path))
        case .pathForIdentifier(let id):
            return .pathForIdentifier(try await provider.path(for: id))
        case .create(let call):
            return .create(try await modifyingProvider.createItem(ItemCreation(call), transfer: transfer))
        case .modify(let call):
            return .modify(try await modifyingProvider.modifyItem(ItemModification(call), transfer: transfer))
        case .delete(let call):
            try await modifyingProvider.deleteItem(ItemDeletion(call))
            return .delete
        case .currentAnchor:
            return .currentAnchor(try await changeFeedProvider.currentAnchor())
        case .changesSince(let anchor, let count):
            return .changesSince(try await changeFeedProvider.changes(since: anchor, suggestedCount: count))
        case .provideRange(let call):
            return .provideRange(
                try await rangeProvider.provideRange(
                    call.range, of: call.id, contentVersion: call.contentVersion, at: FilePath(call.stagingPath),
                    transfer: transfer))
        case .preparePicker(let call):
            return .preparePicker(try await pickerProvider.prepareForPresentation(context(of: call)))
        case .validateChoice(let choice, let call):
            try await pickerProvider.validate(choice, in: context(of: call))
            return .validateChoice
        case .endPicker(let session):
            try await pickerProvider.pickerEnded(session)
            return .endPicker
        case .thumbnails(let call):
            let items = call.items.map { ThumbnailRequest(id: $0.id, contentVersion: $0.contentVersion) }
            let outcomes = try await thumbnailProvider.thumbnails(for: items, size: call.size, transfer: transfer)
            return .thumbnails(call.answers(from: outcomes))
        case .listVersions(let id):
            return .listVersions(try await versionsProvider.versions(of: id))
        case .provideVersion(let call):
            return .provideVersion(
                try await versionsProvider.provideVersion(
                    call.versionID, of: call.id, at: FilePath(call.stagingPath), transfer: transfer))
        case .keepVersion(let call):
            return .keepVersion(try await versionsProvider.keepVersion(VersionKeeping(call), transfer: transfer))
        case .removeVersion(let id, let versionID):
            try await versionsProvider.removeVersion(versionID, of: id)
            return .removeVersion
        case .quota:
            return .quota(try await quotaProvider.quota())
        }
    }

    private var modifyingProvider: any ModifyingProvider {
        get throws {
            if let modifying { return modifying }
            throw DocumentError(.unimplemented, "The provider “\(identifier)” cannot change documents.")
        }
    }

    private var changeFeedProvider: any ChangeFeedProvider {
        get throws {
            if let changeFeed { return changeFeed }
            throw DocumentError(.unimplemented, "The provider “\(identifier)” has no feed of changes.")
        }
    }

    private var rangeProvider: any RangeProvider {
        get throws {
            if let ranges { return ranges }
            throw DocumentError(.unimplemented, "The provider “\(identifier)” gives no parts of documents.")
        }
    }

    private var thumbnailProvider: any ThumbnailProvider {
        get throws {
            if let thumbnails { return thumbnails }
            throw DocumentError(.unimplemented, "The provider “\(identifier)” gives no thumbnails.")
        }
    }

    private var versionsProvider: any VersionsProvider {
        get throws {
            if let versions { return versions }
            throw DocumentError(.unimplemented, "The provider “\(identifier)” keeps no versions.")
        }
    }

    private var quotaProvider: any QuotaProvider {
        get throws {
            if let quota { return quota }
            throw DocumentError(.unimplemented, "The provider “\(identifier)” does not tell how much room there is.")
        }
    }

    private var pickerProvider: any PickerProvider {
        get throws {
            if let picker { return picker }
            throw DocumentError(.unimplemented, "The provider “\(identifier)” has no part in picker sessions.")
        }
    }

    private func context(of call: ProviderCall.PickerCall) -> PickerContext {
        PickerContext(
            sessionID: call.session, documentPickerMode: call.mode, validTypes: call.validTypes,
            originalURL: call.originalPath.map { FilePath($0) }, originalSize: call.originalSize,
            providerIdentifier: call.hasFileHalf ? identifier : nil,
            documentStorageURL: call.hasFileHalf ? documentStorageURL : nil)
    }
}

extension ProviderCall.ThumbnailsCall {
    /// As many of a provider's answers as there is room for.
    fileprivate func answers(from outcomes: [ThumbnailOutcome]) -> [ProvidedThumbnail] {
        var answers: [ProvidedThumbnail] = []
        var room = Thumbnail.mostBytesAtOnce
        for (item, outcome) in zip(items, outcomes) {
            let answer: ProvidedThumbnail.Answer =
                switch outcome {
                case .image(let thumbnail):
                    .image(
                        bytes: thumbnail.bytes, mediaType: thumbnail.mediaType, contentVersion: item.contentVersion)
                case .missing: .missing
                case .failed(let error): .failure(DocumentError(thrown: error, by: "The provider"))
                }
            answers.append(ProvidedThumbnail(item.id, answer))
            room -= answers.last?.length ?? 0
            guard room >= 0 else { return Array(answers.dropLast()) }
        }
        return answers
    }
}

extension ItemCreation {
    fileprivate init(_ call: ProviderCall.CreateCall) {
        self.init(
            parentID: call.parentID, name: call.name, kind: call.kind, contents: call.contentsPath.map { FilePath($0) },
            modified: call.modified, operation: call.operation
        )
    }
}

extension ItemModification {
    fileprivate init(_ call: ProviderCall.ModifyCall) {
        self.init(
            id: call.id, baseVersion: call.baseVersion, contents: call.contentsPath.map { FilePath($0) },
            name: call.name, parentID: call.parentID, modified: call.modified, operation: call.operation
        )
    }
}

extension ItemDeletion {
    fileprivate init(_ call: ProviderCall.DeleteCall) {
        self.init(
            id: call.id, baseVersion: call.baseVersion, recursive: call.recursive, operation: call.operation
        )
    }
}

extension VersionKeeping {
    fileprivate init(_ call: ProviderCall.KeepVersionCall) {
        self.init(
            id: call.id, contents: FilePath(call.contentsPath), role: call.role, modified: call.modified,
            savedBy: call.savedBy.isEmpty ? nil : call.savedBy, sha256: call.sha256, operation: call.operation)
    }
}
