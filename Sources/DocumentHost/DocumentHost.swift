public import DocumentModel
package import DocumentStorage
import DocumentSync
package import DocumentTransport
import DocumentTypes
import FileCoordination
import Glibc
public import Logging
import ProviderLauncher
public import SystemPackage

/// The engine that owns one document storage root, the providers and all coordination.
///
/// A program may embed it: open it, keep ``run()`` running in a task group, and call the rest from other tasks.
/// `docentd` does so behind a socket.
public final class DocumentHost: Sendable {
    /// Is told of each durable step; tests end the process there.
    package typealias Observer = StepObserver

    /// One host tool's connection: what it holds ends with it.
    public struct Tool: Sendable {
        let owner: ClaimOwner
        let process: Int32
        let standing: ToolStanding
    }

    let configuration: Configuration
    let logger: Logger
    let loop: EventLoop
    /// It made the loop itself, and ends it.
    let ownsLoop: Bool
    let root: StorageRoot
    let storage: StorageThreads
    let work = WorkGroup()
    let broker: CoordinationBroker
    let domains = DomainRegistry()
    let locks = KeyedLock<ItemKey>()
    /// One at a time signs a domain in or out, adds or removes it.
    let domainLocks = KeyedLock<DomainName>()
    let keptSecrets: KeptSecrets
    let secrets: DomainSecrets
    let prompts = SignInPrompts()
    let keyValueNews = KeyValueNews()
    let owner = ClaimOwner(id: 0, name: "docentd")
    let accesses: AccessTable
    let attempts: AccessAttempts
    let presenters = PresenterTable()
    let attributes: AttributeWatch
    let bookmarks: BookmarkDesk
    let registry: ToolRegistry
    let sender: Sender
    let delivery: Delivery
    let treeWork: TreeWork
    let deletions: DeletionDesk
    let follower: ChangeFollower
    let lookout: FolderLookout
    let discovery: FolderDiscovery
    let readAhead: ReadAhead
    let resolver: ItemResolver
    let materialiser: Materialiser
    let board: TransferBoard
    let downloader: Downloader
    let pauses: PauseGate
    /// One download of what the remote has of a document at a time, which keeps nobody from the document.
    let versionFetches = KeyedLock<ItemKey>()
    let pinKeeper: PinKeeper
    let missingDigests: MissingDigests
    let events: EventHub
    let failures: DownloadFailures
    let uses: UseLog
    let reclaimer: Reclaimer
    let outdatedContents: OutdatedContents
    let quotas: QuotaDesk
    let stayingSources: StayingSources
    let thumbnailDesk: ThumbnailDesk
    let disk: DiskCheck
    let providing: ProvidingEnds
    let localChanges: LocalChangeWatcher
    let granter: AccessGranter
    let interrupted: InterruptedChanges
    let backlog: Backlog
    let exporter: Exporter
    let arranger: Arranger
    let arrivals: Arrivals
    let departures: Departures
    let clearing: ContainerClearing
    let evictor: Evictor
    let resolution: ConflictResolver
    let sideKeeper: SideKeeper
    let tools = ToolCounter()
    let pickers = PickerTable()
    let exported = ExportedItems()
    let machineTypes = MachineTypes()
    let outside: OutsidePaths
    let fleet: ProviderFleet
    let confinement: Confinement
    let providerRecords: ProviderRecords
    let recordThreads: BlockingPool
    /// Looks for what providers have left, and waits some seconds for its end.
    let sweepThread: BlockingPool
    /// For what is kept in a keyring, which may take its time: documents do not wait for it.
    let secretThread: BlockingPool

    private let startFindings: [String]

    /// What the start found and mended, and what is out of order since, one sentence each.
    public var findings: [String] { startFindings + localChanges.notices }

    /// Opens the storage root and mends what a crash left, with an event loop of its own. Blocks.
    ///
    /// - Throws: ``DocumentError``: `busy` when another host has the root, `localStorage` when it cannot be used.
    public convenience init(_ configuration: Configuration, logger: Logger) throws(DocumentError) {
        ignoreBrokenPipeSignal()
        let loop = EventLoop(name: "docent-host")
        do throws(DocumentError) {
            try self.init(configuration, loop: loop, ownsLoop: true, logger: logger)
        } catch {
            loop.shutdown()
            throw error
        }
    }

    /// Opens the storage root and mends what a crash left. Blocks; nothing of the providers is started yet.
    ///
    /// - Throws: ``DocumentError``: `busy` when another host has the root, `localStorage` when it cannot be used.
    ///
    /// - Parameters:
    ///   - ownsLoop: the loop ends with ``run()``; else it is whoever's made it.
    ///   - stepping: carries out what blocks, instead of threads; nil: there are threads.
    package init(
        _ configuration: Configuration, loop: EventLoop, ownsLoop: Bool = false,
        steppedBy stepping: SteppedWork? = nil,
        observer: (any StepObserver)? = nil, logger: Logger
    ) throws(DocumentError) {
        self.configuration = configuration
        self.logger = logger
        self.loop = loop
        self.ownsLoop = ownsLoop
        recordThreads = BlockingPool(threads: 2, name: "docent-records", steppedBy: stepping)
        sweepThread = BlockingPool(threads: 1, name: "docent-sweep", steppedBy: stepping)
        secretThread = BlockingPool(threads: 1, name: "docent-secrets", steppedBy: stepping)
        outside = OutsidePaths(executor: loop, isStepped: stepping != nil)
        do {
            root = try StorageRoot(at: configuration.root, logger: logger)
            keptSecrets = try KeptSecrets(root.secrets, choice: configuration.secrets, logger: logger)
        } catch {
            throw DocumentError(wrapping: error)
        }
        let store = DocumentStore(
            root, observer: observer, date: { Self.secondsSince1970() }, logger: logger)
        secrets = DomainSecrets(keptSecrets)
        let storage = StorageThreads(store: store, executor: loop, steppedBy: stepping)
        self.storage = storage
        bookmarks = BookmarkDesk(storage: storage, clock: { Self.secondsSince1970() })
        let start = MonotonicTime.now()
        let clock: @Sendable () -> Duration = { MonotonicTime.now().since(start) }
        broker = CoordinationBroker(
            clock: BrokerClock(
                now: { MonotonicTime.now().since(start) },
                wake: { [loop] time, body in loop.wake(at: start + time, body) }))
        store.versionNews.onPruned { [broker] id, domain, versions in
            let item = try? storage.read { index in try index.item(id, in: domain).map { try index.coordinated($0) } }
            guard let item = item ?? nil else { return }
            for version in versions { broker.version(version.identifier, .lost, of: item) }
        }
        accesses = AccessTable()
        attempts = AccessAttempts(broker: broker, executor: loop)
        let digests = DigestTaker(storage: storage, locks: locks, work: work)
        delivery = Delivery(
            storage: storage, domains: domains, broker: broker, locks: locks, digests: digests, owner: owner,
            logger: logger, clock: clock, places: DomainPermits(each: SyncPacing.Limits().documents),
            turns: DomainPermits(each: SyncPacing.Limits().requests),
            folders: FolderReviver(storage: storage, logger: logger),
            made: MadeItems(storage: storage, logger: logger))
        pauses = PauseGate(storage: storage)
        missingDigests = MissingDigests(
            storage: storage, broker: broker, locks: locks, pauses: pauses, work: work, loop: loop, logger: logger)
        sender = Sender(
            storage: storage, delivery: delivery, pauses: pauses, work: work, loop: loop, retry: RetryPolicy(),
            clock: clock, logger: logger)
        let strays = StrayFiles(
            storage: storage, broker: broker, sender: sender, owner: owner, work: work, logger: logger)
        let search = FileSearch(storage: storage, loop: loop)
        disk = DiskCheck(
            storage: storage, broker: broker, locks: locks, accesses: accesses, sender: sender, strays: strays,
            search: search, owner: owner, loop: loop)
        localChanges = LocalChangeWatcher(
            storage: storage, disk: disk, strays: strays, loop: loop, work: work, logger: logger)
        let report: ReconciliationReport
        do {
            // Before anything is compared: what happens meanwhile is told.
            try localChanges.begin()
            let signOuts = try store.finishSignOuts(forgetting: secrets)
            // In simulations all that blocks is carried out in turns.
            report = try store.reconcile(leavingSources: stepping == nil)
            do {
                try store.dropNeedlessParts(before: Self.secondsSince1970() - configuration.parts.patience)
            } catch {
                logger.warning("parts that nobody needs stay", metadata: ["error": "\(error)"])
            }
            confinement = .here(configuration.allowsUnsandboxedProviders ? .asFarAsPossible : .required)
            registry = ToolRegistry(
                ownPrograms: [configuration.trampoline.removingLastComponent().appending("docent")],
                admitsUnregistered: configuration.admitsUnregisteredTools)
            let (tools, place) = try root.index.read { (try $0.tools(), try $0.containerPlace()) }
            startFindings =
                signOuts + report.findings + (confinement.notice.map { [$0] } ?? [])
                + registry.load(tools, containerPlace: place)
        } catch {
            throw DocumentError(wrapping: error)
        }
        var launching = LaunchContext(
            loop: loop, blocking: recordThreads, trampoline: configuration.trampoline,
            environment: Self.environment(), software: configuration.software,
            locale: getenv("LANG").map { String(cString: $0) } ?? "", logger: logger)
        if configuration.adoptsOrphans {
            launching.family = ProcessFamily(blocking: sweepThread, logger: logger)
            if launching.family == nil {
                logger.warning("the kernel lets nobody adopt orphans: what a killed shepherd leaves is not swept up")
            }
        }
        launching.confinement = confinement
        launching.link = configuration.link
        fleet = ProviderFleet(in: launching)
        providerRecords = ProviderRecords(
            postMortems: PostMortemStore(folder: root.failuresFolder), recordings: root.recordingsFolder,
            blocking: recordThreads)
        treeWork = TreeWork(
            storage: storage, broker: broker, locks: locks, work: work, owner: owner, sender: sender, pauses: pauses,
            search: search, logger: logger)
        store.follower.handOver(to: { [treeWork] in treeWork.performLater($0) })
        deletions = DeletionDesk(
            storage: storage, treeWork: treeWork, clock: { Self.secondsSince1970() }, logger: logger)
        let listings = SharedTransfers<ItemKey, Void>(work: work, executor: loop)
        follower = ChangeFollower(
            storage: storage, treeWork: treeWork, deletions: deletions,
            catchUps: SharedTransfers(work: work, executor: loop), listings: listings,
            placeholders: PlaceholderWriter(storage: storage, listings: listings, work: work, logger: logger),
            sender: sender, logger: logger)
        let leftSources = LeftSources(storage: storage, locks: locks, work: work, logger: logger)
        leftSources.removeLater(report.sources)
        interrupted = InterruptedChanges(
            report.pending, storage: storage, domains: domains, locks: locks, follower: follower, sources: leftSources,
            looks: SharedTransfers(work: work, executor: loop), work: work, retry: RetryPolicy(), clock: clock,
            logger: logger)
        let rules: @Sendable (DomainName) -> DomainRules = { [deletions] name in
            (try? deletions.rules(of: name)) ?? DomainRules()
        }
        lookout = FolderLookout(
            domains: domains, follower: follower, rules: rules, work: work,
            clock: { MonotonicTime.now().since(start) }, logger: logger)
        discovery = FolderDiscovery(
            storage: storage, domains: domains, follower: follower, rules: rules, work: work,
            clock: { MonotonicTime.now().since(start) }, logger: logger)
        resolver = ItemResolver(storage: storage, follower: follower)
        uses = UseLog(clock: { Self.secondsSince1970() })
        let known = KnownItems(storage: storage)
        events = EventHub(storage: storage)
        failures = DownloadFailures(clock: clock) { [events] in events.domainChanged($0) }
        let requests = DownloadRequests()
        materialiser = Materialiser(
            storage: storage, known: known, locks: locks,
            transfers: SharedTransfers(work: work, executor: loop, clock: clock), requests: requests,
            pauses: pauses, uses: uses,
            parts: PartwiseFetch(
                storage: storage, limits: configuration.parts, transfers: PartialTransfers(work: work), clock: clock,
                date: { Self.secondsSince1970() },
                logger: logger),
            failures: failures, digests: digests, logger: logger)
        let brought = DownloadTally()
        readAhead = ReadAhead(
            storage: storage, domains: domains, broker: broker, materialiser: materialiser, brought: brought,
            rules: rules, work: work, clock: clock, logger: logger)
        downloader = Downloader(
            storage: storage, broker: broker, disk: disk, materialiser: materialiser, owner: owner)
        let lasting = LastingRequests(storage: storage, requests: requests, work: work, logger: logger)
        pinKeeper = PinKeeper(
            storage: storage, downloader: downloader, pauses: pauses, follower: follower, lookout: lookout,
            domains: domains, requests: lasting, hub: events, work: work, retry: RetryPolicy(), clock: clock,
            logger: logger)
        pauses.follow { [weak pinKeeper] in pinKeeper?.pausesChanged() }
        root.index.observeIdentities { [weak pinKeeper, weak broker] news in
            broker?.appeared(news.map(\.key))
            pinKeeper?.identified(news)
        }
        board = TransferBoard(
            materialiser: materialiser, sender: sender, pinKeeper: pinKeeper, requests: requests, failures: failures,
            clock: clock)
        materialiser.transfers.onReport { [events] in events.progressed($0) }
        sender.onReport { [events] in events.progressed($0) }
        attributes = AttributeWatch(storage: storage, broker: broker, work: work, logger: logger)
        providing = ProvidingEnds(
            known: known, broker: broker, accesses: accesses, domains: domains, work: work, logger: logger)
        let places = PlaceClaim(storage: storage, broker: broker, accesses: accesses, owner: owner)
        let localMoves = LocalMoves(
            storage: storage, broker: broker, attributes: attributes, outside: outside)
        arrivals = Arrivals(
            storage: storage, broker: broker, places: places, localMoves: localMoves, resolver: resolver,
            follower: follower, sender: sender)
        backlog = Backlog(
            report.pending, storage: storage, broker: broker, locks: locks, domains: domains, follower: follower,
            deletions: deletions, sender: sender, folders: delivery.folders,
            rounds: SharedTransfers(work: work, executor: loop), work: work,
            retry: RetryPolicy(),
            clock: clock,
            logger: logger)
        sender.prepares { [weak interrupted, weak backlog] key throws(DocumentError) in
            try await interrupted?.settleRemoval(of: key)
            try await backlog?.settle(before: key)
        }
        sender.reportsMade { [weak backlog] domain in backlog?.itemsWereMade(in: domain) }
        sender.reportsEnds { [weak backlog] key in backlog?.sendingEnded(key) }
        let parts = PackageParts(
            storage: storage, arrivals: arrivals, sender: sender, backlog: backlog, localChanges: localChanges,
            work: work,
            logger: logger)
        granter = AccessGranter(
            storage: storage, known: known, broker: broker, accesses: accesses,
            presenters: presenters, domains: domains, exported: exported, resolver: resolver, follower: follower,
            materialiser: materialiser,
            contents: FolderContents(
                storage: storage, follower: follower, materialiser: materialiser, requests: requests),
            pinKeeper: pinKeeper, sender: sender, arrivals: arrivals, parts: parts, disk: disk, providing: providing,
            localChanges: localChanges, work: work, logger: logger, brought: brought, readAhead: readAhead)
        exporter = Exporter(
            storage: storage, broker: broker, locks: locks, accesses: accesses, resolver: resolver, follower: follower,
            made: delivery.made, downloader: downloader, localMoves: localMoves, owner: owner)
        arranger = Arranger(
            storage: storage, broker: broker, locks: locks, resolver: resolver, follower: follower,
            exporter: exporter, accesses: accesses, deletions: deletions, backlog: backlog,
            remover: FolderRemover(storage: storage, follower: follower, logger: logger),
            observer: RemoteObserver(storage: storage, domains: domains, treeWork: treeWork, logger: logger),
            fetcher: RemoteVersionFetcher(storage: storage, broker: broker, locks: locks, fetches: versionFetches),
            sender: sender, owner: owner, work: work)
        departures = Departures(
            storage: storage, broker: broker, locks: locks, domains: domains, resolver: resolver, accesses: accesses,
            deletions: deletions, localMoves: localMoves, outside: outside, owner: owner,
            wakes: DomainWakes(work: work, clock: clock), retry: RetryPolicy(), clock: clock, logger: logger)
        clearing = ContainerClearing(
            storage: storage, broker: broker, domains: domains, arranger: arranger, deletions: deletions,
            interrupted: interrupted, owner: owner, work: work, retry: RetryPolicy(), clock: clock, logger: logger)
        evictor = Evictor(
            storage: storage, broker: broker, locks: locks, treeWork: treeWork, requests: lasting, owner: owner)
        reclaimer = Reclaimer(
            storage: storage, domains: domains, broker: broker, evictor: evictor, uses: uses, work: work,
            executor: loop, date: { Self.secondsSince1970() }, logger: logger
        )
        outdatedContents = OutdatedContents(
            storage: storage, domains: domains, evictor: evictor, hub: events, work: work, clock: clock,
            patience: configuration.outdatedPatience, logger: logger)
        quotas = QuotaDesk(
            storage: storage, asks: SharedTransfers(work: work, executor: loop), hub: events, work: work, clock: clock,
            date: { Self.secondsSince1970() }, logger: logger)
        stayingSources = StayingSources(
            storage: storage,
            outside: OutsidePaths(name: "docent-stays", mostAtOnce: 4, executor: loop, isStepped: stepping != nil),
            work: work, logger: logger)
        providing.onClaimEnded { [weak outdatedContents] in outdatedContents?.useEnded(of: $0) }
        thumbnailDesk = ThumbnailDesk(
            storage: storage,
            fetcher: ThumbnailFetcher(
                storage: storage, domains: domains, work: work, executor: loop, logger: logger),
            work: work, pace: configuration.thumbnails, logger: logger)
        let sides = SideStore(
            storage: storage, broker: broker, locks: locks, fetches: versionFetches, owner: owner,
            deviceName: configuration.deviceName)
        sideKeeper = SideKeeper(
            storage: storage, domains: domains, broker: broker, pauses: pauses, sides: sides, work: work,
            retry: RetryPolicy(), clock: clock, logger: logger)
        root.index.onWrite { [weak attributes, weak reclaimer, weak thumbnailDesk, weak sideKeeper] in
            attributes?.indexWasWritten()
            reclaimer?.indexWasWritten()
            thumbnailDesk?.indexWasWritten()
            sideKeeper?.indexWasWritten()
        }
        resolution = ConflictResolver(
            storage: storage, broker: broker, locks: locks, sender: sender, disk: disk,
            copies: ConflictCopies(storage: storage, broker: broker, made: delivery.made), owner: owner, sides: sides)
        sideKeeper.follows { [resolution] item, own throws(DocumentError) in
            try await resolution.followElsewhere(item, own)
        }
        sender.refreshes { [weak self] name in self?.followInBackground(name) }
        sender.reportsConflicts { [work, weak self] key in
            work.add { [weak self] in await self?.treeWork.conflicts.end(key) }
        }
        strays.follows { [weak self] key, destination throws(DocumentError) in
            guard let self, let place = try storage.read({ try $0.location(of: key.id, in: key.domain) }) else {
                return
            }
            // By then the remote may have put something else there.
            _ = try await rename(place, to: destination, atOnce: false, within: nil, expecting: key.id)
        } takingIn: { [weak self] folder throws(DocumentError) in
            try await self?.takeIn(folder)
        }
        localChanges.follow(report.moved)
        strays.toldAtStart(report.unknownFiles)
        root.tree.folderMoves.observe { [weak strays] in strays?.followFolder($0) }
        store.leftFiles.onLeft { [weak strays] in strays?.tellLeft($0) }
        store.keptEdits.onKept { [weak sender] item in sender?.enqueue(item.key) }
        try openDomains()
    }

    /// The document storage root.
    public var rootPath: FilePath { root.path }

    /// How many claims are held.
    public var claimCount: Int { broker.heldCount }

    /// Whether something goes on that should not be cut short: unsent documents, transfers, held accesses.
    public var isBusy: Bool {
        sender.isBusy || pinKeeper.isBusy || localChanges.isBusy || backlog.isBusy || broker.heldCount > 0
            || !materialiser.transfers.keys.isEmpty
    }
}
