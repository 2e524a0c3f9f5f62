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

    init(storage: StorageThreads) {
        self.storage = storage
    }

    /// Something was paused or resumed: who waits looks again.
    func changed() {
        let waiters = state.withLock { state in
            state.generation += 1
            state.unmarked = []
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

    /// Runs something that is ended when it is paused, and begun anew when it is resumed.
    func whileResumed<Value: Sendable>(
        _ key: ItemKey, _ body: @escaping @Sendable () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        while true {
            try await until(key, isPaused: false)
            if let value = try await untilPaused(key, body) { return value }
        }
    }

    /// Runs something that is ended when it is paused.
    ///
    /// - Returns: nil when it was.
    func untilPaused<Value: Sendable>(
        _ key: ItemKey, _ body: @escaping @Sendable () async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value? {
        typealias Outcome = Result<Value, DocumentError>
        let outcome = await withTaskGroup(of: Outcome?.self) { group in
            group.addTask {
                do throws(DocumentError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [self] in
                try? await until(key, isPaused: true)
                return nil
            }
            var outcome: Outcome?
            for await ended in group {
                outcome = ended ?? outcome
                group.cancelAll()
            }
            return outcome
        }
        switch outcome {
        case .success(let value)?: return value
        case .failure(let error)?:
            guard error.code == .cancelled, !Task.isCancelled, try isPaused(key) else { throw error }
            return nil
        case nil: throw DocumentError(.internal, "A transfer came to no end.")
        }
    }

    private func until(_ key: ItemKey, isPaused wanted: Bool) async throws(DocumentError) {
        while true {
            let generation = state.withLock { $0.generation }
            if try isPaused(key) == wanted { return }
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
