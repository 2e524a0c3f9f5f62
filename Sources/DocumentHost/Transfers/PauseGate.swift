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
        /// Rows of items whose own pause is about to end, and counts for nothing already.
        var resuming: Set<Int64> = []
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
    func beginResuming(_ item: IndexedItem, at location: Location) throws(DocumentError) {
        guard state.withLock({ $0.resuming.insert(item.row).inserted }) else {
            throw DocumentError(
                .busy, "\(location) is being resumed already: wait for that, or docent pause \(location) ends it.")
        }
        changed()
    }

    /// Whether nobody has paused it anew since.
    func isResuming(_ item: IndexedItem) -> Bool { state.withLock { $0.resuming.contains(item.row) } }

    /// It is resumed, or stays paused, or is paused anew.
    func endResuming(_ item: IndexedItem) {
        if state.withLock({ $0.resuming.remove(item.row) }) != nil { changed() }
    }

    func isPaused(_ key: ItemKey) throws(DocumentError) -> Bool {
        let (generation, isUnmarked, resuming) = state.withLock {
            ($0.generation, $0.unmarked.contains(key.domain), $0.resuming)
        }
        if isUnmarked { return false }
        let (isPaused, hasMarks) = try storage.read { index in
            let item = try index.item(key.id, in: key.domain)
            let hasMarks = try item == nil || index.hasMarks(in: key.domain)
            guard let item, hasMarks else { return (false, hasMarks) }
            guard !resuming.contains(item.row) else { return (try index.isPausedAround(item), hasMarks) }
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
