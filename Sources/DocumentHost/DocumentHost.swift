public import DocumentModel
package import DocumentStorage
import DocumentSync
package import DocumentTransport
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
    /// Where things are, and how patient the host is.
    public struct Configuration: Sendable {
        /// The document storage root; made when it is missing.
        public var root: FilePath
        /// Folders of provider bundles.
        public var providerFolders: [FilePath]
        /// Further bundles, by their own path.
        public var providerBundles: [FilePath]
        /// The program that starts providers, so that they cannot outlive the host.
        public var trampoline: FilePath
        /// How long an unused provider process is kept.
        public var providerIdleTime: Duration = .seconds(300)
        /// Who we are, for providers' logs.
        public var software: String

        public init(
            root: FilePath, providerFolders: [FilePath], providerBundles: [FilePath] = [], trampoline: FilePath,
            software: String
        ) {
            self.root = root
            self.providerFolders = providerFolders
            self.providerBundles = providerBundles
            self.trampoline = trampoline
            self.software = software
        }

        /// The usual places: bundles of the user, of the system and beside the executable, the trampoline beside it,
        /// and what the environment names.
        public init(root: FilePath, executable: FilePath, providerBundles: [FilePath] = [], software: String) {
            let environment = ["XDG_DATA_HOME", "HOME", ProviderCatalogue.environmentKey].reduce(into: [:]) {
                values, name in
                values[name] = getenv(name).map { String(cString: $0) }
            }
            self.init(
                root: root,
                providerFolders: ProviderCatalogue.standardFolders(environment: environment, executable: executable),
                providerBundles: providerBundles + ProviderCatalogue.explicitBundles(environment: environment),
                trampoline: executable.removingLastComponent().appending("docent-trampoline"), software: software)
        }
    }

    /// Is told of each durable step; tests end the process there.
    package typealias Observer = StepObserver

    /// One host tool's connection: what it holds ends with it.
    public struct Tool: Sendable {
        let owner: ClaimOwner
    }

    let configuration: Configuration
    let logger: Logger
    let loop: EventLoop
    let root: StorageRoot
    let storage: StorageThreads
    let work = WorkGroup()
    let broker = CoordinationBroker()
    let domains = DomainRegistry()
    let locks = KeyedLock<ItemKey>()
    let owner = ClaimOwner(id: 0, name: "docentd")
    let accesses: AccessTable
    let sender: Sender
    let delivery: Delivery
    let treeWork: TreeWork
    let follower: ChangeFollower
    let resolver: ItemResolver
    let materialiser: Materialiser
    let granter: AccessGranter
    let exporter: Exporter
    let arranger: Arranger
    let evictor: Evictor
    let resolution: ConflictResolver
    let tools = ToolCounter()
    let fleet: ProviderFleet
    private let processThreads = BlockingPool(threads: 2, name: "docent-launch")

    /// What the start found and mended, one sentence each.
    public let findings: [String]

    /// Opens the storage root and mends what a crash left, with an event loop of its own. Blocks.
    ///
    /// - Throws: ``DocumentError``: `busy` when another host has the root, `localStorage` when it cannot be used.
    public convenience init(_ configuration: Configuration, logger: Logger) throws(DocumentError) {
        ignoreBrokenPipeSignal()
        try self.init(configuration, loop: EventLoop(name: "docent-host"), logger: logger)
    }

    /// Opens the storage root and mends what a crash left. Blocks; nothing of the providers is started yet.
    ///
    /// - Throws: ``DocumentError``: `busy` when another host has the root, `localStorage` when it cannot be used.
    package init(
        _ configuration: Configuration, loop: EventLoop, observer: (any StepObserver)? = nil, logger: Logger
    ) throws(DocumentError) {
        self.configuration = configuration
        self.logger = logger
        self.loop = loop
        do {
            root = try StorageRoot(at: configuration.root, logger: logger)
            let store = DocumentStore(root, observer: observer, logger: logger)
            storage = StorageThreads(store: store)
            let report = try store.reconcile()
            findings = report.findings
        } catch {
            throw DocumentError(wrapping: error)
        }
        fleet = ProviderFleet(
            in: LaunchContext(
                loop: loop, blocking: processThreads, trampoline: configuration.trampoline,
                environment: Self.environment(), software: configuration.software,
                locale: getenv("LANG").map { String(cString: $0) } ?? "", logger: logger))
        accesses = AccessTable()
        delivery = Delivery(
            storage: storage, domains: domains, broker: broker, locks: locks, owner: owner, logger: logger,
            permits: Permits(Sender.width))
        sender = Sender(
            storage: storage, delivery: delivery, work: work, executor: loop, retry: RetryPolicy(), logger: logger)
        treeWork = TreeWork(
            storage: storage, broker: broker, locks: locks, work: work, owner: owner, logger: logger)
        follower = ChangeFollower(
            storage: storage, treeWork: treeWork, catchUps: SharedTransfers(work: work, executor: loop),
            listings: SharedTransfers(work: work, executor: loop), sender: sender, logger: logger)
        resolver = ItemResolver(storage: storage, follower: follower)
        materialiser = Materialiser(
            storage: storage, locks: locks, transfers: SharedTransfers(work: work, executor: loop), logger: logger)
        granter = AccessGranter(
            storage: storage, broker: broker, accesses: accesses, domains: domains, resolver: resolver,
            follower: follower, materialiser: materialiser, sender: sender, work: work, logger: logger)
        exporter = Exporter(
            storage: storage, broker: broker, resolver: resolver, follower: follower, owner: owner)
        arranger = Arranger(
            storage: storage, broker: broker, locks: locks, resolver: resolver, follower: follower,
            exporter: exporter, owner: owner)
        evictor = Evictor(storage: storage, broker: broker, locks: locks, treeWork: treeWork, owner: owner)
        resolution = ConflictResolver(
            storage: storage, broker: broker, sender: sender, owner: owner)
        try openDomains()
    }

    /// Runs the domains' providers and the host's own work until the task is cancelled; then ends the providers, in
    /// parallel, and closes the storage root.
    public func run() async {
        // Not a child: the providers end in good order after everything else was cancelled.
        let providers = Task(executorPreference: loop) { [fleet] in await fleet.run() }
        await withTaskExecutorPreference(loop) {
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in await work.run() }
                do throws(DocumentError) {
                    try sender.enqueueAll(of: nil)
                } catch {
                    logger.error("unsent documents could not be looked up", metadata: ["error": "\(error)"])
                }
            }
        }
        fleet.stopAll()
        await providers.value
        processThreads.shutdown()
        storage.shutdown()
        do {
            try root.close()
        } catch {
            logger.error("the storage root could not be closed", metadata: ["error": "\(error)"])
        }
    }

    /// The document storage root.
    public var rootPath: FilePath { root.path }

    /// How many claims are held.
    public var claimCount: Int { broker.heldCount }

    /// Whether something goes on that should not be cut short: unsent documents, transfers, held accesses.
    public var isBusy: Bool { sender.isBusy || broker.heldCount > 0 || !materialiser.transfers.keys.isEmpty }

    private static func environment() -> [String: String] {
        var values: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2 { values[String(pair[0])] = String(pair[1]) }
            entry += 1
        }
        return values
    }
}
