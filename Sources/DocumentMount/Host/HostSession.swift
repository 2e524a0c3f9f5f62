import DocumentClient
import DocumentModel
import Synchronization
import SystemPackage

/// One connection to the host, and what is held through it.
final class HostSession: Sendable {
    private struct State {
        /// Who is in the middle of something that needs the connection.
        var users = 0
        var isOver = false
        var lastHold: UInt64 = 0
        var holds: [UInt64: AccessHold] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let client: DocumentClient
    /// How long a program waits for others that use a document, where it keeps others from the folder around it meanwhile.
    let patience: Duration
    /// All accesses of the mount are of one coordinator: its programs wait for others, never for each other, as in any
    /// folder (COORD-6). With those of other mounts they share what one of the two only reads.
    private let coordinator: FileCoordinator
    /// Who waits for a folder to be listed: that is not to take the connection's places from others. With those who wait for
    /// contents, they are fewer than it has.
    private let listings = ContentsQueue(mostOfDomain: 4, most: 12)
    private let state = Mutex(State())
    private let departure: AsyncStream<Void>
    private let departing: AsyncStream<Void>.Continuation

    init(_ client: DocumentClient, patience: Duration) {
        self.client = client
        self.patience = patience
        coordinator = FileCoordinator(ofMount: client)
        (departure, departing) = AsyncStream.makeStream(of: Void.self)
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Has the providers of all domains say what is new, in the background: what they do not tell by themselves.
    func catchUp() async {
        guard let domains = try? await client.domains() else { return }
        for domain in domains {
            Task { [client] in try? await client.refresh(Location(domain: domain.name)) }
        }
    }

    /// Hands on what happens, until the host ends or ``leave()``.
    func follow(_ events: ItemEvents, _ onEvent: @escaping @Sendable (ItemEvent) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var iterator = events.makeAsyncIterator()
                while let event = try? await iterator.next() { await onEvent(event) }
            }
            group.addTask { for await _ in self.departure { return } }
            await group.next()
            group.cancelAll()
        }
    }

    func leave() {
        departing.yield()
        departing.finish()
    }

    /// The host does not answer any more.
    func fail() {
        state.withLock { $0.isOver = true }
        leave()
    }

    /// - Throws: what the body throws; `hostUnavailable` when the connection has ended.
    func using<Value>(_ body: (HostSession) async throws -> Value) async throws -> Value {
        let isOver = state.withLock { state in
            if !state.isOver { state.users += 1 }
            return state.isOver
        }
        guard !isOver else { throw DocumentError(.hostUnavailable, "The host has ended; it is started again.") }
        defer { release() }
        return try await body(self)
    }

    /// Does something in a task of its own. The connection lasts until it is done.
    func add(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.users += 1 }
        Task(executorPreference: client.loop) {
            await body()
            self.release()
        }
    }

    private func release() {
        let waiters = state.withLock { state in
            state.users -= 1
            return Self.takeWaiters(&state)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// What is known of an item on this machine; its provider is asked where a folder around it was never listed.
    func knownItem(at location: Location) async throws -> ItemStatus {
        try await known(in: location.domain) { patience in
            try await client.knownItem(at: location, within: patience)
        }
    }

    /// The same of a page of a folder's items.
    func knownItemPage(
        in folder: Location, after page: PageToken? = nil, suggestedCount: Int
    ) async throws -> ItemStatusPage {
        try await known(in: folder.domain) { patience in
            try await client.knownItemPage(
                in: folder, after: page, suggestedCount: suggestedCount, within: patience)
        }
    }

    /// What is known is told at once. What is not is asked for again, by a few at a time: the host goes on listing meanwhile.
    private func known<Value>(
        in domain: DomainName, _ ask: (Duration?) async throws -> Value
    ) async throws -> Value {
        do {
            return try await ask(Self.moment)
        } catch let error as DocumentError where error.code == .deadlineExceeded {}
        return try await listings.with(domain) { try await ask(nil) }
    }

    /// Longer than a host takes for what it knows.
    private static let moment = Duration.milliseconds(500)

    /// Waits for an access to a document, and holds it until it is ended, or the host's end.
    ///
    /// - Parameters:
    ///   - patience: how long that may take; nil: as long as it does.
    ///   - presenter: who asks for it while it answers a message of the host's.
    func hold(
        _ location: Location, _ kind: AccessHold.Kind, within patience: Duration? = nil,
        for presenter: (any FilePresenter)? = nil
    ) async throws -> AccessHold {
        let coordinator = presenter.map(coordinator.acting) ?? coordinator
        let hold = AccessHold()
        let number: UInt64? = state.withLock { state in
            // Who ends what is held has seen all of it.
            if state.isOver { return nil }
            state.lastHold += 1
            state.holds[state.lastHold] = hold
            return state.lastHold
        }
        guard let number else { throw DocumentError(.hostUnavailable, "The host has ended; it is started again.") }
        do {
            try await hold.begin(location, kind, within: patience, through: coordinator, of: client) {
                self.ended(number)
            }
            return hold
        } catch {
            ended(number)
            throw error
        }
    }

    /// Returns when what was made, renamed and removed in a folder is on disk.
    func flushFolder(at location: Location) async throws {
        let options: ReadingOptions = [.immediatelyAvailableMetadataOnly, .withoutChanges]
        try await coordinator.coordinate(readingItemAt: location, options: options) { _, _ in
            if let access = client.innermostAccess { try await client.flush(access: access) }
        }
    }

    /// Gives an item another place, also while programs have it open. Its provider hears of it later, and other tools are not
    /// waited for for long: who waits in the kernel keeps others from the folder around it.
    func move(_ location: Location, to destination: Location) async throws {
        try await coordinator.coordinate(writingItemAt: location, for: .forMoving, within: patience) { _, _ in
            _ = try await client.rename(itemAt: location, to: destination, atOnce: true)
        }
    }

    /// Removes a document or an empty folder, also while programs have it open, and whatever was not sent of it. Its provider
    /// hears of it later, and other tools are not waited for for long: who waits in the kernel keeps others from the folder
    /// around it.
    ///
    /// - Parameter body: gets what removes it, and is run under the access: when that ends, the host looks at the file.
    func remove(
        _ location: Location, _ body: (() async throws -> Void) async throws -> Void = { try await $0() }
    ) async throws {
        try await coordinator.coordinate(writingItemAt: location, for: .forDeleting, within: patience) { _, _ in
            try await body { try await client.remove(itemAt: location, discardUnsent: true, atOnce: true) }
        }
    }

    private func ended(_ number: UInt64) {
        let waiters = state.withLock { state in
            state.holds[number] = nil
            return Self.takeWaiters(&state)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Nobody begins anything from now on; returns when all that was begun or held has ended.
    func end() async {
        let holds = state.withLock { state in
            state.isOver = true
            return Array(state.holds.values)
        }
        for hold in holds { hold.end() }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                let isIdle = state.users == 0 && state.holds.isEmpty
                if !isIdle { state.waiters.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
    }

    private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard state.isOver, state.users == 0, state.holds.isEmpty else { return [] }
        defer { state.waiters = [] }
        return state.waiters
    }
}
