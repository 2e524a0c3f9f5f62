internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import Logging
internal import SystemPackage

/// What the provider knows of the folder, kept in step with the disk and written down. Everything here happens under
/// the lock of ``FolderDomain``.
struct FolderMirror: ~Copyable {
    let settings: FolderSettings
    let logger: Logger
    let names: FolderNames
    /// Tests have others.
    var leases = FileLeases()
    var tree: FolderTree
    var ledger: OperationLedger
    var watches: FolderWatches
    var dirt = Dirt()
    /// Where to look once folders that have moved are found.
    var later = Dirt()
    var kept = KeptVersions()
    var sighting = Sighting(device: 0, isReadOnlyFileSystem: false)
    private(set) var epoch: UInt64
    private(set) var tag: String
    private var state: StateFile
    private var rootKey: FileKey?
    /// What changes have left behind, by its temporary name, as it was read last.
    var compared: [String: ComparedFile] = [:]
    /// Tests count what is read of it.
    var onComparing: @Sendable () -> Void = {}
    /// Temporary files that an earlier run left behind.
    var leftovers: [(folder: RecordID, name: String)] = []

    /// Whether the whole folder has been looked at in this run.
    var isScanned = false
    /// Folders to look at still, in the first scan.
    var scanQueue: [RecordID] = [.root]
    /// Whether nothing is known from an earlier run, so that nothing can turn out to be gone.
    let isNew: Bool
    var isReachable = true
    /// It is back, whoever has found that, and the host was not told yet.
    var isReturnUntold = false
    /// The point of the feed that the host was last told to look for.
    var announced: UInt64
    /// The folder whose pages were asked for last, sorted, at a point of the feed.
    var listing: (folder: RecordID, point: UInt64, ids: [RecordID])?
    /// In milliseconds: looking at everything again and again takes a small share of the time only.
    var restBetweenLooks: Int32 = 0
    var leftOut: [RecordID: LeftOut] = [:]
    var readingLeft = ReadingBudget()
    /// The document that was read last beside the looks.
    var readLast = RecordID.root
    /// Told when there are documents to be read beside the looks, and were none before.
    var onUnsettled: @Sendable () -> Void = {}
    /// What people were told of that last; nil when an earlier process of the provider may have told something else.
    private var leftOutTold: String?
    /// Folders that a warning was given for.
    var unreadable: Set<RecordID> = []
    private var hasWarnedOfWatches = false
    private var hasWarnedOfState = false

    private init(
        settings: FolderSettings, names: FolderNames, logger: Logger, state: consuming StateFile, tree: FolderTree,
        ledger: OperationLedger, known: StateSettings?
    ) {
        self.settings = settings
        self.logger = logger
        self.names = names
        self.state = state
        self.tree = tree
        self.ledger = ledger
        watches = FolderWatches(limit: settings.pace.watchLimit)
        isNew = known == nil
        epoch = known?.epoch ?? UInt64.random(in: .min ... .max)
        tag = known?.tag ?? String(UInt32.random(in: .min ... .max), radix: 16)
        rootKey = known?.rootKey
        announced = tree.log.last
    }

    /// Reads what earlier runs knew, and makes sure that the folder is there.
    ///
    /// - Throws: `notConfigured` when a new domain's folder is not there. One that was there before may come back.
    static func open(
        _ settings: FolderSettings, names: FolderNames, logger: Logger
    ) throws(DocumentError) -> FolderMirror {
        var state = try StateFile.open(in: settings.stateFolder, slack: settings.pace.stateSlack, logger: logger)
        var tree = FolderTree(capacity: settings.pace.feedCapacity)
        var ledger = OperationLedger()
        var known: StateSettings?
        let isGood = try state.read { entry in
            switch entry {
            case .settings(let settings): known = settings
            case .record(let record): tree.restore(record)
            case .burial(let burial): tree.restoreBurial(burial)
            case .planned(let change): ledger.plan(change)
            case .finished(let operation, let outcome): ledger.finish(operation, outcome)
            case .abandoned(let operation): ledger.abandon(operation)
            case .contents(let id, let known): tree.restore(known, of: id)
            }
        }
        if !isGood || known == nil {
            known = nil
            tree = FolderTree(capacity: settings.pace.feedCapacity)
            ledger = OperationLedger()
        }
        tree.finishRestoring(floor: known?.feedFloor ?? 0, last: known?.feedLast ?? 0)
        var mirror = FolderMirror(
            settings: settings, names: names, logger: logger, state: state, tree: tree, ledger: ledger, known: known)
        do throws(DocumentError) {
            _ = try mirror.openRoot()
        } catch {
            guard error.code == .serverUnreachable else { throw error }
            logger.error("\(error)")
        }
        return mirror
    }

    // MARK: The top folder

    /// Opens the top folder, and makes sure that it is the one that the domain was made with. It is not kept open, so
    /// that its disk can be unmounted.
    ///
    /// - Throws: `serverUnreachable`.
    mutating func openRoot() throws(DocumentError) -> OpenFile {
        do throws(DocumentError) {
            let root = try checkedRoot()
            if !isReachable {
                isReachable = true
                isReturnUntold = true
                watches.beginAnew()
                dirt.everything = true
            }
            return root
        } catch {
            if rootKey != nil { isReachable = false }
            throw error
        }
    }

    private mutating func checkedRoot() throws(DocumentError) -> OpenFile {
        let root: OpenFile
        do {
            root = try OpenFile.openAbsolute(settings.folder, .namedFolder)
        } catch {
            throw unreachable(
                error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory
                    ? "is not there" : "cannot be opened (\(error.errno))")
        }
        var status = docent_entry_status()
        var system = docent_file_system()
        guard docent_entry_status(root.descriptor, "", &status) == 0, docent_fstatfs(root.descriptor, &system) == 0
        else { throw unreachable("cannot be looked at") }
        if sighting.device != status.device || sighting.isReadOnlyFileSystem != (system.is_read_only != 0) {
            sighting = Sighting(
                device: status.device, isReadOnlyFileSystem: system.is_read_only != 0,
                leftOut: inodesOfHostFolders(on: status.device))
        }
        watches.isShared = FolderWatches.isShared(fileSystemType: system.type)
        guard let facts = sighting.facts(of: root) else { throw unreachable("cannot be looked at") }
        if let rootKey, rootKey != facts.key {
            throw DocumentError(
                .serverUnreachable,
                "“\(settings.folder)” is not the folder that this domain was made with; perhaps a disk is not mounted. Mount it, or remove the domain and add it again."
            )
        }
        if rootKey == nil {
            rootKey = facts.key
            try rewriteState()
        }
        tree.seeRoot(facts)
        return root
    }

    private func unreachable(_ what: String) -> DocumentError {
        guard rootKey != nil else {
            return DocumentError(
                .notConfigured,
                "The folder “\(settings.folder)” \(what). Mount or restore it, or add the domain with another one: --set folder=…"
            )
        }
        return DocumentError(
            .serverUnreachable,
            "The folder “\(settings.folder)” \(what). Mount or restore it; to have another one, remove the domain and add it again."
        )
    }

    private func inodesOfHostFolders(on device: UInt64) -> Set<UInt64> {
        var inodes: Set<UInt64> = []
        for folder in settings.hostFolders {
            var status = docent_entry_status()
            if docent_entry_status(DOCENT_AT_FDCWD, folder.string, &status) == 0, status.device == device {
                inodes.insert(status.inode)
            }
        }
        return inodes
    }

    // MARK: Folders

    /// Opens a folder where the tree has it.
    ///
    /// - Throws: ``SystemFailure``; `noSuchFileOrDirectory` also when another folder is there now.
    func openFolder(_ id: RecordID, _ root: borrowing OpenFile) throws(SystemFailure) -> OpenFile {
        guard let components = tree.components(of: id), let record = tree.records[id] else {
            throw SystemFailure(-ENOENT)
        }
        var folder = try root.openBeneath(".", .folder)
        // A path has at most 4096 bytes.
        var rest = components[...]
        while !rest.isEmpty {
            let names = rest.prefix(12)
            rest = rest.dropFirst(12)
            folder = try folder.openBeneath(names.map(\.rawValue).joined(separator: "/"), .folder)
        }
        guard sighting.facts(of: folder)?.key == record.facts.key else { throw SystemFailure(-ENOENT) }
        return folder
    }

    // MARK: Memory

    /// Writes down what changed. A failure is logged, and tried again the next time.
    mutating func remember() {
        let entries = tree.remembered
        tree.remembered = []
        do throws(DocumentError) {
            try state.append(entries)
            if state.wantsRewriting { try rewriteState() }
            hasWarnedOfState = false
        } catch {
            if !hasWarnedOfState { logger.error("\(error)") }
            hasWarnedOfState = true
        }
    }

    /// Writes down what changed, and these, for good.
    mutating func remember(_ entries: [StateEntry]) throws(DocumentError) {
        let changes = tree.remembered
        tree.remembered = []
        try state.append(changes + entries)
        try state.sync()
    }

    /// The same, where it need not survive the machine's end.
    mutating func remember(unsynced entries: [StateEntry]) throws(DocumentError) {
        let changes = tree.remembered
        tree.remembered = []
        try state.append(changes + entries)
    }

    mutating func rewriteState() throws(DocumentError) {
        guard let rootKey else { return }
        let tree = self.tree
        let ledger = self.ledger
        let settings = StateSettings(
            epoch: epoch, tag: tag, rootKey: rootKey, feedFloor: tree.log.floor, feedLast: tree.log.last)
        try state.rewrite { append throws(DocumentError) in
            try append(.settings(settings))
            for record in tree.records.values { try append(.record(record)) }
            for (id, known) in tree.contents { try append(.contents(id, known)) }
            for burial in tree.burials { try append(.burial(burial)) }
            for entry in ledger.entries { try append(entry) }
        }
        self.tree.remembered = []
    }

    // MARK: Telling people

    /// - Returns: what people are to be told of what is left out; nil when they know.
    mutating func leftOutNews() -> String? {
        leftOut = leftOut.filter { tree.records[$0.key] != nil }
        let folders = leftOut.map { id, found in
            (tree.components(of: id)?.map(\.description).joined(separator: "/") ?? "", found)
        }
        let sentence = LeftOut.sentence(of: folders)
        guard sentence != leftOutTold else { return nil }
        leftOutTold = sentence
        return sentence
    }

    mutating func noteLeftOut(_ found: LeftOut, in id: RecordID) {
        guard leftOut[id, default: .init()] != found else { return }
        leftOut[id] = found.isEmpty ? nil : found
        guard !found.isEmpty else { return }
        let path = tree.components(of: id)?.map(\.description).joined(separator: "/") ?? ""
        logger.info(
            "Some entries of “/\(path)” are left out.",
            metadata: [
                "entries.links": "\(found.links)", "entries.special": "\(found.special)",
                "entries.unnameable": "\(found.unnameable)",
                "entries.hidden": "\(found.hidden)",
            ])
    }

    mutating func warnOfWatches() {
        guard !watches.isComplete, !hasWarnedOfWatches else { return }
        hasWarnedOfWatches = true
        guard let refusal = watches.refusal else {
            logger.info(
                "The folder is on a network file system: Docent looks at everything every \(settings.pace.rescan / 1000) seconds, or less often when that takes long."
            )
            return
        }
        let why =
            refusal == -ENOSPC
            ? "the system's limit of watched folders is reached (raise fs.inotify.max_user_watches)"
            : refusal == -EMFILE
                ? "the system's limit of watchers is reached (raise fs.inotify.max_user_instances)"
                : "the system refused (\(Errno(rawValue: -refusal)))"
        logger.warning(
            "Not all folders can be watched for changes: \(why). Docent looks at everything every \(settings.pace.rescan / 1000) seconds instead."
        )
    }
}
