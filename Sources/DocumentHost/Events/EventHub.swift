import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// Keeps what happens for those who watch, until they ask for it. While nobody watches nothing is noted, and while nothing
/// happens nothing is done (INV-8).
final class EventHub: Sendable {
    private struct Watch {
        let owner: ClaimOwner
        let scope: Location?
        var buffer = EventBuffer(capacity: EventHub.capacity)
        var waiter: CheckedContinuation<Bool, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Bool, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private struct State {
        var watches: [UInt64: Watch] = [:]
        var lastNumber: UInt64 = 0
        /// The host's own.
        var listeners: [Listener: @Sendable ([ItemChange]) -> Void] = [:]
        var isNoting = false
    }

    /// Parts of the host that want to know of every change.
    enum Listener: Hashable {
        case pins, outdatedContents
    }

    /// Items that one watch keeps.
    static let capacity = 4_096
    private static let mostOfOneTool = 16
    /// What happens within so long is told at once.
    private static let pause = Duration.milliseconds(100)

    private let storage: StorageThreads
    private let state = Mutex(State())

    init(storage: StorageThreads) {
        self.storage = storage
    }

    // MARK: Those who watch

    /// From when it returns, everything that happens at or below the location is kept.
    func begin(_ scope: Location?, for owner: ClaimOwner) async throws(DocumentError) -> UInt64 {
        let number = state.withLock { state -> UInt64? in
            guard state.watches.values.count(where: { $0.owner == owner }) < Self.mostOfOneTool else { return nil }
            state.lastNumber += 1
            state.watches[state.lastNumber] = Watch(owner: owner, scope: scope)
            return state.lastNumber
        }
        guard let number else {
            throw DocumentError(
                .invalidArgument, "A tool may watch \(Self.mostOfOneTool) places at a time; end one first.")
        }
        do throws(DocumentError) {
            try await note()
        } catch {
            end(number, for: owner)
            throw error
        }
        return number
    }

    func scope(of number: UInt64, for owner: ClaimOwner) throws(DocumentError) -> Location? {
        guard let watch = state.withLock({ $0.watches[number] }), watch.owner == owner else {
            throw DocumentError(.invalidArgument, "Nothing is watched under the number \(number); begin anew.")
        }
        return watch.scope
    }

    /// What has happened since the call before; waits until something has.
    func next(_ number: UInt64, for owner: ClaimOwner) async throws(DocumentError) -> [EventBuffer.Entry] {
        _ = try scope(of: number, for: owner)
        while true {
            try await wait(number, owner)
            do {
                // What comes together is told together.
                try await Task.sleep(for: Self.pause)
            } catch {
                throw DocumentError(.cancelled, "Watching was cancelled.")
            }
            let entries = state.withLock { $0.watches[number]?.buffer.take() ?? [] }
            if !entries.isEmpty { return entries }
        }
    }

    private func wait(_ number: UInt64, _ owner: ClaimOwner) async throws(DocumentError) {
        let isThere = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Bool? in
                    guard let watch = state.watches[number], watch.owner == owner, watch.waiter == nil,
                        !Task.isCancelled
                    else { return false }
                    if !watch.buffer.isEmpty { return true }
                    state.watches[number]?.waiter = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            state.withLock { state in state.watches[number]?.takeWaiter() }?.resume(returning: false)
        }
        guard isThere else {
            throw DocumentError(.cancelled, "Watching was ended, or is waited for already.")
        }
    }

    func end(_ number: UInt64, for owner: ClaimOwner) {
        finish { $0.key == number && $0.value.owner == owner }
    }

    func endAll(of owner: ClaimOwner) {
        finish { $0.value.owner == owner }
    }

    private func finish(_ isMeant: ((key: UInt64, value: Watch)) -> Bool) {
        let waiters = state.withLock { state in
            let ended = state.watches.filter(isMeant)
            for number in ended.keys { state.watches[number] = nil }
            if state.watches.isEmpty, state.listeners.isEmpty, state.isNoting {
                state.isNoting = false
                storage.store.root.index.observeChanges(nil)
            }
            return ended.values.compactMap(\.waiter)
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    /// A part of the host is told of every change, on the thread that wrote, where anything is kept in a way that it sees to; it
    /// must not block. To be called again when somebody has said how something is kept.
    func listen(
        _ part: Listener, whileKept keeping: Keeping, _ listener: @escaping @Sendable ([ItemChange]) -> Void
    ) async throws(DocumentError) {
        while true {
            let isWanted = try storage.read { try $0.isAnythingKept(keeping) }
            state.withLock { $0.listeners[part] = isWanted ? listener : nil }
            if isWanted { try await note() } else { finish { _ in false } }
            // Whoever looked before it was said may be the one who comes last.
            if try storage.read({ try $0.isAnythingKept(keeping) }) == isWanted { return }
        }
    }

    private func note() async throws(DocumentError) {
        let isFirst = state.withLock { state in
            guard !state.isNoting else { return false }
            state.isNoting = true
            // What is observed is the hub; it ends with the index.
            storage.store.root.index.observeChanges { [weak self] in self?.changed($0) }
            return true
        }
        // Behind those that were under way, and are not noted.
        if isFirst { try await storage.run { try $0.root.index.write(durably: false) { _ in } } }
    }

    // MARK: What happens

    private func changed(_ changes: [ItemChange]) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener(changes) }
        tell(of: { change in changes.contains { $0.domain == change } }) { watch in
            for change in changes where watch.scope.map({ $0.domain == change.domain }) ?? true {
                watch.buffer.add(change)
            }
        }
    }

    func progressed(_ key: EventBuffer.Key) {
        tell(of: { $0 == key.domain }) { $0.buffer.progressed(key) }
    }

    func domainChanged(_ name: DomainName) {
        tell(of: { $0 == name }) { $0.buffer.domainChanged(name) }
    }

    func domainRemoved(_ name: DomainName) {
        tell(of: { $0 == name }) { $0.buffer.domainRemoved(name) }
    }

    private func tell(of isMeant: (DomainName) -> Bool, _ add: (inout Watch) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            guard !state.watches.isEmpty else { return [] }
            var woken: [CheckedContinuation<Bool, Never>] = []
            for (number, watch) in state.watches where watch.scope.map({ isMeant($0.domain) }) ?? true {
                var watch = watch
                state.watches[number] = nil
                add(&watch)
                if !watch.buffer.isEmpty, let waiter = watch.takeWaiter() { woken.append(waiter) }
                state.watches[number] = watch
            }
            return woken
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }
}
