import DocumentModel
import DocumentStorage
import DocumentTransport
import FileCoordination
import Logging
import Synchronization

/// Sees what programs that coordinate nothing do to documents: the shell around ``LocalChangesStateMachine``, which has
/// folders watched and documents looked at. What changed goes the way of every change, through ``DiskCheck``.
final class LocalChangeWatcher: Sendable {
    typealias Action = LocalChangesStateMachine.Action

    /// Looks at documents that are carried out at once, and as many at what is no document's; each may have to flush a file.
    private static let width = 8
    /// The same for documents whose files are gone, and for folders that are moved with them: these wait, for a program that may
    /// be about to put them back, for a look through their domain, or for a provider, and keep none of the others from being
    /// looked at.
    private static let widthOfMissing = 256

    private struct State {
        var machine = LocalChangesStateMachine()
        /// For when a wake-up is ordered.
        var ordered: Duration?
        /// What keeps changes from being recorded.
        var problems: [ItemKey: DocumentError] = [:]
        var notices: [String] = []
    }

    private let state = Mutex(State())
    private let storage: StorageThreads
    /// Nil when the system gives none: then folders are compared every so often.
    private let watcher: FolderWatcher?
    private let disk: DiskCheck
    private let strays: StrayFiles
    private let loop: EventLoop
    private let work: WorkGroup
    private let permits = Permits(width)
    /// Of those, some wait for a document to be free: nobody who has one of the others waits for them.
    private let permitsOfStrays = Permits(width)
    private let permitsOfMissing = Permits(widthOfMissing)
    private let start = MonotonicTime.now()
    private let logger: Logger

    init(
        storage: StorageThreads, disk: DiskCheck, strays: StrayFiles, loop: EventLoop, work: WorkGroup, logger: Logger
    ) {
        self.storage = storage
        self.disk = disk
        self.strays = strays
        self.loop = loop
        self.work = work
        self.logger = logger
        do {
            watcher = try FolderWatcher(of: storage.store.root.tree)
        } catch {
            watcher = nil
            logger.warning("documents' folders are looked through every so often", metadata: ["error": "\(error)"])
        }
        strays.isWatched { [weak self] name in
            self?.look(soonAt: name)
        } lookAgain: { [weak self] key in
            self?.lookAgain(at: key)
        } watch: { [weak self] folder in
            self?.perform { machine, _ in machine.contentsCame(in: folder) }
        }
    }

    // MARK: The host's start and run

    /// Begins to watch the folders that hold contents. To be called before those are compared with the index, so that
    /// nothing happens in between. Blocks.
    func begin() throws(DocumentError) {
        storage.store.root.index.observePresence { [weak self] news in self?.take(news) }
        for folder in try foldersWithContents() {
            let actions = state.withLock { $0.machine.contentsCame(in: folder) }
            // They are compared by the host's start.
            if !actions.isEmpty { answer(folder, watch(folder), comparing: false) }
        }
    }

    /// Takes up what the system tells, until the task is cancelled.
    func run() async {
        guard let watcher else { return }
        while await loop.waitUntilReadable(watcher.descriptor) {
            let events = watcher.events()
            perform { machine, now in events.flatMap { machine.happened($0, at: now) } }
            // Whoever writes without end costs little.
            await loop.pause(.milliseconds(10))
        }
    }

    // MARK: What the host says

    /// Has documents follow their files, which programs have given other places while no host ran.
    func follow(_ moved: [MovedFile]) {
        for file in moved { _ = strays.expect(file) }
    }

    /// What was written to a document could not be recorded; it is tried again until it can.
    func suspect(_ key: ItemKey, because error: DocumentError) {
        lookAgain(at: key, because: error)
    }

    /// A document's file has been found there.
    private func look(soonAt name: LocalChangesStateMachine.Name) {
        perform { machine, now in
            machine.differ([DifferingFile(name: name.name, isMissing: false)], in: name.folder, at: now)
            return []
        }
    }

    private func lookAgain(at key: ItemKey, because error: DocumentError? = nil) {
        guard let item = try? storage.read({ try $0.item(key.id, in: key.domain) }), let parent = item.item.parentID,
            let name = item.item.name
        else { return }
        if let error { state.withLock { $0.problems[key] = error } }
        perform { machine, now in
            machine.suspect(name, in: ItemKey(domain: key.domain, id: parent), at: now)
            return []
        }
    }

    func removed(_ domain: DomainName) {
        state.withLock { state in
            state.problems = state.problems.filter { $0.key.domain != domain }
        }
        strays.removed(domain)
        perform { machine, _ in machine.removed(domain) }
    }

    /// Why a change of a document cannot be recorded at the moment; nil when nothing is known of one.
    func problem(of key: ItemKey) -> DocumentError? { state.withLock { $0.problems[key] } }

    var problems: [ItemKey: DocumentError] { state.withLock { $0.problems } }

    /// For people, one sentence each.
    var notices: [String] { state.withLock { $0.notices } + strays.notices }

    var isBusy: Bool { state.withLock { $0.machine.isBusy } }

    private func take(_ news: Set<PresenceNews>) {
        perform { machine, now in
            news.flatMap { news -> [Action] in
                let folder = ItemKey(domain: news.domain, id: news.folder)
                if news.isHere { return machine.contentsCame(in: folder) }
                machine.contentsLeft(folder, at: now)
                return []
            }
        }
    }

    // MARK: Carrying out

    private func perform(_ input: (inout LocalChangesStateMachine, Duration) -> [Action]) {
        let now = MonotonicTime.now().since(start)
        let (actions, deadline) = state.withLock { state -> ([Action], Duration?) in
            let actions = input(&state.machine, now)
            guard let next = state.machine.nextDeadline, state.ordered.map({ next < $0 }) ?? true else {
                return (actions, nil)
            }
            state.ordered = next
            return (actions, next)
        }
        for action in actions { work.add { [self] in await carryOut(action) } }
        if let deadline {
            loop.wake(at: start + deadline) { [weak self] in self?.timePassed(deadline) }
        }
    }

    private func timePassed(_ deadline: Duration) {
        state.withLock { state in
            if state.ordered == deadline { state.ordered = nil }
        }
        perform { machine, now in machine.timePassed(to: max(now, deadline)) }
    }

    private func carryOut(_ action: Action) async {
        switch action {
        case .watch(let folder):
            let outcome = try? await storage.run { [self] _ in watch(folder) }
            answer(folder, outcome ?? .missing, comparing: true)
        case .unwatch(let watch):
            watcher?.unwatch(watch)
        case .count(let folder):
            let hasContents = try? storage.read { try $0.hasContents(folder.id, in: folder.domain) }
            if hasContents != true { strays.forgetMisnamed(in: folder) }
            perform { machine, _ in machine.counted(folder, hasContents: hasContents ?? false) }
        case .look(let name):
            if state.withLock({ $0.machine.isForArrival(name) }), isAsRecorded(name) {
                return perform { machine, now in
                    machine.looked(at: name, now: now)
                    return []
                }
            }
            guard strays.isAwaitingFolder(name) || isMissing(name) else { return await look(name, isLong: false) }
            // Not when the host ends.
            _ = try? await permitsOfMissing.withPermit { await look(name, isLong: true) }
        case .compare(let folder):
            await compare(folder)
            perform { machine, now in
                machine.compared(folder, at: now)
                return []
            }
        case .compareAll:
            await compareAll()
            perform { machine, _ in machine.comparedAll() }
        case .sayThatLimitIsReached:
            let notice =
                "The system's limit of watched folders is reached (fs.inotify.max_user_watches): changes by programs that do not ask are found by looking every few seconds."
            logger.warning("\(notice)")
            state.withLock { $0.notices.append(notice) }
        }
    }

    // MARK: Watching

    /// Blocks.
    private func watch(_ folder: ItemKey) -> FolderWatcher.Outcome {
        do {
            guard let watcher else { return .limitReached }
            guard let place = try storage.read({ try $0.diskLocation(of: folder.id, in: folder.domain) }) else {
                return .missing
            }
            return try watcher.watch(place)
        } catch {
            logger.notice("a folder cannot be watched", metadata: ["item.id": "\(folder.id)", "error": "\(error)"])
            return .limitReached
        }
    }

    private func answer(_ folder: ItemKey, _ outcome: FolderWatcher.Outcome, comparing: Bool) {
        perform { machine, now in
            let actions =
                switch outcome {
                case .watched(let watch): machine.watched(folder, as: watch)
                case .missing: machine.missing(folder)
                case .limitReached: machine.refused(folder, at: now)
                }
            return comparing ? actions : actions.filter { $0 != .compare(folder) }
        }
    }

    // MARK: Looking

    /// Whether a document is in sync, and its file just what was recorded: the host has brought it, for one.
    private func isAsRecorded(_ name: LocalChangesStateMachine.Name) -> Bool {
        guard !strays.isAwaitingFolder(name) else { return false }
        let (folder, domain) = (name.folder.id, name.folder.domain)
        let found = try? storage.read { index -> (item: IndexedItem, place: Location)? in
            guard let item = try index.contents(named: name.name, in: folder, of: domain), item.state == .materialised,
                let place = try index.diskLocation(of: item.id, in: domain)
            else { return nil }
            return (item, place)
        }
        guard let (item, place) = found ?? nil, problem(of: item.key) == nil, !strays.isMoving(item.key) else {
            return false
        }
        return storage.isAsRecorded(item, at: place)
    }

    private func look(_ name: LocalChangesStateMachine.Name, isLong: Bool) async {
        var mustTryAgain = false
        var key: ItemKey?
        var isStray = strays.isAwaitingFolder(name)
        do throws(DocumentError) {
            let folder = name.folder
            let item = try storage.read { try $0.contents(named: name.name, in: folder.id, of: folder.domain) }
            key = item?.key
            if item == nil { isStray = true }
            if let key, !isStray {
                try await disk.lookWhenFree(key, within: isLong ? nil : permits)
                state.withLock { _ = $0.problems.removeValue(forKey: key) }
                // What lies there is its own by now, whoever was to come there.
                if !strays.isMoving(key) { strays.giveUpMoves(to: name) }
            } else if isLong {
                try await lookAtStray(name)
            } else {
                try await permitsOfStrays.withPermit { () async throws(DocumentError) in try await lookAtStray(name) }
            }
        } catch {
            // The host ends.
            if Task.isCancelled { return }
            // The disk is full, for one; but nothing to be tried again is wrong with a domain that is gone.
            // Nor will a mode stay as it is for ever.
            mustTryAgain =
                [.localStorage, .internal, .notPermitted].contains(error.code)
                || isStray && [.transient, .resolvable].contains(error.code.errorClass)
            logger.notice(
                "a document's change could not be recorded",
                metadata: ["domain": "\(name.folder.domain)", "name": "\(name.name)", "error": "\(error)"])
            if let key { state.withLock { $0.problems[key] = error } }
        }
        perform { machine, now in
            machine.looked(at: name, failed: mustTryAgain, now: now)
            return []
        }
    }

    /// Whether it is a document whose file is gone.
    private func isMissing(_ name: LocalChangesStateMachine.Name) -> Bool {
        let item = try? storage.read { try $0.contents(named: name.name, in: name.folder.id, of: name.folder.domain) }
        return item.map(storage.isFileMissing) ?? false
    }

    /// No document of that name has contents here.
    private func lookAtStray(_ name: LocalChangesStateMachine.Name) async throws(DocumentError) {
        let holder = try storage.read { index in
            try index.holder(of: name.name, in: name.folder.id, of: name.folder.domain)
        }
        if let holder, holder.item.name == name.name, try await isLeftToWriter(holder, name) { return }
        if let there = holder?.key { state.withLock { _ = $0.problems.removeValue(forKey: there) } }
        switch try await strays.look(name) {
        case .settled: return
        case .lookAgain:
            perform { machine, now in
                machine.mustLookAgain(at: name, now: now)
                return []
            }
        case .problem(let key, let error): state.withLock { $0.problems[key] = error }
        }
    }

    /// Whether what lies at the place of a document without contents was written there by coordinated means, and there is nothing
    /// else to be found out: the end of that could not be recorded, and is now, or when whoever uses the document is done.
    private func isLeftToWriter(
        _ holder: IndexedItem, _ name: LocalChangesStateMachine.Name
    ) async throws(DocumentError) -> Bool {
        guard holder.item.kind == .document, holder.local == nil else { return false }
        let key = holder.key
        do throws(DocumentError) {
            switch try await disk.finishFailedReplacing(of: key) {
            case .nothing: return false
            case .inUse:
                perform { machine, now in
                    machine.mustLookAgain(at: name, now: now)
                    return []
                }
            case .recorded:
                state.withLock { _ = $0.problems.removeValue(forKey: key) }
                strays.giveUpMoves(to: name)
            }
            return true
        } catch {
            state.withLock { $0.problems[key] = error }
            throw error
        }
    }

    private func compare(_ folder: ItemKey) async {
        do throws(DocumentError) {
            let files = try await storage.run { [strays] store -> [DifferingFile] in
                let (known, place) = try store.root.index.read { index in
                    (
                        try index.contents(of: folder.id, in: folder.domain),
                        try index.diskLocation(of: folder.id, in: folder.domain)
                    )
                }
                guard let place else {
                    strays.forgetMisnamed(in: folder)
                    return []
                }
                let recorded = known.compactMap { item -> (name: ItemName, file: FileIdentity)? in
                    guard let name = item.item.name, let file = item.local else { return nil }
                    return (name, file)
                }
                // What is nobody's, too: it may have come while nobody watched, and be a document's that has left its place.
                let documents = Set(recorded.map(\.name))
                let there = try store.root.tree.files(in: place, but: documents)
                strays.tell(ofMisnamed: there.misnamed, at: place, in: folder)
                return try store.root.tree.differing(in: place, from: recorded)
                    + strays.differing(there.names, besides: documents, in: folder)
            }
            perform { machine, now in
                machine.differ(files, in: folder, at: now)
                return []
            }
        } catch {
            logger.notice(
                "a folder could not be looked through", metadata: ["item.id": "\(folder.id)", "error": "\(error)"])
        }
    }

    /// Events were lost.
    private func compareAll() async {
        logger.notice("more was changed than the system could tell: all documents that are here are looked at")
        guard let folders = try? foldersWithContents() else { return }
        for folder in folders {
            perform { machine, _ in machine.contentsCame(in: folder) }
            await compare(folder)
        }
    }

    private func foldersWithContents() throws(DocumentError) -> [ItemKey] {
        try storage.read { index in
            try index.domains().flatMap { domain in
                try index.foldersWithContents(in: domain.name).map { ItemKey(domain: domain.name, id: $0) }
            }
        }
    }
}
