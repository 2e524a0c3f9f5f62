internal import CDocentShims
internal import DocumentModel
internal import Logging
internal import Synchronization
internal import SystemPackage

/// One provided folder: what the provider's calls come to, whoever makes them. Every call begins by catching up with
/// what the system tells of changes, so that it sees all that was done to the folder before it.
final class FolderDomain: Sendable {
    let settings: FolderSettings
    let logger: Logger
    /// What this device is called; empty when the host does not say.
    let deviceName: String
    let mirror: Mutex<FolderMirror>
    /// Tests stand here between the steps of a change.
    let onStep: @Sendable (ChangeStep) throws -> Void

    private let signalChanges: @Sendable () -> Void
    private let signalReachable: @Sendable () -> Void
    private let tellLeftOut: @Sendable (String) -> Void
    private let watchDescriptor: Int32
    private let wakeup: Int32
    private let isStopped = Atomic(false)

    /// - Parameters:
    ///   - names: what tests change of how the file system gives names.
    ///   - signalChanges: told, some time after, that the feed has something new that did not come from here.
    ///   - signalReachable: told that the folder is there again.
    ///   - tellLeftOut: tells people what of the folder is left out, in place of what was told before; empty for nothing.
    init(
        settings: FolderSettings, deviceName: String = "", names: FolderNames = FolderNames(), logger: Logger,
        signalChanges: @escaping @Sendable () -> Void = {},
        signalReachable: @escaping @Sendable () -> Void = {},
        tellLeftOut: @escaping @Sendable (String) -> Void = { _ in },
        onStep: @escaping @Sendable (ChangeStep) throws -> Void = { _ in }
    ) throws(DocumentError) {
        self.settings = settings
        self.deviceName = deviceName
        self.logger = logger
        self.signalChanges = signalChanges
        self.signalReachable = signalReachable
        self.tellLeftOut = tellLeftOut
        self.onStep = onStep
        var mirror = try FolderMirror.open(settings, names: names, logger: logger)
        let wakeup = docent_wakeup_open()
        mirror.onUnsettled = { _ = docent_wakeup_signal(wakeup) }
        watchDescriptor = mirror.watches.descriptor
        self.mirror = Mutex(mirror)
        self.wakeup = wakeup
    }

    deinit {
        if wakeup >= 0 { _ = docent_close(wakeup) }
    }

    // MARK: Reading

    func item(for id: ItemIdentifier) throws -> Item {
        try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            return try mirror.item(try mirror.freshRecord(id, root))
        }
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) throws -> ItemPage {
        try mirror.withLock { try $0.page(of: container, after: page, count: suggestedCount) }
    }

    func persistentIdentifier(forItemAt path: String) throws -> ItemIdentifier? {
        var components: [ItemName] = []
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let name = try? ItemName(String(Substring(component))) else { return nil }
            components.append(name)
        }
        return try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            try mirror.catchUp(root)
            if let id = mirror.tree.record(called: components)?.id {
                guard let place = mirror.tree.place(of: id) else { return try id.identifier }
                mirror.dirt.names[place.parent, default: []].insert(place.name)
            } else {
                mirror.look(along: components)
            }
            mirror.process(root)
            return try mirror.tree.record(called: components)?.id.identifier
        }
    }

    func path(for id: ItemIdentifier) throws -> String? {
        try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            do throws(DocumentError) {
                let record = try mirror.freshRecord(id, root)
                return mirror.tree.components(of: record.id)?.map(\.description).joined(separator: "/")
            } catch {
                if error.code == .noSuchItem { return nil }
                throw error
            }
        }
    }

    func currentAnchor() throws -> SyncAnchor {
        try mirror.withLock { try $0.currentAnchor() }
    }

    func changes(since anchor: SyncAnchor, suggestedCount: Int) throws -> ItemChanges {
        try mirror.withLock { try $0.changes(after: anchor, count: suggestedCount) }
    }

    // MARK: Watching

    /// Looks after the folder until ``stop()``. Blocks: has a thread of its own.
    func watch() {
        var debounce = settings.pace.debounce
        while !isStopped.load(ordering: .acquiring) {
            let ready = docent_wait_either(watchDescriptor, wakeup, nextLook())
            _ = docent_wakeup_clear(wakeup)
            if isStopped.load(ordering: .acquiring) { return }
            if ready & 1 != 0 {
                // Changes come in swarms; while they go on, the host is told less and less often.
                _ = docent_wait_either(-1, wakeup, debounce)
                debounce = min(2 * debounce, settings.pace.longestDebounce)
            } else {
                debounce = settings.pace.debounce
            }
            if isStopped.load(ordering: .acquiring) { return }
            look()
            readBetweenLooks()
            // It is for what others find; what is left to be read now has its time (``nextLook()``).
            _ = docent_wakeup_clear(wakeup)
            if ready & 1 != 0, docent_wait_either(watchDescriptor, -1, 0) == 0 { debounce = settings.pace.debounce }
        }
    }

    /// Reads the documents that looks had no time for. What the system tells goes before.
    private func readBetweenLooks() {
        let end = settings.pace.now() + .milliseconds(settings.pace.rescan)
        readUnsettled {
            isEnded || docent_wait_either(watchDescriptor, -1, 0) & 1 != 0 || settings.pace.now() >= end
        }
    }

    var isEnded: Bool { isStopped.load(ordering: .acquiring) }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        _ = docent_wakeup_signal(wakeup)
    }

    /// In milliseconds; negative when only the system's word is waited for.
    private func nextLook() -> Int32 {
        mirror.withLock { mirror in
            if !mirror.isReachable { return settings.pace.retry }
            if mirror.isReturnUntold { return 0 }
            if !mirror.isScanned { return 0 }
            // Found by somebody's call, and not told yet.
            if mirror.tree.log.last > mirror.announced { return settings.pace.debounce }
            if !mirror.ledger.left.isEmpty || !mirror.tree.unsettled.isEmpty {
                return max(settings.pace.retry, mirror.restBetweenLooks)
            }
            return mirror.watches.isComplete ? -1 : max(settings.pace.rescan, mirror.restBetweenLooks)
        }
    }

    private func look() {
        var isNews = false
        var isBack = false
        var leftOut: String?
        mirror.withLock { mirror in
            let wasReachable = mirror.isReachable
            do throws(DocumentError) {
                let root = try mirror.openRoot()
                isBack = mirror.isReturnUntold
                mirror.isReturnUntold = false
                if mirror.isScanned {
                    if !mirror.watches.isComplete { mirror.dirt.everything = true }
                    try mirror.catchUp(root)
                } else {
                    try mirror.scan(root, folders: 8)
                }
                mirror.warnOfWatches()
                isNews = mirror.isScanned && mirror.tree.log.last > mirror.announced
                mirror.announced = mirror.tree.log.last
                if mirror.isScanned { leftOut = mirror.leftOutNews() }
            } catch {
                if wasReachable { logger.error("\(error)") }
            }
        }
        if isBack { signalReachable() }
        if isNews { signalChanges() }
        if let leftOut { tellLeftOut(leftOut) }
    }
}

extension FolderMirror {
    /// Marks the first unknown name of a path, where it would be.
    fileprivate mutating func look(along components: [ItemName]) {
        var id = RecordID.root
        for component in components {
            let entry = tree.entry(called: component, in: id)
            guard let next = tree.children[id]?[entry] else {
                // What it stands for, if it is a shorter name, is in the folder's listing only.
                if EntryName.mayBeShortened(component) { dirt.folders.insert(id) }
                dirt.names[id, default: []].insert(entry)
                return
            }
            id = next
        }
    }
}
