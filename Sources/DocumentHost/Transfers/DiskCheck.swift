import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination

/// Looks at what lies on disk before somebody relies on it: programs that do not coordinate change and remove files, too.
struct DiskCheck: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let locks: KeyedLock<ItemKey>
    let accesses: AccessTable
    let sender: Sender
    let strays: StrayFiles
    let search: FileSearch
    let owner: ClaimOwner
    let loop: EventLoop

    /// Some programs remove a file and make it anew when they save: so long unsent changes are not given up.
    private static let absence = LocalChangesStateMachine.Patience().absence

    /// The item as its file says: a placeholder when that is gone, changed, and to be sent, when it is not what was
    /// recorded. For those that hold a claim on it: an editor in the middle of a save has no file for a moment.
    ///
    /// - Throws: `localStorage` when something else than a file is in its place.
    func look(_ item: IndexedItem) async throws(DocumentError) -> IndexedItem {
        guard item.item.kind == .document, item.local != nil, item.state != .materialising else { return item }
        var (now, isMissing, occupant) = try await storage.run { store -> (IndexedItem, Bool, IndexedItem?) in
            if try store.isFileMissing(item) { return (item, true, nil) }
            let occupant = try store.occupant(ofPlaceOf: item)
            return (try store.recordChange(of: item.id, in: item.domain, givingUp: false), false, occupant)
        }
        // It has changed places with others: those have other contents, too.
        if let occupant { strays.lookAgain(at: occupant.key) }
        if isMissing { now = try await lookAtMissing(item) }
        if now.local == nil { strays.lost(item) }
        if now.state == .changed { sender.enqueue(now.key) }
        return now
    }

    /// Its file may have been put aside for a moment while it is saved, or have been renamed, moved or removed.
    private func lookAtMissing(_ item: IndexedItem) async throws(DocumentError) -> IndexedItem {
        let found = try await movedFile(of: item)
        if found == nil {
            let (now, isMissing) = try await storage.run { store in
                let now = try store.recordChange(of: item.id, in: item.domain, givingUp: false)
                return (now, try store.isFileMissing(now))
            }
            if !isMissing || !now.isUnsent { return now }
        }
        await loop.pause(Self.absence)
        if let found, try await isStill(item, at: found) { throw Self.follows(item, found) }
        if let file = try await movedFile(of: item, after: .now()) { throw Self.follows(item, file) }
        return try await storage.run { try $0.recordChange(of: item.id, in: item.domain) }
    }

    /// Whether what was found a moment ago holds.
    private func isStill(_ item: IndexedItem, at found: MovedFile) async throws(DocumentError) -> Bool {
        try await storage.run { store in
            try store.isFileMissing(item) && store.root.tree.inode(at: found.location) == found.file.inode
                && !store.isRecorded(found.file, at: found.location, beside: item)
        }
    }

    private static func follows(_ item: IndexedItem, _ file: MovedFile) -> DocumentError {
        DocumentError(
            .busy,
            "A program has renamed or moved the document's file to \(file.location), and the document follows it as soon as its provider can be told.",
            itemID: item.id)
    }

    /// Where the document is to follow its file to.
    private func movedFile(
        of item: IndexedItem, after: MonotonicTime? = nil
    ) async throws(DocumentError) -> MovedFile? {
        let folders = strays.awaitedFolders(in: item.domain)
        var found = try await storage.run { try $0.movedFile(of: item, within: folders) }
        if found == nil {
            found = try await search.file(of: item, after: after, isAmongOthers: strays.isFollowing(in: item.domain))
        }
        guard let file = found, strays.expect(file) else { return nil }
        // Until it has followed, nobody would see that there is something to be sent.
        try await storage.run { try $0.recordEdit(of: item, in: file) }
        return file
    }

    /// A coordinated write has ended, and a program has moved the document's file meanwhile, or a folder around it: the document
    /// follows, with what was written to it, and the write is recorded.
    ///
    /// - Parameter missing: its file is not at its place.
    /// - Returns: false when it is nowhere; then nothing is recorded.
    func follows(_ missing: IndexedItem, _ change: JournalEntry) async throws(DocumentError) -> Bool {
        guard let file = try await movedFile(of: missing) else { return false }
        try await storage.run { try $0.recordChange(change, in: file) }
        return true
    }

    /// The same for those that have no claim; what somebody uses is left to them.
    func lookIfUnused(_ item: IndexedItem) async throws(DocumentError) -> IndexedItem {
        guard item.local != nil,
            let claim = broker.claimWithoutWaiting(
                try storage.read({ try $0.coordinated(item) }), for: .reading(.withoutChanges), by: owner.onBehalf)
        else { return item }
        defer { broker.end(claim) }
        return try await look(item)
    }

    /// The same, when whoever uses it is done.
    ///
    /// - Throws: `noSuchItem` when it was removed meanwhile.
    func lookWhenUnused(_ item: IndexedItem, at location: Location) async throws(DocumentError) -> IndexedItem {
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) }, for: .reading(.withoutChanges), by: owner.onBehalf,
            nestedIn: EnclosingClaims.current)
        defer { broker.end(claim) }
        guard let now = try storage.read({ try $0.item(row: item.row, in: item.domain) }) else {
            throw DocumentError(.noSuchItem, "\(location) was removed while you waited for it.", itemID: item.id)
        }
        return try await look(now)
    }

    /// Somebody may have changed it without asking: the same, as soon as nobody sends or provides it, and nobody is in
    /// the middle of writing it. Presenters hear of what is found (COORD-28, COORD-40).
    ///
    /// - Parameter permits: how many look at once; nobody holds one while it waits for others. Nil: as many as there are.
    func lookWhenFree(_ key: ItemKey, within permits: Permits? = nil) async throws(DocumentError) {
        while true {
            switch try await turnWhenFree(at: key, within: permits) {
            case .over: return
            case .seen(let seen, let coordinated, let claim):
                defer { broker.end(claim) }
                return try await tell(seen, of: coordinated)
            case .claimed(let coordinated):
                let claim = try await broker.claim(
                    coordinated, for: .reading(.withoutChanges), by: owner.onBehalf)
                defer { broker.end(claim) }
                let seen = try await permitted(by: permits) { () async throws(DocumentError) -> Seen? in
                    // Whoever has begun to work on it meanwhile may wait for the claim's end.
                    try await locks.withLockIfFree(key) { () async throws(DocumentError) -> Seen in
                        try await see(key)
                    }
                }
                if let seen { return try await tell(seen, of: coordinated) }
            }
        }
    }

    private func turnWhenFree(at key: ItemKey, within permits: Permits?) async throws(DocumentError) -> Turn {
        let first = try await permitted(by: permits) { () async throws(DocumentError) -> Turn? in
            try await locks.withLockIfFree(key) { () async throws(DocumentError) -> Turn in try await turn(at: key) }
        }
        if let first { return first }
        // What has become free is looked at in the same turn: two who only waited for each other's turns would for good. Nobody
        // who has a permit waits for a document to be free.
        return try await locks.withLock(key) { () async throws(DocumentError) -> Turn in
            try await permitted(by: permits) { () async throws(DocumentError) -> Turn in try await turn(at: key) }
        }
    }

    private func permitted<Value: Sendable>(
        by permits: Permits?, _ body: () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        guard let permits else { return try await body() }
        return try await permits.withPermit(body)
    }

    /// What came of a look while nobody else works on the document.
    private enum Turn: Sendable {
        case over
        case seen(Seen, CoordinatedItem, ClaimID)
        /// Somebody uses it, and has to be waited for elsewhere.
        case claimed(CoordinatedItem)
    }

    private enum Seen: Sendable {
        case unchanged
        case changed
        /// Where its file is by now has to be looked for.
        case missing(IndexedItem)
    }

    private func turn(at key: ItemKey) async throws(DocumentError) -> Turn {
        guard let item = try storage.read({ try $0.item(key.id, in: key.domain) }), item.local != nil,
            !accesses.isWritten(key)
        else { return .over }
        // Its file has another name, and it is going to have it, too.
        if strays.isMoving(key), try await isMissing(item) { return .over }
        let coordinated = try storage.read { try $0.coordinated(item) }
        let claim = broker.claimWithoutWaiting(coordinated, for: .reading(.withoutChanges), by: owner.onBehalf)
        guard let claim else { return .claimed(coordinated) }
        do throws(DocumentError) {
            return .seen(try await see(key), coordinated, claim)
        } catch {
            broker.end(claim)
            throw error
        }
    }

    private func tell(_ seen: Seen, of coordinated: CoordinatedItem) async throws(DocumentError) {
        var seen = seen
        if case .missing(let item) = seen { seen = try await settling(item) }
        if case .changed = seen { broker.noticed(.changed, on: coordinated) }
    }

    private func see(_ key: ItemKey) async throws(DocumentError) -> Seen {
        guard let item = try storage.read({ try $0.item(key.id, in: key.domain) }) else { return .unchanged }
        try await finishFailedWrites(of: item)
        // That takes its time, and whoever is to send or provide it has a place meanwhile that others wait for.
        if storage.isFileMissing(item) { return .missing(item) }
        return try await settling(item)
    }

    private func settling(_ item: IndexedItem) async throws(DocumentError) -> Seen {
        do throws(DocumentError) {
            return try await look(item).local == item.local ? .unchanged : .changed
        } catch {
            if error.code == .busy, strays.isMoving(item.key) { return .unchanged }
            // It was new, and is gone with its file.
            guard error.code == .noSuchItem, item.isArriving else { throw error }
            return .changed
        }
    }

    private func isMissing(_ item: IndexedItem) async throws(DocumentError) -> Bool {
        try await storage.run { try $0.isFileMissing(item) }
    }

    /// What is known of writes of a document that had no contents here, and whose end could not be recorded.
    enum FailedReplacing: Sendable {
        /// There is none, or nothing has come of it.
        case nothing
        /// Somebody uses the document, and has to be waited for elsewhere.
        case inUse
        /// What was written are the document's contents.
        case recorded
    }

    /// Records what was written in place of contents that were not here, where that could not be done at the end of the write:
    /// until then nothing but the journal tells that what lies there is the document's own.
    ///
    /// - Throws: what keeps it from being recorded; to be tried again.
    func finishFailedReplacing(of key: ItemKey) async throws(DocumentError) -> FailedReplacing {
        guard try isReplacingOpen(key), let item = try storage.read({ try $0.item(key.id, in: key.domain) }) else {
            return .nothing
        }
        let coordinated = try storage.read { try $0.coordinated(item) }
        guard !accesses.isWritten(key),
            let claim = try await broker.claimUnlessUsed(
                coordinated, for: .reading(.withoutChanges), by: owner.onBehalf)
        else { return .inUse }
        defer { broker.end(claim) }
        // Whoever has begun to work on it meanwhile may wait for the claim's end.
        let outcome = try await locks.withLockIfFree(key) { () async throws(DocumentError) -> FailedReplacing in
            guard let item = try storage.read({ try $0.item(key.id, in: key.domain) }), try isReplacingOpen(key)
            else { return .nothing }
            guard !accesses.isWritten(key) else { return .inUse }
            do throws(DocumentError) {
                try await finishFailedWrites(of: item)
            } catch {
                // The document is gone; what lies there is another one's, or nobody's.
                guard error.code == .noSuchItem else { throw error }
                return .nothing
            }
            // Where nothing lies there, nothing was written.
            guard let now = try storage.read({ try $0.item(key.id, in: key.domain) }), now.local != nil else {
                return .nothing
            }
            broker.noticed(.changed, on: coordinated)
            return .recorded
        }
        return outcome ?? .inUse
    }

    private func isReplacingOpen(_ key: ItemKey) throws(DocumentError) -> Bool {
        try storage.read { try $0.journal(of: key.id, in: key.domain) }
            .contains { $0.action == .recordChange && $0.payload.replacesContents }
    }

    /// Coordinated writes whose end could not be recorded, on a full disk perhaps.
    private func finishFailedWrites(of item: IndexedItem) async throws(DocumentError) {
        let left = try storage.read { try $0.journal(of: item.id, in: item.domain) }
            .filter { $0.action == .recordChange }
        for entry in left {
            let now = try await storage.run { try $0.recordChange(entry) }
            if now.state == .changed { sender.enqueue(now.key) }
        }
    }
}
