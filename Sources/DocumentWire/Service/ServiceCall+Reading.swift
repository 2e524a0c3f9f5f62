package import DocumentModel
import SwiftProtobuf

extension ServiceCall {
    /// Reads and checks a serialised `ServiceRequest`.
    ///
    /// - Throws: `protocolViolation` for bytes that are none, `unimplemented` for a call that is not known,
    ///   `invalidArgument` for one that asks for something impossible.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        if let call = ServiceCall(usual: bytes) {
            self = call
        } else {
            try self.init(general: bytes)
        }
    }

    /// The same, with the accesses of the connection inside of which it is asked.
    package static func nested(
        serialized bytes: [UInt8]
    ) throws(DocumentError) -> (call: ServiceCall, nestedIn: [UInt64]) {
        if let call = ServiceCall(usual: bytes) { return (call, []) }
        let request = try WireServiceServiceRequest.decoded(from: bytes, as: "A request")
        return (try ServiceCall(request), request.nestedIn)
    }

    /// What SwiftProtobuf makes of it.
    package init(general bytes: [UInt8]) throws(DocumentError) {
        try self.init(try WireServiceServiceRequest.decoded(from: bytes, as: "A request"))
    }

    private init(_ request: WireServiceServiceRequest) throws(DocumentError) {
        switch request.call {
        case .hostStatus: self = .hostStatus
        case .stopHost: self = .stopHost
        case .listProviders(let call):
            self = .listProviders(call.providerID.isEmpty ? nil : try ProviderIdentifier(call.providerID))
        case .lastFailure(let call):
            self = .lastFailure(try ProviderIdentifier(call.providerID), domain: try Self.domain(call.domain))
        case .restartProvider(let call):
            self = .restartProvider(try ProviderIdentifier(call.providerID), domain: try Self.domain(call.domain))
        case .recordProvider(let call):
            self = .recordProvider(
                try ProviderIdentifier(call.providerID), domain: try Self.domain(call.domain), isOn: call.on)
        case .addDomain(let call):
            self = .addDomain(
                name: try DomainName(call.name),
                providerID: try ProviderIdentifier(call.providerID),
                settings: try Checks.settings(call.settings)
            )
        case .listDomains: self = .listDomains
        case .removeDomain(let call):
            self = .removeDomain(try DomainName(call.name), discardUnsent: call.discardUnsent)
        case .answerDeletions(let call):
            self = .answerDeletions(
                try DomainName(call.domain), try HeldDeletions.Direction(optional: call.direction),
                carryOut: call.carryOut)
        case .setDomainRules(let call):
            self = .setDomainRules(try DomainName(call.domain), try DomainRuleChange(call.rules))
        case .quota(let call): self = .quota(try DomainName(call.domain))
        case .signIn(let call):
            self = .signIn(
                try DomainName(call.domain), settings: try Checks.settings(call.settings),
                answersPrompts: call.answersPrompts)
        case .signOut(let call): self = .signOut(try DomainName(call.domain), dropUnsent: call.dropUnsent)
        case .listItems(let call):
            self = .listItems(
                try Location(call.location),
                page: call.page.isEmpty ? nil : try PageToken(Array(call.page)),
                suggestedCount: Checks.count(call.suggestedCount),
                refresh: call.refresh,
                known: call.known
            )
        case .getItem(let call): self = .getItem(try Location(call.location), known: call.known)
        case .makeFolder(let call): self = .makeFolder(try Location(call.location), atOnce: call.atOnce)
        case .renameItem(let call):
            self = .renameItem(
                try Location(call.location), destination: try Location(call.destination), atOnce: call.atOnce)
        case .removeItem(let call):
            self = .removeItem(
                try Location(call.location), recursive: call.recursive, discardUnsent: call.discardUnsent,
                atOnce: call.atOnce)
        case .beginAccess(let call): self = .beginAccess(try AccessRequest(call))
        case .endAccess(let call):
            self =
                call.presenter == 0
                ? .endAccess(call.access)
                : .endWrite(call.access, presenter: call.presenter, presents: try Location(call.presented))
        case .flushAccess(let call): self = .flushAccess(call.access)
        case .awaitContents(let call):
            let (end, isTooFar) = call.offset.addingReportingOverflow(call.length)
            guard call.offset >= 0, call.length > 0, !isTooFar else {
                throw DocumentError(
                    .invalidArgument,
                    "There are no \(call.length) bytes from byte \(call.offset) on: ask for one byte or more, from byte 0 on."
                )
            }
            self = .awaitContents(call.access, call.offset..<end)
        case .openAccessed(let call):
            self = .openAccessed(
                call.access, number: Int(call.number),
                part: try mapped(call.part) { name throws(DocumentError) in try ItemName(name) }, making: call.making)
        case .addPresenter(let call): self = .addPresenter(try PresenterRegistration(call))
        case .removePresenter(let call): self = .removePresenter(call.presenter)
        case .setPresentedItem(let call):
            self = .setPresentedItem(
                call.presenter, try PresentedPlace(location: call.location, localPath: call.localPath))
        case .cancelCoordinator(let call): self = .cancelCoordinator(call.coordinator)
        case .coordinationStatus: self = .coordinationStatus
        case .exportDocument(let call):
            self = .exportDocument(
                sourcePath: try Checks.absolutePath(call.sourcePath, "The document's path"),
                destination: try Location(call.destination),
                replace: call.replace
            )
        case .moveDocument(let call):
            self = .moveDocument(
                sourcePath: try Checks.absolutePath(call.sourcePath, "The document's path"),
                destination: try Location(call.destination),
                replace: call.replace
            )
        case .moveIn(let call):
            self = .moveIn(
                sourcePath: try Checks.absolutePath(call.sourcePath, "The document's path"),
                destination: try Location(call.destination))
        case .moveOut(let call): self = .moveOut(try MoveOutCall(call))
        case .download(let call): self = .download(try Location(call.location))
        case .evict(let call): self = .evict(try Location(call.location))
        case .waitUntilSent(let call): self = .waitUntilSent(try Location(call.location))
        case .status(let call): self = .status(call.location.isEmpty ? nil : try Location(call.location))
        case .resolveConflict(let call):
            self = .resolveConflict(
                try Location(call.location), keep: try ConflictResolution(call.keep),
                name: call.name.isEmpty ? nil : try ItemName(call.name))
        case .listVersions(let call): self = .listVersions(try Location(call.location))
        case .restoreVersion(let call):
            self = .restoreVersion(try Location(call.location), Checks.displayable(call.version, limit: 256))
        case .removeVersions(let call):
            self = .removeVersions(
                try Location(call.location), call.versions.map { Checks.displayable($0, limit: 256) })
        case .fetchRemoteVersion(let call): self = .fetchRemoteVersion(try Location(call.location))
        case .refresh(let call): self = .refresh(try Location(call.location))
        case .beginPicker(let call): self = .beginPicker(try PickerRequest(call))
        case .browsePicker(let call):
            self = .browsePicker(
                call.session, folder: try PickerEntryID(Array(call.folder)),
                page: call.page.isEmpty ? nil : try PageToken(Array(call.page)),
                suggestedCount: Checks.count(call.suggestedCount), refresh: call.refresh)
        case .makePickerFolder(let call):
            self = .makePickerFolder(
                call.session, in: try PickerEntryID(Array(call.folder)), name: try ItemName(call.name))
        case .choosePicker(let call): self = .choosePicker(call.session, try PickerSelection(call))
        case .cancelPicker(let call): self = .cancelPicker(call.session)
        case .searchPicker(let call):
            self = .searchPicker(
                call.session, below: try PickerEntryID(Array(call.folder)), try PickerQuery(call.query),
                page: call.page.isEmpty ? nil : try PageToken(Array(call.page)),
                suggestedCount: Checks.count(call.suggestedCount))
        case .pickerThumbnails, .itemThumbnails: self = .thumbnails(try ThumbnailCall(request))
        case .createBookmark, .resolveBookmark, .startBookmark, .stopBookmark, .listBookmarks, .revokeBookmark,
            .accessBookmark:
            self = .bookmark(try BookmarkCall(request))
        case .registerTool, .listTools, .unregisterTool, .openContainer, .listContainers, .placeContainers,
            .removeContainerData, .getKeyValues, .setKeyValues:
            self = .tools(try ToolsCall(request))
        case .startDownload, .pauseTransfers, .resumeDocument, .keepItem, .spaceUse, .watchItems, .nextEvents,
            .endWatch:
            self = .transfers(try TransferCall(request))
        case .ignoreRules, .explainIgnoring, .previewSync, .previewRemoval, .listTrash, .restoreTrash, .emptyTrash,
            .trashUse:
            self = .safeguards(try SafeguardCall(request))
        case nil:
            throw DocumentError(
                .unimplemented,
                "The daemon does not know the request: it is older than this tool. Run “docent host stop” and try again."
            )
        }
    }

    private static func domain(_ name: String) throws(DocumentError) -> DomainName? {
        name.isEmpty ? nil : try DomainName(name)
    }
}
