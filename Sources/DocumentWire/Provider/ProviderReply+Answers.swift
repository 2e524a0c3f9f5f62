package import DocumentModel

extension ProviderReply {
    /// Whether it is the kind of answer that the call asks for.
    package func fits(_ call: ProviderCall) -> Bool {
        switch (call, self) {
        case (.identity, .identity), (.item, .item), (.enumerate, .enumerate),
            (.providePlaceholder, .providePlaceholder), (.startProviding, .startProviding),
            (.itemChanged, .itemChanged), (.stopProviding, .stopProviding), (.identifierForPath, .identifierForPath),
            (.pathForIdentifier, .pathForIdentifier), (.create, .create), (.modify, .modify), (.delete, .delete),
            (.currentAnchor, .currentAnchor), (.changesSince, .changesSince), (.provideRange, .provideRange),
            (.preparePicker, .preparePicker), (.validateChoice, .validateChoice), (.endPicker, .endPicker),
            (.thumbnails, .thumbnails), (.listVersions, .listVersions), (.provideVersion, .provideVersion),
            (.keepVersion, .keepVersion), (.removeVersion, .removeVersion), (.quota, .quota):
            true
        default:
            false
        }
    }

    /// Checks, at the host, that it answers the call: the right kind, about the item that was asked for, within the
    /// sizes that were agreed (PROV-21).
    ///
    /// - Throws: `contractBroken`.
    package func check(answers call: ProviderCall) throws(DocumentError) {
        guard fits(call) else {
            throw Self.broken(
                "The provider was asked `\(CallName.of(call))` and answered with `\(CallName.of(self))`.")
        }
        switch (call, self) {
        case (.item(let id), .item(let item)): try Self.checkIdentifier(of: item, asked: id)
        case (.startProviding(let id, _, _), .startProviding(let provided)):
            try Self.checkIdentifier(of: provided.item, asked: id)
        case (.provideRange(let range), .provideRange(let item)):
            try Self.checkIdentifier(of: item, asked: range.id)
            guard item.version.content == range.contentVersion else {
                throw Self.broken(
                    "The provider was asked for a part of one version of contents, and gave one of another.")
            }
        case (.thumbnails(let call), .thumbnails(let given)):
            if let finding = call.fault(of: given) { throw Self.broken(finding) }
        case (.listVersions, .listVersions(let versions)):
            if let finding = ProviderCall.fault(of: versions) { throw Self.broken(finding) }
        case (.provideVersion(let call), .provideVersion(let version)):
            guard version.id == call.versionID else {
                throw Self.broken(
                    "The provider was asked for the version “\(call.versionID)” and gave “\(version.id)”.")
            }
        case (.keepVersion(let call), .keepVersion(let version)):
            guard version.role == call.role else {
                throw Self.broken("The provider keeps a version as something else than it was given as.")
            }
        case (.enumerate(let container, _, let count), .enumerate(let page)):
            try Self.checkCount(page.items.count, suggested: count)
            guard let stray = page.items.first(where: { $0.parentID != container }) else { return }
            throw Self.broken(
                "The provider listed “\(stray.name?.rawValue ?? stray.id.rawValue)” in the folder “\(container)”, where it says that it is not."
            )
        case (.changesSince(_, let count), .changesSince(let changes)):
            try Self.checkCount(changes.updated.count + changes.deleted.count, suggested: count)
        default:
            break
        }
    }

    /// Checks, at the host, that a page is not larger than it may be (PROV-21), before anything is done with it.
    ///
    /// - Throws: `contractBroken`.
    package func checkSize(
        asAnswerTo call: ProviderCall, of provider: String = anyProvider
    ) throws(DocumentError) {
        switch (call, self) {
        case (.enumerate(_, _, let count), .enumerate(let page)):
            try Self.checkCount(page.items.count, suggested: count, of: provider)
        case (.changesSince(_, let count), .changesSince(let changes)):
            try Self.checkCount(changes.updated.count + changes.deleted.count, suggested: count, of: provider)
        default: break
        }
    }

    private static func checkIdentifier(of item: Item, asked id: ItemIdentifier) throws(DocumentError) {
        guard item.id == id else {
            throw broken("The provider was asked for the item “\(id)” and answered with “\(item.id)”.")
        }
    }

    private static func checkCount(
        _ count: Int, suggested: Int, of provider: String = anyProvider
    ) throws(DocumentError) {
        let most = suggested * Checks.pageFactor
        guard count <= most else {
            throw broken(
                "The provider answered with a page of \(count) entries, where at most \(most) are allowed.",
                of: provider)
        }
    }

    private static func broken(_ finding: String, of provider: String = anyProvider) -> DocumentError {
        DocumentError(.contractBroken, blame(provider), causes: [finding])
    }
}
