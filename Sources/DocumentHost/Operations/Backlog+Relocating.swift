import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher

/// Documents and folders that were given other places here.
extension Backlog {
    /// Has the provider move an item to where it is here. What was moved at the remote meanwhile goes to there.
    ///
    /// - Returns: why it was not told.
    func relocate(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) -> Untold? {
        guard let now = try storage.read({ try $0.open(entry) }) else { return nil }
        guard let item = try storage.read({ try $0.subject(of: now, in: now.domain) }) else {
            try await close(now, on: domain)
            return nil
        }
        // It was moved while it was made there, perhaps.
        if item.isArriving { return .awaitsFolder }
        if try isAnythingUnderWay(in: item) {
            return .failed(
                DocumentError(.busy, "Something in the folder that was moved is just being sent or brought."))
        }
        // Others do not wait while it is sent or brought.
        let told = try await locks.withLockIfFree(item.key) { () async throws(DocumentError) -> Bool in
            try await relocateLocked(entry, on: domain)
        }
        switch told {
        case nil: return .failed(DocumentError(.busy, "The item that was moved is just being sent or brought."))
        case false?: return .awaitsFolder
        case true?: return nil
        }
    }

    /// Whether a provider is at work on something in a folder that it may know by another identifier when that was moved.
    private func isAnythingUnderWay(in folder: IndexedItem) throws(DocumentError) -> Bool {
        guard folder.item.kind != .document else { return false }
        // What a host that is gone was about is nobody's work, and is asked for anew when this was told.
        return try storage.read { try $0.present(within: folder.id, in: folder.domain) }.contains { item in
            [.sending, .materialising].contains(item.state) && locks.isHeld(item.key)
        }
    }

    /// - Returns: false when its folder is still to be sent, and nothing was asked.
    private func relocateLocked(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) -> Bool {
        // It may have got another identifier since, as its folders may, or be settled.
        guard let entry = try storage.read({ try $0.open(entry) }) else { return true }
        guard let item = try storage.read({ try $0.subject(of: entry, in: entry.domain) }),
            let parentID = entry.payload.parentID, let name = entry.payload.name
        else {
            try await close(entry, on: domain)
            return true
        }
        let staysThere = try isToStay(item, in: parentID, as: name, entry)
        guard !item.isGone || staysThere else {
            try await close(entry, on: domain)
            return true
        }
        guard let folder = try storage.read({ try $0.item(parentID, in: entry.domain) }), !folder.isGone || staysThere
        else {
            // The remote has removed it: the item is where it was.
            try await finish(entry, item, as: try await asItIs(item, entry, on: domain), on: domain)
            return true
        }
        guard !folder.isArriving else { return false }
        let there = try await place(item, in: folder.id, as: name, entry, on: domain)
        try await finish(entry, item, as: there, on: domain)
        return true
    }

    /// The item is not known any more. It may have gone with the folder that it was moved into here, while its provider
    /// has it where it was, and tells of it no more.
    private func close(_ entry: JournalEntry, on domain: Domain) async throws(DocumentError) {
        var there: Item?
        if let id = entry.itemID, !id.isArriving { there = try await lookIfAllowed(id, on: domain) }
        try await storage.run { try $0.finishRelocating(entry, as: nil, since: nil) }
        if let there { _ = try await treeWork.take([there], in: entry.domain) }
    }

    /// - Returns: the item as the provider has it then; nil when it has it no more.
    private func place(
        _ item: IndexedItem, in folder: ItemIdentifier, as name: ItemName, _ entry: JournalEntry, on domain: Domain
    ) async throws(DocumentError) -> Item? {
        let origin = (folder: entry.payload.originID, name: entry.payload.place?.last)
        var call = ProviderCall.ModifyCall(
            id: item.id, baseVersion: try ItemVersion(content: [], metadata: entry.payload.base?.metadata ?? []),
            name: name == origin.name ? nil : name, parentID: folder == origin.folder ? nil : folder,
            operation: entry.payload.operation ?? "")
        do throws(DocumentError) {
            return try await modify(call, on: domain)
        } catch {
            var refusal = error
            if [.transient, .resolvable].contains(refusal.code.errorClass) || refusal.code == .cancelled {
                throw refusal
            }
            guard let there = try await asItIs(item, entry, on: domain) else { return nil }
            if refusal.code == .versionNoLongerAvailable, there.parentID == origin.folder, there.name == origin.name {
                // Something else of it was changed; its place was not.
                call.baseVersion = try ItemVersion(content: [], metadata: there.version.metadata)
                do throws(DocumentError) {
                    return try await modify(call, on: domain)
                } catch {
                    if [.transient, .resolvable].contains(error.code.errorClass) || error.code == .cancelled {
                        throw error
                    }
                    refusal = error
                }
            }
            if let kept = try await keepThere(item, in: folder, as: name, entry, call, after: refusal, on: domain) {
                return kept
            }
            if there.parentID != folder || there.name != name {
                logger.notice(
                    "what was moved or renamed here is where the remote has it",
                    metadata: ["domain": "\(domain.name)", "item.id": "\(item.id)", "error": "\(refusal)"])
            }
            return there
        }
    }

    /// What was moved here with contents that nobody else has stays where it was moved to (VER-15): its folder is made anew when
    /// that is gone, and where something else has its name by now, it gets one beside that. Its former place may be a temporary
    /// file's, which its program writes to again, and nothing would be left of those contents.
    ///
    /// - Returns: nil when it holds no such contents, or cannot stay.
    private func keepThere(
        _ item: IndexedItem, in folder: ItemIdentifier, as name: ItemName, _ entry: JournalEntry,
        _ refused: ProviderCall.ModifyCall, after refusal: DocumentError, on domain: Domain
    ) async throws(DocumentError) -> Item? {
        guard try isToStay(item, in: folder, as: name, entry) else { return nil }
        var (call, refusal) = (refused, refusal)
        var (isAnew, isSeenAnew, attempt) = (false, false, 0)
        while attempt < Self.mostNames {
            do throws(DocumentError) {
                switch refusal.code {
                case .noSuchItem where !isAnew && refused.parentID != nil:
                    isAnew = true
                    call.parentID = try await folders.revive(
                        folder, around: item, for: refused.operation, with: domain.provider)
                case .nameCollision:
                    attempt += 1
                    call.name = try Self.nameBeside(name, of: item, attempt)
                case .versionNoLongerAvailable where !isSeenAnew:
                    // Something else of it was changed; its place was not.
                    isSeenAnew = true
                    guard let there = try await look(item.id, on: domain), there.parentID == entry.payload.originID,
                        there.name == entry.payload.place?.last
                    else { return nil }
                    call.baseVersion = try ItemVersion(content: [], metadata: there.version.metadata)
                default: return nil
                }
                call.operation =
                    "\(refused.operation)-kept\(isAnew ? "-anew" : "")\(isSeenAnew ? "-seen" : "")-\(attempt)"
                return try await modify(call, on: domain)
            } catch {
                if [.transient, .resolvable].contains(error.code.errorClass) || error.code == .cancelled {
                    throw error
                }
                refusal = error
            }
        }
        return nil
    }

    /// Whether contents are in it that nobody else has, or had when it was moved, and it is still where it was moved to.
    private func isToStay(
        _ item: IndexedItem, in folder: ItemIdentifier, as name: ItemName, _ entry: JournalEntry
    ) throws(DocumentError) -> Bool {
        try storage.read { index in
            guard let now = try index.item(item.id, in: item.domain), now.item.parentID == folder, now.item.name == name
            else { return false }
            return try entry.payload.heldUnsent || index.holdsUnsent(item.id, in: item.domain)
        }
    }

    private static var mostNames: Int { 20 }

    private static func nameBeside(
        _ name: ItemName, of item: IndexedItem, _ attempt: Int
    ) throws(DocumentError) -> ItemName {
        guard item.item.kind == .document else { return try ConflictName.make(forFolder: name, attempt: attempt) }
        return try ConflictName.make(
            for: name, at: ConflictName.date(of: item.local?.modified ?? item.item.modified), attempt: attempt)
    }

    /// - Returns: as the provider has it; where it was, when the provider does not say.
    private func asItIs(
        _ item: IndexedItem, _ entry: JournalEntry, on domain: Domain
    ) async throws(DocumentError) -> Item? {
        do throws(DocumentError) {
            return try await look(item.id, on: domain)
        } catch {
            guard error.code.errorClass == .caller, error.code != .cancelled else { throw error }
            var there = item.item
            (there.parentID, there.name) = (entry.payload.originID, entry.payload.place?.last)
            return there
        }
    }

    private func modify(_ call: ProviderCall.ModifyCall, on domain: Domain) async throws(DocumentError) -> Item {
        try await onceMoreAfterDeath { () async throws(DocumentError) in try await domain.provider.modify(call) }
    }

    private func finish(
        _ entry: JournalEntry, _ item: IndexedItem, as there: Item?, on domain: Domain
    ) async throws(DocumentError) {
        let isFolder = item.item.kind != .document
        if let there, there.id != item.id {
            guard try !storage.read({ try $0.isTaken(there.id, besides: item) }) else {
                // Identifiers that follow names: the answer is of a place that another one has come to since. Where both are, the
                // next listing tells; what waits for this goes on.
                logger.notice(
                    "what was moved here bears another one's identifier by now",
                    metadata: ["domain": "\(domain.name)", "item.id": "\(item.id)", "answered": "\(there.id)"])
                return try await storage.run { try $0.finishRelocating(entry, as: nil, since: nil) }
            }
            try identify(item, as: there.id)
        }
        if isFolder, there == nil { try await followWhatHasLeft(item, on: domain) }
        try await storage.run { store in
            try store.finishRelocating(entry, as: there, since: item)
            if there == nil { try store.recordGone(item.id, in: item.domain, holding: isFolder) }
        }
        // All that is in it may be too much to go without a question (CONT-13).
        if isFolder, there == nil { try await deletions.settle(item.domain) }
        if isFolder, let there, there.id != item.id { reread(item.domain) }
        guard let there, let now = try storage.read({ try $0.item(there.id, in: item.domain) }) else { return }
        // Whoever was to send it knows it by the identifier that it had.
        if now.isUnsent { sender.enqueue(now.key) }
        // What is in a folder has waited for that.
        if isFolder { try sender.enqueue(arriving: now) }
        let told = now.item.version.metadata
        guard told != item.item.version.metadata, told != there.version.metadata,
            let latest = try await lookIfAllowed(there.id, on: domain)
        else { return }
        // The provider has told of it meanwhile: where it is by now was not heeded then.
        _ = try await treeWork.take([latest], in: item.domain)
    }

    /// A folder is gone there: what has left it before, and is in it here still, is not to go with it.
    private func followWhatHasLeft(_ folder: IndexedItem, on domain: Domain) async throws(DocumentError) {
        // The first time somebody may be reading the feed already, and have asked before it was gone.
        for _ in 0..<2 where try storage.read({ try $0.item(folder.id, in: domain.name) })?.isGone == false {
            try await follower.catchUp(domain)
        }
    }

    /// Claims and presenters follow first: whoever asks from now on meets them.
    private func identify(_ item: IndexedItem, as id: ItemIdentifier) throws(DocumentError) {
        guard !broker.isIdle else { return }
        let prefix = Array((item.id.rawValue + "/").utf8)
        let known = try storage.read { index in
            // From the inside out: what is around is still what it was.
            try index.subtree(of: item.id, in: item.domain).reversed().filter {
                $0.id == item.id || $0.id.rawValue.utf8.starts(with: prefix)
            }.map { ($0.id, try index.coordinated($0)) }
        }
        for (inner, coordinated) in known {
            let rest = inner.rawValue.dropFirst(item.id.rawValue.count)
            do {
                broker.identified(coordinated, as: try ItemIdentifier(id.rawValue + rest))
            } catch {
                throw DocumentError(.internal, "An identifier could not be made of another one.", causes: ["\(error)"])
            }
        }
    }
}
