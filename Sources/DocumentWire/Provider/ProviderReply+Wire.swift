package import DocumentModel
import SwiftProtobuf

extension ProviderReply {
    /// Reads and checks a serialised `ProviderAnswer`.
    ///
    /// - Parameters:
    ///   - call: what was asked, for the words of an error.
    ///   - provider: who answers, for the same.
    /// - Throws: `protocolViolation` for bytes that are none, `unimplemented` for an answer of an unknown kind, or of
    ///   none, `contractBroken` for one that tells something impossible; the cause says what.
    package init(
        serialized bytes: [UInt8], to call: ProviderCall?, of provider: String = anyProvider
    ) throws(DocumentError) {
        let answer: WireProviderProviderAnswer
        do {
            answer = try WireProviderProviderAnswer.decoded(from: bytes, as: "An answer")
        } catch {
            throw DocumentError(
                error.code,
                "\(provider) sent an answer of \(bytes.count) bytes that does not follow the protocol. \(Self.advice)",
                detail: error.detail)
        }
        guard let answer = answer.answer else { throw Self.unknown(bytes, to: call, of: provider) }
        self = try blaming(.contractBroken, Self.blame(provider)) { () throws(DocumentError) in try Self(answer) }
    }

    /// For messages, where it does not matter which provider it is.
    package static let anyProvider = "The provider"

    /// The same of an answer to whatever was asked.
    package init(serialized bytes: [UInt8]) throws(DocumentError) { try self.init(serialized: bytes, to: nil) }

    /// Nothing of it is known. A message that is not empty then has a field of a later version.
    private static func unknown(_ bytes: [UInt8], to call: ProviderCall?, of provider: String) -> DocumentError {
        let wanted = call.map { "; `\(CallName.of($0))` was expected" } ?? ""
        guard let field = CallName.firstField(of: bytes) else {
            return DocumentError(
                .unimplemented, "\(provider) sent an answer with no field set\(wanted). \(Self.advice)")
        }
        return DocumentError(
            .unimplemented,
            "\(provider) sent an answer with only field \(field), which this host does not know\(wanted). If the provider is newer than the host, update the host."
        )
    }

    static func blame(_ provider: String = anyProvider) -> String {
        "\(provider) told something that cannot be. \(advice)"
    }

    /// For those who use a provider; its author knows.
    package static let advice = "Report this to the provider's author."

    private init(_ answer: WireProviderProviderAnswer.OneOf_Answer) throws(DocumentError) {
        switch answer {
        case .identity(let answer):
            self = .identity(
                try ProviderIdentifier(answer.providerID),
                version: Checks.displayable(answer.version, limit: 128)
            )
        case .item(let answer): self = .item(try Item(answer.item))
        case .enumerate(let answer):
            self = .enumerate(
                ItemPage(
                    items: try mapped(answer.items, Item.init),
                    next: answer.nextPage.isEmpty ? nil : try PageToken(Array(answer.nextPage))
                )
            )
        case .providePlaceholder: self = .providePlaceholder
        case .startProviding(let answer): self = .startProviding(try ProvidedContents(answer))
        case .itemChanged: self = .itemChanged
        case .stopProviding: self = .stopProviding
        case .identifierForPath(let answer):
            self = .identifierForPath(answer.id.isEmpty ? nil : try ItemIdentifier(answer.id))
        case .pathForIdentifier(let answer):
            self = .pathForIdentifier(answer.found ? try Checks.relativePath(answer.path) : nil)
        case .create(let answer): self = .create(try Item(answer.item))
        case .modify(let answer): self = .modify(try Item(answer.item))
        case .delete: self = .delete
        case .currentAnchor(let answer): self = .currentAnchor(try SyncAnchor(Array(answer.anchor)))
        case .changesSince(let answer):
            self = .changesSince(
                ItemChanges(
                    updated: try mapped(answer.updated, Item.init),
                    deleted: try mapped(answer.deletedIds, ItemIdentifier.init),
                    anchor: try SyncAnchor(Array(answer.anchor)),
                    more: answer.more
                )
            )
        case .provideRange(let answer): self = .provideRange(try Item(answer.item))
        case .preparePicker(let answer): self = .preparePicker(try PickerPresentation(answer))
        case .validateChoice: self = .validateChoice
        case .endPicker: self = .endPicker
        case .thumbnails(let answer):
            self = .thumbnails(try mapped(answer.thumbnails, ProvidedThumbnail.init))
        case .listVersions(let answer):
            guard answer.versions.count <= ProvidedVersion.mostOfOneDocument else {
                throw Checks.refusal("\(answer.versions.count) versions of a document are too many.")
            }
            self = .listVersions(try mapped(answer.versions, ProvidedVersion.init))
        case .provideVersion(let answer): self = .provideVersion(try ProvidedVersion(answer.version))
        case .keepVersion(let answer): self = .keepVersion(try ProvidedVersion(answer.version))
        case .removeVersion: self = .removeVersion
        case .quota(let answer): self = .quota(try RemoteQuota(answer))
        }
    }

    package func serialized() -> [UInt8] {
        var message = WireProviderProviderAnswer()
        message.answer = answer
        return message.encoded()
    }

    private var answer: WireProviderProviderAnswer.OneOf_Answer {
        switch self {
        case .identity(let id, let version):
            .identity(
                .with {
                    $0.providerID = id.rawValue
                    $0.version = version
                }
            )
        case .item(let item): .item(.with { $0.item = WireModelItem(item) })
        case .enumerate(let page):
            .enumerate(
                .with {
                    $0.items = page.items.map(WireModelItem.init)
                    $0.nextPage = collected(page.next?.bytes ?? [])
                }
            )
        case .providePlaceholder: .providePlaceholder(WireProviderDone())
        case .startProviding(let provided):
            .startProviding(
                .with {
                    $0.item = WireModelItem(provided.item); $0.sha256 = collected(provided.sha256 ?? [])
                })
        case .itemChanged: .itemChanged(WireProviderDone())
        case .stopProviding: .stopProviding(WireProviderDone())
        case .identifierForPath(let id): .identifierForPath(.with { $0.id = id?.rawValue ?? "" })
        case .pathForIdentifier(let path):
            .pathForIdentifier(
                .with {
                    $0.found = path != nil
                    $0.path = path ?? ""
                }
            )
        case .create(let item): .create(.with { $0.item = WireModelItem(item) })
        case .modify(let item): .modify(.with { $0.item = WireModelItem(item) })
        case .delete: .delete(WireProviderDone())
        case .currentAnchor(let anchor): .currentAnchor(.with { $0.anchor = collected(anchor.bytes) })
        case .changesSince(let changes):
            .changesSince(
                .with {
                    $0.updated = changes.updated.map(WireModelItem.init)
                    $0.deletedIds = changes.deleted.map(\.rawValue)
                    $0.anchor = collected(changes.anchor.bytes)
                    $0.more = changes.more
                }
            )
        case .provideRange(let item): .provideRange(.with { $0.item = WireModelItem(item) })
        case .preparePicker(let presentation): .preparePicker(WireProviderPreparePickerAnswer(presentation))
        case .validateChoice: .validateChoice(WireProviderDone())
        case .endPicker: .endPicker(WireProviderDone())
        case .thumbnails(let thumbnails):
            .thumbnails(.with { $0.thumbnails = thumbnails.map(WireProviderProvidedThumbnail.init) })
        case .listVersions(let versions):
            .listVersions(.with { $0.versions = versions.map(WireProviderProvidedVersion.init) })
        case .provideVersion(let version):
            .provideVersion(.with { $0.version = WireProviderProvidedVersion(version) })
        case .keepVersion(let version): .keepVersion(.with { $0.version = WireProviderProvidedVersion(version) })
        case .removeVersion: .removeVersion(WireProviderDone())
        case .quota(let quota): .quota(WireProviderGetQuotaAnswer(quota))
        }
    }
}
