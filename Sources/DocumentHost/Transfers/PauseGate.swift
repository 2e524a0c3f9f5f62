import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// Where transfers wait that people have paused: the item itself, a folder around it, or the domain.
final class PauseGate: Sendable {
    private struct State {
        var generation: UInt64 = 0
        /// Domains of which nothing was paused when this was looked up, since the last change.
        var unmarked: Set<DomainName> = []
        /// Rows of items whose own pause is about to end, and counts for nothing already; by whom it is ended.
        var resuming: [Int64: UInt64] = [:]
        var lastTicket: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let storage: StorageThreads
    private let state = Mutex(State())
    /// Who has set aside what is paused.
    private let follower = Mutex<Hook<Void>?>(nil)

    init(storage: StorageThreads) {
        self.storage = storage
    }

    /// Calls the closure when something may have been resumed. It must not block.
    func follow(_ body: @escaping @Sendable () -> Void) { follower.withLock { $0 = Hook { body() } } }

    /// Something was paused or resumed: who waits looks again.
    func changed() {
        state.withLock { $0.unmarked = [] }
        placesChanged()
    }

    /// Items were moved: something else may be around what is paused.
    func placesChanged() {
        wake()
        follower.withLock { $0 }?(())
    }

    /// Items were removed: who waits for one of them need not any more.
    func itemsRemoved() { wake() }

    private func wake() {
        let waiters = state.withLock { state in
            // Also who has looked, and does not wait yet, looks again.
            state.generation += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    /// What is sent or brought of an item from now on goes though it is paused, while what is around it is not (VER-14).
    ///
    /// - Throws: `busy` when somebody does that already.
    func beginResuming(_ item: IndexedItem, at location: Location) throws(DocumentError) -> Resuming {
        let resuming = state.withLock { state -> Resuming? in
            guard state.resuming[item.row] == nil else { return nil }
            state.lastTicket += 1
            state.resuming[item.row] = state.lastTicket
            return Resuming(row: item.row, ticket: state.lastTicket)
        }
        guard let resuming else {
            throw DocumentError(
                .busy, "\(location) is being resumed already: wait for that, or docent pause \(location) ends it.")
        }
        changed()
        return resuming
    }

    /// One end of an item's pause.
    struct Resuming: Sendable {
        fileprivate let row: Int64
        fileprivate let ticket: UInt64
    }

    /// Whether nobody has paused it anew since.
    func isGoingOn(_ resuming: Resuming) -> Bool { state.withLock { $0.resuming[resuming.row] == resuming.ticket } }

    /// It is resumed, or stays paused.
    func end(_ resuming: Resuming) {
        let isOver = state.withLock { state in
            guard state.resuming[resuming.row] == resuming.ticket else { return false }
            state.resuming[resuming.row] = nil
            return true
        }
        if isOver { changed() }
    }

    /// Somebody pauses it anew: whoever was about to resume it does not.
    func pausedAnew(_ item: IndexedItem) {
        if state.withLock({ $0.resuming.removeValue(forKey: item.row) }) != nil { changed() }
    }

    /// Whether somebody is about to resume it.
    func isResuming(_ item: IndexedItem) -> Bool { state.withLock { $0.resuming[item.row] != nil } }

    func isPaused(_ key: ItemKey) throws(DocumentError) -> Bool {
        let (generation, isUnmarked, resuming) = state.withLock {
            ($0.generation, $0.unmarked.contains(key.domain), $0.resuming)
        }
        if isUnmarked { return false }
        let (isPaused, hasMarks) = try storage.read { index in
            let item = try index.item(key.id, in: key.domain)
            let hasMarks = try item == nil || index.hasMarks(in: key.domain)
            // What is gone on the remote is waited for by nobody: else it could not go from here.
            guard let item, item.exists, hasMarks else { return (false, hasMarks) }
            guard resuming[item.row] == nil else { return (try index.isPausedAround(item), hasMarks) }
            return (try index.marks(of: item).isPaused, hasMarks)
        }
        if !hasMarks {
            state.withLock { if $0.generation == generation { $0.unmarked.insert(key.domain) } }
        }
        return isPaused
    }

    /// Whether somebody has said of it, or of a folder around it, that its changes are not sent.
    func isExcluded(_ key: ItemKey) throws(DocumentError) -> Bool {
        if state.withLock({ $0.unmarked.contains(key.domain) }) { return false }
        let marks = try storage.read { index in
            try index.item(key.id, in: key.domain).map { try index.marks(of: $0) }
        }
        return marks?.keeping == .excluded && marks?.ignoredBy == nil
    }

    private func isHeld(_ key: ItemKey, orExcluded: Bool) throws(DocumentError) -> Bool {
        guard try !isPaused(key) else { return true }
        guard orExcluded else { return false }
        return try isExcluded(key)
    }

    /// Returns at once when it is not paused, and when nobody need wait for it any more.
    func untilResumed(_ key: ItemKey) async throws(DocumentError) { try await until(key, isPaused: false) }

    /// The same for the first of them.
    func untilResumed(anyOf keys: [ItemKey]) async throws(DocumentError) {
        try await until { () throws(DocumentError) in
            for key in keys where try !isPaused(key) { return true }
            return false
        }
    }

    /// Runs something that is ended when it is paused.
    ///
    /// - Parameter orExcluded: or when it is excluded from sync.
    /// - Returns: nil when it was.
    func untilPaused<Value: Sendable>(
        _ key: ItemKey, orExcluded: Bool = false, _ body: @escaping @Sendable () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value? {
        typealias Outcome = Result<Value, DocumentError>
        let (outcome, wasPaused) = await withTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                do throws(DocumentError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [self] in
                try? await until { () throws(DocumentError) in try isHeld(key, orExcluded: orExcluded) }
                return nil
            }
            var outcome: Outcome?
            // It may be resumed by the time that what was under way has ended.
            var wasPaused = false
            for await ended in group {
                if ended == nil, outcome == nil { wasPaused = !Task.isCancelled }
                outcome = ended ?? outcome
                group.cancelAll()
            }
            return (outcome, wasPaused)
        }
        switch outcome {
        case .success(let value)?: return value
        case .failure(let error)?:
            guard error.code == .cancelled, !Task.isCancelled else { throw error }
            if wasPaused { return nil }
            guard try isHeld(key, orExcluded: orExcluded) else { throw error }
            return nil
        case nil: throw DocumentError(.internal, "A transfer came to no end.")
        }
    }

    private func until(_ key: ItemKey, isPaused wanted: Bool) async throws(DocumentError) {
        try await until { () throws(DocumentError) in try isPaused(key) == wanted }
    }

    private func until(_ isSo: () throws(DocumentError) -> Bool) async throws(DocumentError) {
        while true {
            let generation = state.withLock { $0.generation }
            if try isSo() { return }
            await change(since: generation)
            if Task.isCancelled { throw DocumentError(.cancelled, "The transfer was cancelled.") }
        }
    }

    private func change(since generation: UInt64) async {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.generation == generation, !Task.isCancelled else { return true }
                    state.waiters[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
    }
}
