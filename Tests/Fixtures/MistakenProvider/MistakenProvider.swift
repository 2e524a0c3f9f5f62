import DocumentModel
import DocumentProvider
import Glibc
import Synchronization

/// A provider that is right in all that a provider can do, but for the one mistake that its setting names.
final class MistakenProvider: ModifyingProvider, ChangeFeedProvider, RangeProvider, PickerProvider,
    ThumbnailProvider, VersionsProvider, QuotaProvider
{
    static let version = "1.0"

    let context: ProviderContext
    let mistake: Mistake?
    let remote: Remote
    let copier: ContentsCopier
    /// The picker sessions that were prepared and have not ended.
    let pickers = Mutex<Set<String>>([])
    private let control: RemoteControl
    private let turnstile: Turnstile
    private let looks = Atomic(0)
    /// The documents that were given up.
    private let givenUp = Mutex<Set<ItemIdentifier>>([])
    /// The documents that were provided.
    private let provided = Mutex<Set<ItemIdentifier>>([])
    /// The token of the page that was given last.
    private let lastPage = Mutex<PageToken?>(nil)
    private let knownPaths = Mutex<[String: ItemIdentifier]>([:])

    init(context: ProviderContext) async throws {
        self.context = context
        mistake = try context.settings["mistake"].flatMap { name in
            guard !name.isEmpty else { return nil }
            guard let mistake = Mistake(rawValue: name) else {
                throw DocumentError(.notConfigured, "There is no mistake called “\(name)”. See Mistake.swift.")
            }
            return mistake
        }
        let pace = context.settings["pace"].flatMap { Int($0) } ?? 0
        copier = ContentsCopier(mistake: mistake, pace: pace)
        turnstile = Turnstile(mistake: mistake)
        remote = try Remote(folder: context.stateFolder, mistake: mistake)
        control = RemoteControl(
            folder: context.settings["control"].flatMap { $0.isEmpty ? nil : FilePath($0) }, mistake: mistake
        )
        try control.checkSetUp()
        if mistake == .leavesAChild { try leaveChild() }
        if mistake == .spinsIdle {
            var thread = pthread_t()
            pthread_create(&thread, nil, { _ in while true { sched_yield() } }, nil)
        }
        let (control, remote) = (control, remote)
        Task(executorPreference: Program.loop) { try await control.follow(remote, context) }
    }

    /// Does a call, when the remote is there.
    ///
    /// - Parameters:
    ///   - stores: whether the remote has to take something for it.
    ///   - removes: whether the remote has to let something go for it.
    func serve<Result>(
        stores: Bool = false, removes: Bool = false, _ body: () async throws -> Result
    ) async throws -> Result {
        if mistake == .floodsStandardError {
            _ = try FileDescriptor.standardError.writeAll([UInt8](repeating: UInt8(ascii: "."), count: 65_536))
        }
        return try await turnstile.pass {
            do {
                try await control.reach(stores: stores, removes: removes)
            } catch {
                if stores || removes, mistake == .refusedChangeMade { _ = try await body() }
                throw error
            }
            return try await body()
        }
    }

    func item(for id: ItemIdentifier) async throws -> Item {
        try await serve {
            var item = try remote.look { try $0.item(id) }
            switch mistake {
            case .listedItemIsMissing where item.name?.rawValue == "Welcome.txt":
                throw remote.look { $0.missing(id) }
            case .metadataDiffersForOneVersion where item.kind == .document:
                item.size = (item.size ?? 0) + 1
            case .versionChangesAtEachLook:
                let look = looks.wrappingAdd(1, ordering: .relaxed).newValue
                item.version = try ItemVersion(content: item.version.content, metadata: Array("look \(look)".utf8))
            default: break
            }
            return item
        }
    }

    func items(in container: ItemIdentifier, page: PageToken?, suggestedCount: Int) async throws -> ItemPage {
        try await serve {
            if mistake == .pageGivenOnce {
                let isSecond = lastPage.withLock { last in
                    defer { last = page }
                    return page != nil && last == page
                }
                if isSecond { throw DocumentError(.pageExpired, "This page was given. Begin the listing again.") }
            }
            var found = try remote.look { try $0.page(of: container, token: page, count: suggestedCount) }
            if mistake == .cancelledListingIsCut, await isCancelledSoon() {
                found = ItemPage(items: Array(found.items.prefix(1)), next: nil)
            }
            return found
        }
    }

    /// Starts a process that is there when this one has ended.
    private func leaveChild() throws {
        var child: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("5"), nil]
        defer { for word in words { free(word) } }
        let status = posix_spawnp(&child, "sleep", nil, nil, words, environ)
        guard status == 0 else { throw Errno(rawValue: status) }
    }

    /// Whether the host loses interest while nothing happens.
    private func isCancelledSoon() async -> Bool {
        (try? await Task.sleep(for: .milliseconds(200))) == nil
    }

    func providePlaceholder(for id: ItemIdentifier) async throws {
        try await serve {
            if mistake == .strangersPlaceholderTaken, (try? remote.look({ try $0.item(id) })) == nil { return }
            var item = try remote.look { try $0.item(id) }
            guard mistake != .placeholderNotWritten else { return }
            if mistake == .placeholderOfAnotherSize, item.kind == .document { item.size = (item.size ?? 0) + 1 }
            do {
                try await context.writePlaceholder(item)
            } catch {
                guard mistake == .placeholderRefusalIgnored else { throw error }
            }
        }
    }

    /// The new contents come by ``modifyItem(_:transfer:)``.
    func itemChanged(_ id: ItemIdentifier) async throws {
        try await notice()
        if mistake == .noticeMakesVersion { try remote.change { $0.touch(id) } }
        guard mistake == .noticeOfStrangerFails, (try? remote.look({ try $0.item(id) })) == nil else { return }
        throw DocumentError(.internal, "Nothing is known of “\(id)”.")
    }

    func stopProvidingItem(_ id: ItemIdentifier) async throws {
        try await notice()
        givenUp.withLock { _ = $0.insert(id) }
    }

    /// Counts how often something was done.
    func count() -> Int { looks.wrappingAdd(1, ordering: .relaxed).newValue }

    private func notice() async throws {
        if mistake == .noticesFail { throw DocumentError(.internal, "This is of no interest.") }
        if mistake == .noticesTakeLong { try await Task.sleep(for: .seconds(3)) }
    }

    /// Whether a document is not given any more: never of a provider that is right.
    func isSpent(_ id: ItemIdentifier) -> Bool {
        let isKnown = !provided.withLock { $0.insert(id).inserted }
        return mistake == .providesOnce && isKnown || mistake == .givenUpIsGone && givenUp.withLock { $0.contains(id) }
    }

    func persistentIdentifier(forItemAt path: String) async throws -> ItemIdentifier? {
        try await serve {
            if mistake == .topFolderHasAName, path.isEmpty { return nil }
            if mistake == .pathsAreRemembered, let id = knownPaths.withLock({ $0[path] }) { return id }
            let id = remote.look { $0.identifier(atPath: path) }
            knownPaths.withLock { $0[path] = id }
            return id
        }
    }

    func path(for id: ItemIdentifier) async throws -> String? {
        try await serve {
            if mistake == .topFolderHasAName, id == .root { return "top" }
            let path = remote.look { $0.path(of: id) }
            if path == nil, mistake == .nothingIsAnError { throw remote.look { $0.missing(id) } }
            return path
        }
    }

    func currentAnchor() async throws -> SyncAnchor {
        try await serve { try remote.look { try $0.anchor } }
    }

    func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws -> ItemChanges {
        try await serve {
            if mistake == .feedUnimplemented {
                throw DocumentError(.unimplemented, "The provider has no feed of changes.")
            }
            var changes = try remote.look { try $0.changes(since: anchor, count: suggestedCount) }
            if mistake == .cancelledChangesAreCut, await isCancelledSoon() {
                changes.updated = Array(changes.updated.prefix(1))
                changes.more = false
            }
            return changes
        }
    }

    /// The host is told, also of what it changed itself: the feed has something new.
    func signal() {
        if mistake != .changesNotSignalled { context.signalChanges() }
    }
}
