import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import ProviderLauncher
import SystemPackage

/// Documents that their provider does not have: those that were made here (CONT-7), and edits of what is gone there (VER-15).
extension Delivery {
    enum AroundDocument {
        case known
        /// It is made anew first, unless the provider has it all the same.
        case gone
    }

    private static var mostNames: Int { 20 }

    /// Makes a document at the provider; beside what has its name there by now, under a name that says so.
    ///
    /// - Parameters:
    ///   - modified: when its contents count as written.
    ///   - isAnew: the provider had it before. By the operation's own name it may have taken a change of that.
    ///   - settling: `refusing`: what has its name there with other contents is a change of the remote's (VER-14).
    ///   - isUnanswered: is set when the provider was asked, and has not answered.
    func make(
        _ sending: Sending, modified: Timestamp?, inFolder folder: AroundDocument = .known, isAnew: Bool = false,
        settling: Settling = .keepingBoth, with turn: ProviderTurn, _ isUnanswered: Flag = Flag()
    ) async throws(DocumentError) {
        guard let parent = sending.item.item.parentID, let name = sending.item.item.name else {
            throw DocumentError(.internal, "\(sending.location) is in no folder.")
        }
        var call = ProviderCall.CreateCall(
            parentID: parent, name: name, kind: sending.item.item.kind, contentsPath: sending.snapshot.path.string,
            modified: modified, operation: isAnew ? "\(sending.operation)-anew" : sending.operation)
        let operation = call.operation
        // Beside what had its name there when the provider was asked first: by then nothing may have it any more.
        var attempt = sending.attempt
        let first = attempt
        if first > 0 { (call.name, call.operation) = try Self.beside(sending, name, operation, first) }
        let session = turn.session
        let heard = try made.heard(of: sending.item.domain)
        var isFolderGone = folder == .gone
        var mayBeGone = true
        if !sending.entry.payload.isMaking { try await storage.run { try $0.noteMaking(sending, attempt: first) } }
        while true {
            do throws(DocumentError) {
                if isFolderGone {
                    (isFolderGone, mayBeGone) = (false, false)
                    call.parentID = try await folders.revive(
                        parent, around: sending.item, for: sending.operation, with: session)
                }
                let item = try await create(call, for: sending.location, with: turn, isUnanswered)
                guard item.kind == call.kind else {
                    throw session.broken("made a \(item.kind) of \(sending.location)")
                }
                guard sending.entry.payload.mayBeOthers, let made = try await compared(item, with: sending, turn) else {
                    return try await record(sending, asNew: item, since: heard, with: session, isUnanswered)
                }
                return try await record(
                    sending.compared, asNew: made.item, having: made.earlier, since: heard, with: session, isUnanswered)
            } catch {
                switch error.code {
                case .noSuchItem where mayBeGone: isFolderGone = true
                case .nameCollision where attempt < Self.mostNames:
                    if attempt == first,
                        let found = try await same(as: sending, named: call.name, in: call.parentID, with: turn)
                    {
                        return try await record(
                            sending.compared, asNew: found.item, having: found.earlier, since: heard, with: session,
                            isUnanswered)
                    }
                    guard settling != .refusing else { throw Self.nameIsTaken(sending, because: error) }
                    attempt += 1
                    (call.name, call.operation) = try Self.beside(sending, name, operation, attempt)
                    let next = attempt
                    try await storage.run { try $0.noteMaking(sending, attempt: next) }
                default: throw error
                }
            }
        }
    }

    private static func beside(
        _ sending: Sending, _ name: ItemName, _ operation: String, _ attempt: Int
    ) throws(DocumentError) -> (name: ItemName, operation: String) {
        let date = ConflictName.date(of: sending.snapshot.source?.modified ?? .zero)
        return (try ConflictName.make(for: name, at: date, attempt: attempt), "\(operation)-\(attempt)")
    }

    private static func nameIsTaken(_ sending: Sending, because refusal: DocumentError) -> DocumentError {
        let place = sending.location
        return DocumentError(
            .localVersionConflicting,
            "\(place) was made here, and the remote has another item of that name: nothing was sent. Rename one of them, or docent resume \(place) sends it under a name of its own.",
            causes: [refusal.message])
    }

    private func create(
        _ call: ProviderCall.CreateCall, for place: Location, with turn: ProviderTurn, _ isUnanswered: Flag
    ) async throws(DocumentError) -> Item {
        try await turn.taken(for: place) { session throws(DocumentError) in
            try await onceMoreAfterDeath(noting: isUnanswered) { () async throws(DocumentError) in
                try await session.create(call)
            }
        }
    }

    /// What has the name at the provider, when its contents are the same: an earlier answer was lost, or somebody else
    /// has put the same document there (VER-15).
    ///
    /// - Returns: with its contents where they were sent from here before, and the answer was lost: what is sent now began from
    ///   them.
    /// - Throws: `busy` when it is the very document that was said to be gone: it is not made anew, but compared.
    private func same(
        as sending: Sending, named name: ItemName, in parent: ItemIdentifier, with turn: ProviderTurn
    ) async throws(DocumentError) -> (item: Item, earlier: StagedFile?)? {
        let listed: Item?
        do throws(DocumentError) {
            listed = try await folders.existing(name, of: sending.item, in: parent, turn.session)
        } catch {
            try Self.requireAnswer(error, for: sending)
            return nil
        }
        guard let found = listed else { return nil }
        guard found.id != sending.item.id else {
            throw DocumentError(
                .busy, "\(sending.location) was removed on the remote and is there again; it is looked at anew.")
        }
        // What has contents of its own here is a document of its own.
        guard try storage.read({ try $0.item(found.id, in: sending.item.domain) })?.local == nil else { return nil }
        let mayBeEarlier = try storage.read { try $0.hasUnanswered(of: sending.item) }
        guard found.size == nil || found.size == sending.snapshot.identity.size || mayBeEarlier else { return nil }
        do throws(DocumentError) {
            return try await fetch(found.id, toCompareWith: sending, turn)
        } catch {
            try Self.requireAnswer(error, for: sending)
            return nil
        }
    }

    /// What was made by a name under which other contents were asked for before: it has those, or what is sent now. As long as that
    /// cannot be looked up, it is asked for again.
    ///
    /// - Returns: nil when it has neither, and others have changed it; or nobody gives it away.
    private func compared(
        _ made: Item, with sending: Sending, _ turn: ProviderTurn
    ) async throws(DocumentError) -> (item: Item, earlier: StagedFile?)? {
        do throws(DocumentError) {
            let found = try await fetch(made.id, toCompareWith: sending, turn)
            return found?.item.id == made.id ? found : nil
        } catch {
            try Self.requireAnswer(error, for: sending)
            return nil
        }
    }

    /// Nobody gives away what is there.
    private static let withheld: Set<DocumentError.Code> = [
        .notPermitted, .unimplemented, .cannotSynchronize, .excludedFromSync,
    ]

    /// What could not be looked at, or came damaged, is not known to be another: it is asked for again.
    ///
    /// - Throws: whatever says nothing of what is there. Returns when nobody gives it away, or it is gone.
    private static func requireAnswer(_ error: DocumentError, for sending: Sending) throws(DocumentError) {
        let (code, kind) = (error.code, error.code.errorClass)
        guard kind != .definitive, !withheld.contains(code) else { return }
        guard code == .contractBroken || (kind == .caller && code != .cancelled) else { throw error }
        throw DocumentError(
            .busy, "What the remote has of \(sending.location) could not be looked at: \(error.message)",
            itemID: sending.item.id)
    }

    /// - Returns: nil when the contents are neither those that are sent nor those that they began from.
    private func fetch(
        _ id: ItemIdentifier, toCompareWith sending: Sending, _ turn: ProviderTurn
    ) async throws(DocumentError) -> (item: Item, earlier: StagedFile?)? {
        let (request, file) = try await storage.run { store throws in
            let request = try store.root.staging.makeRequest(.fetching(sending.item.domain))
            return (request, try request.makeFile())
        }
        do throws(DocumentError) {
            let provided = try await turn.taken(for: sending.location) { session throws(DocumentError) in
                try await session.startProviding(
                    id, stagingPath: file.path.string, contentVersion: [], onProgress: { _ in })
            }
            let item = provided.item
            return try await storage.run { store in
                let stamp = ItemStamp(
                    domain: sending.item.domain, id: item.id, contentVersion: item.version.content,
                    size: item.size ?? 0, modified: item.modified)
                let verified = try request.verify(file, size: item.size, sha256: provided.sha256, stamp: stamp)
                let isSame = try store.root.staging.haveSameContents(verified, sending.snapshot)
                if try !isSame && store.isBase(of: sending, verified) { return (item, verified) }
                try request.remove()
                return isSame ? (item, nil) : nil
            }
        } catch {
            _ = try? await storage.run { _ in try request.remove() }
            throw error
        }
    }
}
