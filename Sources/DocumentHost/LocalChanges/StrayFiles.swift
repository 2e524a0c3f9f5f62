import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination
import Logging
import Synchronization
import SystemPackage

/// Files that programs have put, without asking, where no document has its contents: a save that took its time between the
/// removal of the old file and the new one; a document that was renamed; and what is nobody's (DOWN-3, COORD-40).
final class StrayFiles: Sendable {
    typealias Name = LocalChangesStateMachine.Name
    /// Has a document follow its file to where that is by now.
    typealias Follow = @Sendable (ItemKey, Location) async throws(DocumentError) -> Void
    /// Makes a folder that a program has made, or moved, one of its domain's.
    typealias TakeIn = @Sendable (UnknownFolder) async throws(DocumentError) -> Void

    enum Verdict: Sendable {
        case settled
        /// A program may be in the middle of something.
        case lookAgain
        /// What keeps a document from being used.
        case problem(ItemKey, DocumentError)
    }

    struct State {
        var follow: Follow?
        var takeIn: TakeIn?
        /// Has a file be looked at soon, or whatever lies at a document's place.
        var look: (@Sendable (Name) -> Void)?
        var lookAgain: (@Sendable (ItemKey) -> Void)?
        /// Has a folder be watched that has contents.
        var watch: (@Sendable (ItemKey) -> Void)?
        var unknown: [Name: Location] = [:]
        /// What the start has told of: where it was then, and where that is by now.
        var toldAtStart: [Location: Location] = [:]
        /// Files that were looked at and are left alone: what is ignored, or is one too many to be told of.
        var left: [LocalChangesStateMachine.Folder: Set<ItemName>] = [:]
        /// What is called as no document can be, by the folder that it lies in.
        var misnamed: [LocalChangesStateMachine.Folder: (place: Location, names: Set<ItemName>)] = [:]
        var moves: [ItemKey: (name: Name, seen: MonotonicTime)] = [:]
        /// Folders that are to become their domain's, by where they are, with the documents whose files are in them.
        var folders: [Name: AwaitedFolder] = [:]
        /// Documents' files in folders that are none of their domain's, nor can be.
        var outside: Set<Location> = []
        /// What programs removed of late had been made from.
        var bases: [ItemKey: ItemVersion] = [:]
        var latest: [ItemKey] = []

        /// - Returns: false when there are too many to be told of.
        mutating func tell(of name: Name, at location: Location) -> Bool {
            guard unknown.count < StrayFiles.mostUnknown else { return false }
            unknown[name] = location
            return true
        }
    }

    /// More are not remembered, nor listed.
    private static let mostBases = 1000
    static let mostUnknown = 1000
    private static let mostMisnamed = 100
    private static let mostNotices = 5
    /// Some programs put a document aside while they save it: a name that lasts as long is meant.
    static let patience = LocalChangesStateMachine.Patience().absence
    /// Whoever makes a folder anew puts the old one aside for longer.
    static let patienceWithFolders = Duration.seconds(5)

    let state = Mutex(State())
    let storage: StorageThreads
    let broker: CoordinationBroker
    let sender: Sender
    let owner: ClaimOwner
    let work: WorkGroup
    let logger: Logger

    init(
        storage: StorageThreads, broker: CoordinationBroker, sender: Sender, owner: ClaimOwner, work: WorkGroup,
        logger: Logger
    ) {
        self.storage = storage
        self.broker = broker
        self.sender = sender
        self.owner = owner
        self.work = work
        self.logger = logger
    }

    /// Says who has documents follow their files, and who makes folders their domain's.
    func follows(_ follow: @escaping Follow, takingIn takeIn: @escaping TakeIn) {
        state.withLock { state in
            state.follow = follow
            state.takeIn = takeIn
        }
    }

    /// A document's file is gone.
    func lost(_ item: IndexedItem) {
        guard let base = item.synced, !item.isArriving else { return }
        state.withLock { state in
            if state.bases.updateValue(base, forKey: item.key) == nil { state.latest.append(item.key) }
            guard state.latest.count > Self.mostBases else { return }
            state.bases[state.latest.removeFirst()] = nil
        }
    }

    /// Whether a document's file has another name or place, and the document is going to have it, too.
    func isMoving(_ key: ItemKey) -> Bool {
        state.withLock { state in
            state.moves[key] != nil || state.folders.contains { $0.value.files[key] != nil }
        }
    }

    /// Whether any document of a domain is going to follow its file.
    func isFollowing(in domain: DomainName) -> Bool {
        state.withLock { state in
            state.moves.keys.contains { $0.domain == domain }
                || state.folders.keys.contains { $0.folder.domain == domain }
        }
    }

    /// What is to be looked at among the files of a folder that no document has recorded: what has come, and what is gone that
    /// was told of.
    ///
    /// - Parameter documents: names whose files are documents'.
    func differing(
        _ there: Set<ItemName>, besides documents: Set<ItemName>, in folder: LocalChangesStateMachine.Folder
    ) -> [DifferingFile] {
        let (told, left) = state.withLock { state in
            var told = Set(state.unknown.keys.filter { $0.folder == folder }.map(\.name))
            for name in told.intersection(documents) { state.unknown[Name(name, in: folder)] = nil }
            told.subtract(documents)
            let left = (state.left[folder] ?? []).intersection(there)
            state.left[folder] = left.isEmpty ? nil : left
            return (told, left)
        }
        return there.subtracting(told).subtracting(left).map { DifferingFile(name: $0, isMissing: false) }
            + told.subtracting(there).map { DifferingFile(name: $0, isMissing: true) }
    }

    /// Files that are called as no document can be: they are left alone.
    ///
    /// - Parameter names: all of them that a folder has by now, as documents could be called.
    func tell(
        ofMisnamed names: Set<ItemName>, at place: Location, in folder: LocalChangesStateMachine.Folder
    ) {
        let new = state.withLock { state in
            let known = state.misnamed[folder]?.names ?? []
            let told = Set(names.sorted().prefix(Self.mostMisnamed))
            state.misnamed[folder] = told.isEmpty ? nil : (place, told)
            return told.subtracting(known)
        }
        for name in new.sorted().prefix(Self.mostNotices) {
            logger.notice("\(Self.sentence(misnamed: name, in: storage.store.root.tree.path(of: place)))")
        }
    }

    /// A folder is gone, or nobody watches it any more: what was told of it need not hold.
    func forgetMisnamed(in folder: LocalChangesStateMachine.Folder) {
        state.withLock { $0.misnamed[folder] = nil }
    }

    private static func sentence(misnamed name: ItemName, in folder: FilePath) -> String {
        "\(folder)/\(name) is shown so because no document can have its name: it is neither sent nor removed. Rename it, in UTF-8 and without control characters."
    }

    /// For people, one sentence each.
    var notices: [String] {
        let tree = storage.store.root.tree
        let (outside, others) = state.withLock { state in
            // Nobody tells when they leave.
            state.outside = state.outside.filter { ((try? tree.inode(at: $0)) ?? nil) != nil }
            return (state.outside, state.unknown.values)
        }
        let unknown = outside.filter { isNobodys($0) }.union(others).union(movedSinceStart).sorted {
            $0.description < $1.description
        }
        var notices = unknown.prefix(Self.mostNotices).map {
            "\(tree.path(of: $0)) belongs to no document, and is neither sent nor removed: docent export makes it one."
        }
        if unknown.count > notices.count {
            notices.append("\(unknown.count - notices.count) more files belong to no document.")
        }
        let misnamed = state.withLock { Array($0.misnamed.values) }.sorted {
            $0.place.description < $1.place.description
        }
        var told = misnamed.flatMap { folder in
            folder.names.sorted().map { Self.sentence(misnamed: $0, in: tree.path(of: folder.place)) }
        }
        if told.count > Self.mostNotices {
            let more = told.count - Self.mostNotices
            told = told.prefix(Self.mostNotices) + ["\(more) more files have names that no document can have."]
        }
        return notices + told
    }

    func removed(_ domain: DomainName) {
        state.withLock { state in
            state.unknown = state.unknown.filter { $0.key.folder.domain != domain }
            state.toldAtStart = state.toldAtStart.filter { $0.key.domain != domain }
            state.left = state.left.filter { $0.key.domain != domain }
            state.misnamed = state.misnamed.filter { $0.key.domain != domain }
            state.moves = state.moves.filter { $0.key.domain != domain }
            state.folders = state.folders.filter { $0.key.folder.domain != domain }
            state.outside = state.outside.filter { $0.domain != domain }
            state.bases = state.bases.filter { $0.key.domain != domain }
            state.latest.removeAll { $0.domain == domain }
        }
    }

    // MARK: Looking

    /// - Throws: what keeps the document that a file belongs to from following it now; to be tried again.
    func look(_ name: Name) async throws(DocumentError) -> Verdict {
        guard try await !isInUse(name) else { return .lookAgain }
        if let folder = state.withLock({ $0.folders[name] }) { return try await takeIn(folder, called: name) }
        let (bases, expected) = state.withLock { state in
            (state.bases, state.moves.first { $0.value.name == name }?.key.id)
        }
        let found = try await storage.run { store in
            try store.judgeStray(
                named: name.name, in: name.folder.id, of: name.folder.domain, expected: expected
            ) { id in
                bases[ItemKey(domain: name.folder.domain, id: id)]
            }
        }
        state.withLock { state in
            state.unknown[name] = nil
            state.left[name.folder]?.remove(name.name)
        }
        if case .moved = found {} else { giveUpMoves(to: name) }
        switch found {
        case .none:
            leaveAlone(name)
            return .settled
        case .taken(let item):
            state.withLock { state in
                state.bases[item.key] = nil
                state.latest.removeAll { $0 == item.key }
            }
            if item.state == .changed { sender.enqueue(item.key) }
            if !broker.isIdle { broker.noticed(.changed, on: try storage.read { try $0.coordinated(item) }) }
            return .settled
        case .inTheWay(let item, let location):
            return .problem(
                item.key,
                DocumentError(
                    .destinationExists,
                    "Another file lies in the place of \(location), where the document has no contents: move it elsewhere."
                ))
        case .moved(let item, let location): return try await follow(item, to: location, name)
        case .unknown(let location):
            // What programs leave beside documents is nothing to tell of.
            let isIgnored = try storage.read { try $0.ignoringRule(at: location, isFolder: false) } != nil
            if isIgnored || !state.withLock({ $0.tell(of: name, at: location) }) { leaveAlone(name) }
            return .settled
        }
    }

    private func leaveAlone(_ name: Name) {
        state.withLock { _ = $0.left[name.folder, default: []].insert(name.name) }
    }

    /// Somebody writes there by coordinated means, and says so at the end.
    private func isInUse(_ name: Name) async throws(DocumentError) -> Bool {
        guard !broker.isIdle else { return false }
        let place = try storage.read { index -> CoordinatedItem? in
            guard let folder = try index.item(name.folder.id, in: name.folder.domain) else { return nil }
            let around = try index.coordinated(folder)
            return FreePlace(name.name, in: folder, around, at: around.location.appending(name.name)).coordinated
        }
        guard let place else { return false }
        guard
            let claim = try await broker.claimUnlessUsed(
                place, for: .reading(.withoutChanges), by: owner.onBehalf)
        else { return true }
        broker.end(claim)
        return false
    }
}
