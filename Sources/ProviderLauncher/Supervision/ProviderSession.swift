package import DocumentModel
package import DocumentWire

/// Asks a provider, whichever process serves just now.
package protocol ProviderCalling: Sendable {
    /// Who it is, at the beginning of a sentence: `The provider Photos (org.example.photos)`.
    var provider: String { get }

    /// - Returns: an answer of the kind that the call asks for.
    func call(
        _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> ProviderReply

    /// What it answered cannot be: that is kept for its author. It may go on.
    func noteBroken(_ finding: DocumentError)
}

/// The typed front of a domain's provider: one method a call of `docent.provider.v1`.
package struct ProviderSession: Sendable {
    package typealias ProgressHandler = @Sendable (TransferProgress?) -> Void

    private let caller: any ProviderCalling

    package init(_ caller: any ProviderCalling) {
        self.caller = caller
    }

    /// For sentences about it.
    package var name: String { caller.provider }

    /// It did what no provider may do. A record is kept of it.
    ///
    /// - Parameter deed: what it did, in the past, without a full stop: `made a folder of “a.txt”`.
    package func broken(_ deed: String, causes: [String] = []) -> DocumentError {
        let error = fault(deed, causes)
        caller.noteBroken(error)
        return error
    }

    private func fault(_ deed: String, _ causes: [String]) -> DocumentError {
        DocumentError(.contractBroken, "\(name) \(deed). \(ProviderReply.advice)", causes: causes)
    }

    /// The same of what was found out about its work by somebody who does not know whose it is; other errors as they are.
    package func blamed(for error: DocumentError) -> DocumentError {
        guard error.code == .contractBroken else { return error }
        var error = error
        error.message = "\(name) did not do what it said. \(error.message) \(ProviderReply.advice)"
        caller.noteBroken(error)
        return error
    }

    package func item(_ id: ItemIdentifier) async throws(DocumentError) -> Item {
        guard case .item(let item) = try await ask(.item(id)) else { throw wrongKind }
        return item
    }

    package func enumerate(
        _ container: ItemIdentifier, page: PageToken? = nil, suggestedCount: Int
    ) async throws(DocumentError) -> ItemPage {
        let call = ProviderCall.enumerate(container: container, page: page, suggestedCount: suggestedCount)
        guard case .enumerate(let page) = try await ask(call) else { throw wrongKind }
        return page
    }

    /// The provider asks the host to write the placeholder before this returns.
    package func providePlaceholder(_ id: ItemIdentifier) async throws(DocumentError) {
        guard case .providePlaceholder = try await ask(.providePlaceholder(id)) else { throw wrongKind }
    }

    /// - Parameters:
    ///   - contentVersion: empty for the current one.
    ///   - onProgress: nil is a heartbeat. Must not block.
    /// - Returns: what lies in the staging file now.
    package func startProviding(
        _ id: ItemIdentifier, stagingPath: String, contentVersion: [UInt8] = [], onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ProvidedContents {
        let call = ProviderCall.startProviding(id, stagingPath: stagingPath, contentVersion: contentVersion)
        guard case .startProviding(let provided) = try await ask(call, onProgress) else { throw wrongKind }
        return provided
    }

    /// A part of a document's contents.
    ///
    /// - Returns: the item in the version that it is of.
    /// - Throws: `contractBroken` when it gives something else.
    package func provideRange(
        _ call: ProviderCall.RangeCall, onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> Item {
        let reply = try await ask(.provideRange(call), onProgress)
        guard case .provideRange(let item) = reply else { throw wrongKind }
        do throws(DocumentError) {
            try reply.check(answers: .provideRange(call))
        } catch {
            throw broken("gave something else than the part of a document that it was asked for", causes: error.causes)
        }
        return item
    }

    package func itemChanged(_ id: ItemIdentifier) async throws(DocumentError) {
        guard case .itemChanged = try await ask(.itemChanged(id)) else { throw wrongKind }
    }

    package func stopProviding(_ id: ItemIdentifier) async throws(DocumentError) {
        guard case .stopProviding = try await ask(.stopProviding(id)) else { throw wrongKind }
    }

    /// - Returns: nil when nothing is there.
    package func identifier(forPath path: String) async throws(DocumentError) -> ItemIdentifier? {
        guard case .identifierForPath(let id) = try await ask(.identifierForPath(path)) else { throw wrongKind }
        return id
    }

    package func path(forIdentifier id: ItemIdentifier) async throws(DocumentError) -> String? {
        guard case .pathForIdentifier(let path) = try await ask(.pathForIdentifier(id)) else { throw wrongKind }
        return path
    }

    package func create(
        _ call: ProviderCall.CreateCall, onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> Item {
        guard case .create(let item) = try await ask(.create(call), onProgress) else { throw wrongKind }
        return item
    }

    package func modify(
        _ call: ProviderCall.ModifyCall, onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> Item {
        guard case .modify(let item) = try await ask(.modify(call), onProgress) else { throw wrongKind }
        return item
    }

    package func delete(_ call: ProviderCall.DeleteCall) async throws(DocumentError) {
        guard case .delete = try await ask(.delete(call)) else { throw wrongKind }
    }

    package func currentAnchor() async throws(DocumentError) -> SyncAnchor {
        guard case .currentAnchor(let anchor) = try await ask(.currentAnchor) else { throw wrongKind }
        return anchor
    }

    package func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws(DocumentError) -> ItemChanges {
        let call = ProviderCall.changesSince(anchor, suggestedCount: suggestedCount)
        guard case .changesSince(let changes) = try await ask(call) else { throw wrongKind }
        return changes
    }

    /// Thumbnails of several items. What is wrong with one of them costs that one only.
    ///
    /// - Returns: of those that it answered; the others are to be asked for again.
    /// - Throws: `contractBroken` when it answers something else than it was asked.
    package func thumbnails(
        _ call: ProviderCall.ThumbnailsCall, onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> [ItemIdentifier: ThumbnailOutcome] {
        let reply = try await ask(.thumbnails(call), onProgress)
        guard case .thumbnails(let given) = reply else { throw wrongKind }
        do throws(DocumentError) {
            try reply.check(answers: .thumbnails(call))
        } catch {
            throw broken("gave something else than the thumbnails that it was asked for", causes: error.causes)
        }
        var outcomes: [ItemIdentifier: ThumbnailOutcome] = [:]
        var isNoted = false
        for answer in given {
            do throws(DocumentError) {
                outcomes[answer.id] = try answer.outcome(for: call)
            } catch {
                let fault = fault("gave a thumbnail that is none", error.causes)
                // One record an answer, however much is wrong with it.
                if !isNoted { caller.noteBroken(fault) }
                isNoted = true
                outcomes[answer.id] = .failed(fault)
            }
        }
        return outcomes
    }

    /// The versions that the remote keeps of a document beside its contents: none of them twice.
    ///
    /// - Throws: `contractBroken` when it lists what cannot be.
    package func versions(of id: ItemIdentifier) async throws(DocumentError) -> [ProvidedVersion] {
        guard case .listVersions(let versions) = try await checked(.listVersions(id), "listed versions that cannot be")
        else { throw wrongKind }
        return versions
    }

    /// - Returns: what lies in the staging file now.
    package func provideVersion(
        _ call: ProviderCall.ProvideVersionCall, onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ProvidedVersion {
        let reply = try await checked(.provideVersion(call), "gave another version than it was asked for", onProgress)
        guard case .provideVersion(let version) = reply else { throw wrongKind }
        return version
    }

    /// - Returns: what is kept; of a repeated call what was kept by the first.
    package func keepVersion(
        _ call: ProviderCall.KeepVersionCall, onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ProvidedVersion {
        let reply = try await checked(.keepVersion(call), "kept something else than it was given", onProgress)
        guard case .keepVersion(let version) = reply else { throw wrongKind }
        if let digest = version.sha256, digest != call.sha256 {
            throw broken("was given contents to keep, and says that it keeps others")
        }
        return version
    }

    package func removeVersion(_ versionID: String, of id: ItemIdentifier) async throws(DocumentError) {
        guard case .removeVersion = try await ask(.removeVersion(id, versionID: versionID)) else { throw wrongKind }
    }

    private func checked(
        _ call: ProviderCall, _ deed: String, _ onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ProviderReply {
        let reply = try await ask(call, onProgress)
        do throws(DocumentError) {
            try reply.check(answers: call)
        } catch {
            throw broken(deed, causes: error.causes)
        }
        return reply
    }

    /// How much room its remote has, as far as that says.
    package func quota() async throws(DocumentError) -> RemoteQuota {
        guard case .quota(let quota) = try await ask(.quota) else { throw wrongKind }
        return quota
    }

    package func preparePicker(_ picker: ProviderCall.PickerCall) async throws(DocumentError) -> PickerPresentation {
        guard case .preparePicker(let presentation) = try await ask(.preparePicker(picker)) else { throw wrongKind }
        return presentation
    }

    package func validate(
        _ choice: PickerChoice, for picker: ProviderCall.PickerCall
    ) async throws(DocumentError) {
        guard case .validateChoice = try await ask(.validateChoice(choice, picker)) else { throw wrongKind }
    }

    package func endPicker(session: String) async throws(DocumentError) {
        guard case .endPicker = try await ask(.endPicker(session: session)) else { throw wrongKind }
    }

    private func ask(
        _ call: ProviderCall, _ onProgress: ProgressHandler? = nil
    ) async throws(DocumentError) -> ProviderReply {
        try await caller.call(call, onProgress: onProgress)
    }

    private var wrongKind: DocumentError {
        DocumentError(
            .protocolViolation, "\(name) answered a question that was not asked. \(ProviderReply.advice)")
    }
}
