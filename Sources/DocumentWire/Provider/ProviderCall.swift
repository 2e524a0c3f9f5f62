package import DocumentModel

/// What the host asks a provider: the checked form of `docent.provider.v1.ProviderRequest`.
package enum ProviderCall: Hashable, Sendable {
    case identity
    case item(ItemIdentifier)
    case enumerate(container: ItemIdentifier, page: PageToken?, suggestedCount: Int)
    case providePlaceholder(ItemIdentifier)
    /// `contentVersion` is empty for the current one.
    case startProviding(ItemIdentifier, stagingPath: String, contentVersion: [UInt8])
    case itemChanged(ItemIdentifier)
    case stopProviding(ItemIdentifier)
    case identifierForPath(String)
    case pathForIdentifier(ItemIdentifier)
    case create(CreateCall)
    case modify(ModifyCall)
    case delete(DeleteCall)
    case currentAnchor
    case changesSince(SyncAnchor, suggestedCount: Int)
    case provideRange(RangeCall)
    case preparePicker(PickerCall)
    case validateChoice(PickerChoice, PickerCall)
    case endPicker(session: String)
    case thumbnails(ThumbnailsCall)
    case listVersions(ItemIdentifier)
    case provideVersion(ProvideVersionCall)
    case keepVersion(KeepVersionCall)
    case removeVersion(ItemIdentifier, versionID: String)
    case quota

    package struct CreateCall: Hashable, Sendable {
        package var parentID: ItemIdentifier
        package var name: ItemName
        package var kind: ItemKind
        /// Nil for a folder.
        package var contentsPath: String?
        package var modified: Timestamp?
        package var operation: String

        package init(
            parentID: ItemIdentifier, name: ItemName, kind: ItemKind, contentsPath: String?, modified: Timestamp?,
            operation: String
        ) {
            self.parentID = parentID
            self.name = name
            self.kind = kind
            self.contentsPath = contentsPath
            self.modified = modified
            self.operation = operation
        }
    }

    package struct ModifyCall: Hashable, Sendable {
        package var id: ItemIdentifier
        package var baseVersion: ItemVersion
        /// Each of the following: nil when it stays.
        package var contentsPath: String?
        package var name: ItemName?
        package var parentID: ItemIdentifier?
        package var modified: Timestamp?
        package var operation: String

        package init(
            id: ItemIdentifier, baseVersion: ItemVersion, contentsPath: String? = nil, name: ItemName? = nil,
            parentID: ItemIdentifier? = nil, modified: Timestamp? = nil, operation: String
        ) {
            self.id = id
            self.baseVersion = baseVersion
            self.contentsPath = contentsPath
            self.name = name
            self.parentID = parentID
            self.modified = modified
            self.operation = operation
        }
    }

    /// A part of a document's contents, for the same place of a staging file.
    package struct RangeCall: Hashable, Sendable {
        package var id: ItemIdentifier
        package var stagingPath: String
        /// Never empty.
        package var contentVersion: [UInt8]
        /// In bytes; not empty, and from 0 on.
        package var range: Range<Int64>

        package init(id: ItemIdentifier, stagingPath: String, contentVersion: [UInt8], range: Range<Int64>) {
            self.id = id
            self.stagingPath = stagingPath
            self.contentVersion = contentVersion
            self.range = range
        }
    }

    package struct DeleteCall: Hashable, Sendable {
        package var id: ItemIdentifier
        package var baseVersion: ItemVersion
        package var recursive: Bool
        package var operation: String

        package init(id: ItemIdentifier, baseVersion: ItemVersion, recursive: Bool, operation: String) {
            self.id = id
            self.baseVersion = baseVersion
            self.recursive = recursive
            self.operation = operation
        }
    }
}

/// What a provider answers: the checked form of `docent.provider.v1.ProviderAnswer`.
package enum ProviderReply: Hashable, Sendable {
    case identity(ProviderIdentifier, version: String)
    case item(Item)
    case enumerate(ItemPage)
    case providePlaceholder
    case startProviding(ProvidedContents)
    case itemChanged
    case stopProviding
    case identifierForPath(ItemIdentifier?)
    case pathForIdentifier(String?)
    case create(Item)
    case modify(Item)
    case delete
    case currentAnchor(SyncAnchor)
    case changesSince(ItemChanges)
    case provideRange(Item)
    case preparePicker(PickerPresentation)
    case validateChoice
    case endPicker
    case thumbnails([ProvidedThumbnail])
    case listVersions([ProvidedVersion])
    case provideVersion(ProvidedVersion)
    case keepVersion(ProvidedVersion)
    case removeVersion
    case quota(RemoteQuota)
}
