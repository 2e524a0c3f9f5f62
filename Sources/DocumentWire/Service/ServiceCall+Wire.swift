package import DocumentModel
import SwiftProtobuf

extension ServiceCall {
    /// Reads and checks a serialised `ServiceRequest`.
    ///
    /// - Throws: `protocolViolation` for bytes that are none, `unimplemented` for a call that is not known,
    ///   `invalidArgument` for one that asks for something impossible.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        let request = try WireServiceServiceRequest.decoded(from: bytes, as: "A request")
        switch request.call {
        case .hostStatus: self = .hostStatus
        case .stopHost: self = .stopHost
        case .listProviders(let call):
            self = .listProviders(call.providerID.isEmpty ? nil : try ProviderIdentifier(call.providerID))
        case .addDomain(let call):
            self = .addDomain(
                name: try DomainName(call.name),
                providerID: try ProviderIdentifier(call.providerID),
                settings: try Checks.settings(call.settings)
            )
        case .listDomains: self = .listDomains
        case .removeDomain(let call):
            self = .removeDomain(try DomainName(call.name), discardUnsent: call.discardUnsent)
        case .listItems(let call):
            self = .listItems(
                try Location(call.location),
                page: call.page.isEmpty ? nil : try PageToken(Array(call.page)),
                suggestedCount: Checks.count(call.suggestedCount),
                refresh: call.refresh
            )
        case .getItem(let call): self = .getItem(try Location(call.location))
        case .makeFolder(let call): self = .makeFolder(try Location(call.location))
        case .renameItem(let call):
            self = .renameItem(try Location(call.location), destination: try Location(call.destination))
        case .removeItem(let call):
            self = .removeItem(
                try Location(call.location), recursive: call.recursive, discardUnsent: call.discardUnsent
            )
        case .beginAccess(let call): self = .beginAccess(try AccessRequest(call))
        case .endAccess(let call): self = .endAccess(call.access)
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
        case .download(let call): self = .download(try Location(call.location))
        case .evict(let call): self = .evict(try Location(call.location))
        case .waitUntilSent(let call): self = .waitUntilSent(try Location(call.location))
        case .status(let call): self = .status(call.location.isEmpty ? nil : try Location(call.location))
        case .resolveConflict(let call):
            self = .resolveConflict(try Location(call.location), keep: try ConflictResolution(call.keep))
        case .refresh(let call): self = .refresh(try Location(call.location))
        case nil:
            throw DocumentError(
                .unimplemented,
                "The daemon does not know the request: it is older than this tool. Run “docent host stop” and try again."
            )
        }
    }

    package func serialized() -> [UInt8] {
        var request = WireServiceServiceRequest()
        request.call = call
        return request.encoded()
    }

    private var call: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .hostStatus: .hostStatus(WireServiceHostStatus())
        case .stopHost: .stopHost(WireServiceStopHost())
        case .listProviders(let id): .listProviders(.with { $0.providerID = id?.rawValue ?? "" })
        case .addDomain(let name, let providerID, let settings):
            .addDomain(
                .with {
                    $0.name = name.rawValue
                    $0.providerID = providerID.rawValue
                    $0.settings = settings
                }
            )
        case .listDomains: .listDomains(WireServiceListDomains())
        case .removeDomain(let name, let discardUnsent):
            .removeDomain(
                .with {
                    $0.name = name.rawValue
                    $0.discardUnsent = discardUnsent
                }
            )
        case .listItems(let location, let page, let suggestedCount, let refresh):
            .listItems(
                .with {
                    $0.location = location.description
                    $0.page = collected(page?.bytes ?? [])
                    $0.suggestedCount = Checks.encodedCount(suggestedCount)
                    $0.refresh = refresh
                }
            )
        case .getItem(let location): .getItem(.with { $0.location = location.description })
        case .makeFolder(let location): .makeFolder(.with { $0.location = location.description })
        case .renameItem(let location, let destination):
            .renameItem(
                .with {
                    $0.location = location.description
                    $0.destination = destination.description
                }
            )
        case .removeItem(let location, let recursive, let discardUnsent):
            .removeItem(
                .with {
                    $0.location = location.description
                    $0.recursive = recursive
                    $0.discardUnsent = discardUnsent
                }
            )
        case .beginAccess(let request): .beginAccess(WireServiceBeginAccess(request))
        case .endAccess(let access): .endAccess(.with { $0.access = access })
        case .exportDocument(let sourcePath, let destination, let replace):
            .exportDocument(
                .with {
                    $0.sourcePath = sourcePath
                    $0.destination = destination.description
                    $0.replace = replace
                }
            )
        case .moveDocument(let sourcePath, let destination, let replace):
            .moveDocument(
                .with {
                    $0.sourcePath = sourcePath
                    $0.destination = destination.description
                    $0.replace = replace
                }
            )
        case .download(let location): .download(.with { $0.location = location.description })
        case .evict(let location): .evict(.with { $0.location = location.description })
        case .waitUntilSent(let location): .waitUntilSent(.with { $0.location = location.description })
        case .status(let location): .status(.with { $0.location = location?.description ?? "" })
        case .resolveConflict(let location, let keep):
            .resolveConflict(
                .with {
                    $0.location = location.description
                    $0.keep = WireServiceResolveConflict.Keep(keep)
                }
            )
        case .refresh(let location): .refresh(.with { $0.location = location.description })
        }
    }
}

extension ConflictResolution {
    fileprivate init(_ wire: WireServiceResolveConflict.Keep) throws(DocumentError) {
        switch wire {
        case .local: self = .local
        case .remote: self = .remote
        case .both: self = .both
        case .unspecified, .UNRECOGNIZED: throw Checks.refusal("\(wire.rawValue) is not a way to end a conflict.")
        }
    }
}

extension WireServiceResolveConflict.Keep {
    fileprivate init(_ resolution: ConflictResolution) {
        switch resolution {
        case .local: self = .local
        case .remote: self = .remote
        case .both: self = .both
        }
    }
}

extension ToolIdentity {
    /// Reads a serialised `ToolIdentity`; its name is bounded and made fit for logs.
    package init(serialized bytes: [UInt8]) throws(DocumentError) {
        let wire = try WireServiceToolIdentity.decoded(from: bytes, as: "A host tool's identity")
        self.init(name: Checks.displayable(wire.name, limit: 256))
    }

    package func serialized() -> [UInt8] {
        WireServiceToolIdentity.with { $0.name = name }.encoded()
    }
}
