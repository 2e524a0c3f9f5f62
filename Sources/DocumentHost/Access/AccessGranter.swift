import DocumentModel
import DocumentStorage
import FileCoordination
import Logging
import ProviderLauncher

/// Coordinated reads and writes of host tools: claim first, then contents, then the path (COORD-9, DOWN-2).
struct AccessGranter: Sendable {
    struct Grant: Sendable {
        let number: UInt64
        let item: IndexedItem
    }

    let storage: StorageThreads
    let broker: CoordinationBroker
    let accesses: AccessTable
    let domains: DomainRegistry
    let resolver: ItemResolver
    let follower: ChangeFollower
    let materialiser: Materialiser
    let sender: Sender
    let work: WorkGroup
    let logger: Logger

    func begin(
        _ request: AccessRequest, on domain: Domain, by owner: ClaimOwner,
        onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> Grant {
        try await follower.freshen(domain)
        var item = try await resolver.resolve(request.location, in: domain)
        try check(item, request, domain)
        let nested = accesses.held(request.nestedIn, by: owner)
        if item.state == .outdated, !request.metadataOnly {
            try await replaceOutdated(item, on: domain, by: owner, nestedIn: nested, onProgress: onProgress)
        }
        let intent: ClaimIntent = request.intent == .reading ? .reading : .writing(request.writingOption)
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) }, for: intent, by: owner, purpose: request.purpose,
            nestedIn: nested)
        do throws(DocumentError) {
            // While it waited, the item may have been renamed, sent, or removed (COORD-7).
            guard let now = try storage.read({ try $0.item(item.id, in: domain.name) }), !now.isGone || now.isUnsent
            else {
                throw DocumentError(.noSuchItem, "\(request.location) was removed while you waited for it.")
            }
            item = now
            if needsContents(request), item.item.kind == .document, !item.isCurrent, item.state != .outdated {
                item = try await materialiser.materialise(item, of: domain, onProgress: onProgress)
            }
            var change: JournalEntry?
            if request.intent == .writing, item.item.kind == .document {
                let id = item.id
                change = try await storage.run { try $0.expectChange(of: id, in: domain.name) }
            }
            accesses.insert(Access(claim: claim, owner: owner, key: item.key, change: change))
            return Grant(number: claim.rawValue, item: item)
        } catch {
            broker.end(claim)
            throw error
        }
    }

    /// - Throws: `invalidArgument` when the tool holds no such access.
    func end(_ number: UInt64, by owner: ClaimOwner) async throws(DocumentError) {
        guard let access = accesses.remove(ClaimID(number), of: owner) else {
            throw DocumentError(.invalidArgument, "Access \(number) is not held; it was ended before.")
        }
        try await end(access)
    }

    /// A tool's connection has ended, and all that it held with it (COORD-8). What it wrote counts.
    func endAll(of owner: ClaimOwner) {
        let ended = accesses.removeAll(of: owner)
        // Those that wait end by their tasks' cancellation; those that are held end when their changes are recorded.
        for access in ended {
            work.add { [self] in
                do throws(DocumentError) {
                    try await end(access)
                } catch {
                    logger.error(
                        "what a tool wrote before it ended could not be recorded",
                        metadata: [
                            "domain": "\(access.key.domain)", "item.id": "\(access.key.id)", "error": "\(error)",
                        ])
                }
            }
        }
    }

    private func end(_ access: Access) async throws(DocumentError) {
        defer {
            broker.end(access.claim)
            stopProviding(access.key)
        }
        guard let change = access.change else { return }
        let item = try await storage.run { try $0.recordChange(change) }
        if item.state == .changed { sender.enqueue(access.key) }
    }

    /// PROV-10: the last claim of any process is gone. A provider that does not run has nothing to drop.
    private func stopProviding(_ key: ItemKey) {
        guard !broker.isClaimed(key), let domain = domains.find(key.domain),
            domain.isRunning
        else { return }
        work.add { [self] in
            guard !broker.isClaimed(key) else { return }
            do throws(DocumentError) {
                try await domain.provider.stopProviding(key.id)
            } catch {
                logger.debug("stopProviding failed", metadata: ["item.id": "\(key.id)", "error": "\(error)"])
            }
        }
    }

    /// The file that others may be reading is replaced only when nobody reads it any more.
    private func replaceOutdated(
        _ item: IndexedItem, on domain: Domain, by owner: ClaimOwner, nestedIn: Set<ClaimID>,
        onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) {
        let claim: ClaimID
        do throws(DocumentError) {
            claim = try await broker.claim(
                try storage.read { try $0.coordinated(item) }, for: .writing(.forReplacing), by: owner,
                nestedIn: nestedIn)
        } catch {
            // Asked for inside the tool's own access: what is here has to do until that one ends.
            guard error.code == .deadlock else { throw error }
            return
        }
        defer { broker.end(claim) }
        do throws(DocumentError) {
            _ = try await materialiser.materialise(item, of: domain, onProgress: onProgress)
        } catch {
            // Offline: an older version that is here is better than none, and the tool is told the state.
            guard error.code.errorClass == .resolvable || error.code == .providerUnavailable else { throw error }
            logger.notice("an outdated document is used", metadata: ["item.id": "\(item.id)", "error": "\(error)"])
        }
    }

    private func needsContents(_ request: AccessRequest) -> Bool {
        guard !request.metadataOnly else { return false }
        switch request.writingOption {
        case .forDeleting, .forMoving, .forReplacing, .contentIndependentMetadataOnly: return false
        case nil, .forMerging: return true
        }
    }

    private func check(_ item: IndexedItem, _ request: AccessRequest, _ domain: Domain) throws(DocumentError) {
        try domain.require([.open, .import], for: "opened")
        guard item.state != .nameClash else {
            throw DocumentError(
                .nameClash,
                "\(request.location) cannot be shown here, because another name in its folder is the same but for case or Unicode form; rename one of them on the remote."
            )
        }
        guard request.intent == .writing else { return }
        try domain.require([.open], for: "edited")
        try domain.requireModifying(request.location)
        guard item.item.kind == .document else {
            throw DocumentError(.invalidArgument, "\(request.location) is a folder; only documents can be edited.")
        }
        guard item.item.capabilities.contains(.write) else {
            throw DocumentError(.notPermitted, "\(request.location) is read-only on the remote.")
        }
    }
}
