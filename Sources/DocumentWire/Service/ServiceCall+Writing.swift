import DocumentModel
import SwiftProtobuf

/// Calls as bytes; what reads them is beside it.
extension ServiceCall {
    /// - Parameter nestedIn: the accesses of the connection inside of which it is asked, but for those calls that say it
    ///   themselves, or need not.
    package func serialized(nestedIn: [UInt64] = []) -> [UInt8] {
        switch self {
        case .beginAccess, .endAccess: usualBytes ?? generalBytes()
        default: generalBytes(nestedIn: nestedIn)
        }
    }

    /// The bytes as SwiftProtobuf writes them.
    package func generalBytes(nestedIn: [UInt64] = []) -> [UInt8] {
        var request = WireServiceServiceRequest()
        request.call = call
        request.nestedIn = nestedIn
        return request.encoded()
    }

    private var call: WireServiceServiceRequest.OneOf_Call {
        switch self {
        case .hostStatus: .hostStatus(WireServiceHostStatus())
        case .stopHost: .stopHost(WireServiceStopHost())
        case .listProviders(let id): .listProviders(.with { $0.providerID = id?.rawValue ?? "" })
        case .lastFailure(let id, let domain):
            .lastFailure(
                .with {
                    $0.providerID = id.rawValue
                    $0.domain = domain?.rawValue ?? ""
                })
        case .restartProvider(let id, let domain):
            .restartProvider(
                .with {
                    $0.providerID = id.rawValue
                    $0.domain = domain?.rawValue ?? ""
                })
        case .recordProvider(let id, let domain, let isOn):
            .recordProvider(
                .with {
                    $0.providerID = id.rawValue
                    $0.domain = domain?.rawValue ?? ""
                    $0.on = isOn
                })
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
        case .answerDeletions(let name, let direction, let carryOut):
            .answerDeletions(
                .with {
                    $0.domain = name.rawValue
                    $0.direction = WireServiceDeletionDirection(direction)
                    $0.carryOut = carryOut
                }
            )
        case .quota(let name): .quota(.with { $0.domain = name.rawValue })
        case .setDomainRules(let name, let change):
            .setDomainRules(
                .with {
                    $0.domain = name.rawValue
                    $0.rules = WireServiceDomainRules(change)
                }
            )
        case .signIn(let name, let settings, let answersPrompts):
            .signIn(
                .with {
                    $0.domain = name.rawValue
                    $0.settings = settings
                    $0.answersPrompts = answersPrompts
                })
        case .signOut(let name, let dropUnsent):
            .signOut(
                .with {
                    $0.domain = name.rawValue
                    $0.dropUnsent = dropUnsent
                })
        case .listItems(let location, let page, let suggestedCount, let refresh, let known):
            .listItems(
                .with {
                    $0.location = location.description
                    $0.page = collected(page?.bytes ?? [])
                    $0.suggestedCount = Checks.encodedCount(suggestedCount)
                    $0.refresh = refresh
                    $0.known = known
                }
            )
        case .getItem(let location, let known):
            .getItem(
                .with {
                    $0.location = location.description
                    $0.known = known
                }
            )
        case .makeFolder(let location, let atOnce):
            .makeFolder(
                .with {
                    $0.location = location.description
                    $0.atOnce = atOnce
                }
            )
        case .renameItem(let location, let destination, let atOnce):
            .renameItem(
                .with {
                    $0.location = location.description
                    $0.destination = destination.description
                    $0.atOnce = atOnce
                }
            )
        case .removeItem(let location, let recursive, let discardUnsent, let atOnce):
            .removeItem(
                .with {
                    $0.location = location.description
                    $0.recursive = recursive
                    $0.discardUnsent = discardUnsent
                    $0.atOnce = atOnce
                }
            )
        case .beginAccess(let request): .beginAccess(WireServiceBeginAccess(request))
        case .endAccess(let access): .endAccess(.with { $0.access = access })
        case .endWrite(let access, let presenter, let location):
            .endAccess(
                .with {
                    $0.access = access
                    $0.presenter = presenter
                    $0.presented = location.description
                })
        case .flushAccess(let access): .flushAccess(.with { $0.access = access })
        case .awaitContents(let access, let range):
            .awaitContents(
                .with {
                    $0.access = access
                    $0.offset = range.lowerBound
                    $0.length = range.upperBound - range.lowerBound
                })
        case .openAccessed(let access, let number, let part, let making):
            .openAccessed(
                .with {
                    $0.access = access
                    $0.number = UInt32(clamping: number)
                    $0.part = part.map(\.rawValue)
                    $0.making = making
                })
        case .addPresenter(let registration): .addPresenter(WireServiceAddPresenter(registration))
        case .removePresenter(let presenter): .removePresenter(.with { $0.presenter = presenter })
        case .setPresentedItem(let presenter, let place):
            .setPresentedItem(
                .with {
                    $0.presenter = presenter
                    ($0.location, $0.localPath) = place.fields
                }
            )
        case .cancelCoordinator(let coordinator): .cancelCoordinator(.with { $0.coordinator = coordinator })
        case .coordinationStatus: .coordinationStatus(WireServiceCoordinationStatus())
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
        case .moveIn(let sourcePath, let destination):
            .moveIn(
                .with {
                    $0.sourcePath = sourcePath
                    $0.destination = destination.description
                }
            )
        case .moveOut(let call): .moveOut(call.wire)
        case .download(let location): .download(.with { $0.location = location.description })
        case .evict(let location): .evict(.with { $0.location = location.description })
        case .waitUntilSent(let location): .waitUntilSent(.with { $0.location = location.description })
        case .status(let location): .status(.with { $0.location = location?.description ?? "" })
        case .listVersions(let location): .listVersions(.with { $0.location = location.description })
        case .fetchRemoteVersion(let location): .fetchRemoteVersion(.with { $0.location = location.description })
        case .restoreVersion(let location, let version):
            .restoreVersion(
                .with {
                    $0.location = location.description
                    $0.version = version
                }
            )
        case .removeVersions(let location, let versions):
            .removeVersions(
                .with {
                    $0.location = location.description
                    $0.versions = versions
                }
            )
        case .resolveConflict(let location, let keep, let name):
            .resolveConflict(
                .with {
                    $0.location = location.description
                    $0.keep = WireServiceResolveConflict.Keep(keep)
                    $0.name = name?.rawValue ?? ""
                }
            )
        case .refresh(let location): .refresh(.with { $0.location = location.description })
        case .beginPicker(let request): .beginPicker(WireServiceBeginPicker(request))
        case .browsePicker(let session, let folder, let page, let suggestedCount, let refresh):
            .browsePicker(
                .with {
                    $0.session = session
                    $0.folder = collected(folder.bytes)
                    $0.page = collected(page?.bytes ?? [])
                    $0.suggestedCount = Checks.encodedCount(suggestedCount)
                    $0.refresh = refresh
                }
            )
        case .makePickerFolder(let session, let folder, let name):
            .makePickerFolder(
                .with {
                    $0.session = session
                    $0.folder = collected(folder.bytes)
                    $0.name = name.rawValue
                }
            )
        case .choosePicker(let session, let selection):
            .choosePicker(WireServiceChoosePicker(selection, in: session))
        case .cancelPicker(let session): .cancelPicker(.with { $0.session = session })
        case .searchPicker(let session, let folder, let query, let page, let suggestedCount):
            .searchPicker(
                .with {
                    $0.session = session
                    $0.folder = collected(folder.bytes)
                    $0.query = query.text
                    $0.page = collected(page?.bytes ?? [])
                    $0.suggestedCount = Checks.encodedCount(suggestedCount)
                }
            )
        case .thumbnails(let call): call.wire
        case .bookmark(let call): call.wire
        case .tools(let call): call.wire
        case .transfers(let call): call.wire
        case .safeguards(let call): call.wire
        }
    }
}
