package import DocumentModel

/// What a host tool asks the host: the checked form of `docent.service.v1.ServiceRequest`.
package enum ServiceCall: Hashable, Sendable {
    case hostStatus
    case stopHost
    /// Nil: all of them.
    case listProviders(ProviderIdentifier?)
    /// Without a domain: of whichever domain of the provider failed last.
    case lastFailure(ProviderIdentifier, domain: DomainName?)
    /// Without a domain: of all of them. So too below.
    case restartProvider(ProviderIdentifier, domain: DomainName?)
    case recordProvider(ProviderIdentifier, domain: DomainName?, isOn: Bool)
    case addDomain(name: DomainName, providerID: ProviderIdentifier, settings: [String: String])
    case listDomains
    case removeDomain(DomainName, discardUnsent: Bool)
    /// Without a direction: both.
    case answerDeletions(DomainName, HeldDeletions.Direction?, carryOut: Bool)
    case setDomainRules(DomainName, DomainRuleChange)
    case quota(DomainName)
    case signIn(DomainName, settings: [String: String], answersPrompts: Bool = false)
    case signOut(DomainName, dropUnsent: Bool)
    case listItems(Location, page: PageToken?, suggestedCount: Int, refresh: Bool, known: Bool = false)
    case getItem(Location, known: Bool = false)
    case makeFolder(Location, atOnce: Bool = false)
    case renameItem(Location, destination: Location, atOnce: Bool = false)
    case removeItem(Location, recursive: Bool, discardUnsent: Bool, atOnce: Bool = false)
    case beginAccess(AccessRequest)
    case endAccess(UInt64)
    /// The same, of a write by a presenter, which presents a document from then on.
    case endWrite(UInt64, presenter: UInt64, presents: Location)
    case flushAccess(UInt64)
    case awaitContents(UInt64, Range<Int64>)
    /// `number`: which of the access's documents. `part`: the file in it, of a package.
    case openAccessed(UInt64, number: Int, part: [ItemName] = [], making: Bool = false)
    case addPresenter(PresenterRegistration)
    case removePresenter(UInt64)
    case setPresentedItem(UInt64, PresentedPlace?)
    case cancelCoordinator(UInt64)
    case coordinationStatus
    case exportDocument(sourcePath: String, destination: Location, replace: Bool)
    case moveDocument(sourcePath: String, destination: Location, replace: Bool)
    case moveIn(sourcePath: String, destination: Location)
    case moveOut(MoveOutCall)
    case download(Location)
    case evict(Location)
    case waitUntilSent(Location)
    /// Nil: everything.
    case status(Location?)
    /// The name is the new document's, with `both`; nil: after the document.
    case resolveConflict(Location, keep: ConflictResolution, name: ItemName? = nil)
    case listVersions(Location)
    case restoreVersion(Location, String)
    case fetchRemoteVersion(Location)
    /// Empty: all that may go.
    case removeVersions(Location, [String])
    case refresh(Location)
    case beginPicker(PickerRequest)
    case browsePicker(
        UInt64, folder: PickerEntryID, page: PageToken?, suggestedCount: Int, refresh: Bool)
    case makePickerFolder(UInt64, in: PickerEntryID, name: ItemName)
    case choosePicker(UInt64, PickerSelection)
    case cancelPicker(UInt64)
    case searchPicker(UInt64, below: PickerEntryID, PickerQuery, page: PageToken?, suggestedCount: Int)
    case thumbnails(ThumbnailCall)
    case bookmark(BookmarkCall)
    case tools(ToolsCall)
    case transfers(TransferCall)
    case safeguards(SafeguardCall)
}

/// Who a host tool is, in its hello: the checked form of `docent.service.v1.ToolIdentity`.
package struct ToolIdentity: Hashable, Sendable {
    /// For logs and for errors that name who waits for whom, for example “docent edit”.
    package var name: String

    package init(name: String) {
        self.name = name
    }
}
