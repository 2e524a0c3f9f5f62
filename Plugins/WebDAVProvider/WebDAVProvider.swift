internal import DocumentModel
internal import DocumentProvider
internal import SystemPackage

/// Provides a folder of a WebDAV server.
///
/// What it does where there is a choice:
///
/// - An item is its path. WebDAV has no other identity, so what is renamed on the server is another item (ID-4).
/// - A content version is made of size, date and tag together; a document that was changed within the last two seconds
///   is brought when they have passed (RS-2).
/// - A listing is one `PROPFIND` of depth 1 (RS-8), read as it comes. What is not in the folder that was asked about, and
///   what has a name that no item may have, is left out and counted in the log.
/// - What has changed is asked for where the server tells it (RFC 6578): of everything, as the feed, or of each folder.
/// - “Not found” is believed when the top folder is there and the answer is the same twice.
/// - Changes are made so that of two writers at the same time none loses what it wrote: by conditions where the server
///   keeps them, else under a claim (``ClaimPlan``), or not at all (RS-1, RS-10).
@main
final class WebDAVProvider: Provider, ModifyingProvider, ChangeFeedProvider, RangeProvider, QuotaProvider {
    static let version = "1.0"

    private let domain: WebDAVDomain
    private let context: ProviderContext
    private let gate: WriteGate

    init(context: ProviderContext) async throws {
        self.context = context
        let settings = try WebDAVSettings(context.settings)
        let board = DomainBoard { context.note($0, isWarning: $1) }
        gate = WriteGate(
            settings, finder: GuaranteeFinder(settings: settings, stateFolder: context.stateFolder),
            logger: context.logger, tell: { board.tell(writing: $0, isUnsafe: $1) })
        domain = try WebDAVDomain(
            settings, gate: gate, ledger: WriteLedger(in: context.stateFolder, logger: context.logger), board: board,
            logger: context.logger,
            signalReachable: { context.signalErrorResolved([.serverUnreachable]) },
            signalChanges: { context.signalChanges() })
        // While requests are answered: it takes longer than a host waits for the hello.
        gate.begin()
    }

    deinit {
        gate.stop()
    }

    func item(for id: ItemIdentifier) async throws -> Item {
        try await domain.item(for: id)
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        try await domain.items(in: container, page: page, suggestedCount: suggestedCount)
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {
        try await context.writePlaceholder(try await domain.item(for: id))
    }

    func startProvidingItem(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], transfer: Transfer
    ) async throws -> Item {
        try await domain.provide(id, at: stagingFile, contentVersion: contentVersion, transfer)
    }

    func provideRange(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        transfer: Transfer
    ) async throws -> Item {
        try await domain.provide(range, of: id, contentVersion: contentVersion, at: stagingFile, transfer)
    }

    /// The new contents come by ``modifyItem(_:transfer:)``.
    func itemChanged(_ id: ItemIdentifier) async throws {}

    /// Nothing is kept for an item in use.
    func stopProvidingItem(_ id: ItemIdentifier) async throws {}

    func quota() async throws -> RemoteQuota {
        try await domain.quota()
    }

    func currentAnchor() async throws -> SyncAnchor {
        try await domain.currentAnchor()
    }

    func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws -> ItemChanges {
        try await domain.changes(since: anchor, suggestedCount: suggestedCount)
    }

    func createItem(_ creation: ItemCreation, transfer: Transfer) async throws -> Item {
        try await domain.create(creation, transfer)
    }

    func modifyItem(_ modification: ItemModification, transfer: Transfer) async throws -> Item {
        try await domain.modify(modification, transfer)
    }

    func deleteItem(_ deletion: ItemDeletion) async throws {
        try await domain.delete(deletion)
    }
}
