import DocumentClient
import DocumentModel
import Synchronization
import SystemPackage

/// A coordinated access that lasts until it is ended, as long as a program has a document open.
final class AccessHold: Sendable {
    private enum State {
        /// Whether it is still wanted: its end may be asked for before it is granted.
        case beginning(CheckedContinuation<(FilePath, ItemStatus), any Error>?, isWanted: Bool = true)
        case held(CheckedContinuation<Void, Never>?)
        case ended
    }

    private struct Granted {
        var path: FilePath
        var status: ItemStatus
        var isFlushed = false
    }

    private let state = Mutex(State.beginning(nil))
    private let granted = Mutex<Granted?>(nil)
    private let task = Mutex<Task<Void, Never>?>(nil)
    /// The host, and the number that it knows the access by.
    private let access = Mutex<(client: DocumentClient, number: UInt64)?>(nil)

    /// Where the document's file is, and what was known of it when the access was granted.
    var path: FilePath { granted.withLock { $0?.path } ?? FilePath() }
    var status: ItemStatus? { granted.withLock { $0?.status } }

    enum Kind: Sendable {
        /// It may begin when a part of the contents is here: see ``awaitContents(_:)``.
        ///
        /// - ahead: whether others of the folder may be fetched ahead.
        case reading(ahead: Bool)
        /// As it is: nothing is asked for or brought.
        case keeping
        case writing
        /// Of what does not depend on the contents (COORD-20).
        case attributes
        /// What was in the document is not wanted, and not brought.
        case replacing
        /// Of a document that is not there yet.
        case creating
    }

    /// Whether it is held no more: its end was asked for, or the host has ended.
    var isOver: Bool { state.withLock { if case .ended = $0 { true } else { false } } }

    /// Waits for the access.
    ///
    /// - Parameters:
    ///   - patience: how long it may take to come; nil: as long as it does.
    ///   - onEnd: called when the host has been told that it has ended.
    func begin(
        _ location: Location, _ kind: Kind, within patience: Duration?, through coordinator: FileCoordinator,
        of client: DocumentClient,
        onEnd: @escaping @Sendable () -> Void
    ) async throws {
        let (path, status) = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWanted = state.withLock { state in
                    guard case .beginning(_, let isWanted) = state else { return false }
                    state = .beginning(continuation, isWanted: isWanted)
                    return isWanted
                }
                let task = Task(executorPreference: client.loop) {
                    await self.run(location, kind, patience, coordinator, client, onEnd)
                }
                self.task.withLock { $0 = task }
                if Task.isCancelled || !isWanted { task.cancel() }
            }
        } onCancel: {
            self.task.withLock { $0 }?.cancel()
        }
        granted.withLock { $0 = Granted(path: path, status: status) }
    }

    /// The access ends, and what was written through it counts; returns at once.
    func end() {
        let (waiter, begins): (CheckedContinuation<Void, Never>?, Bool) = state.withLock { state in
            switch state {
            case .held(let waiter):
                state = .ended
                return (waiter, false)
            case .beginning(let beginner, _):
                state = .beginning(beginner, isWanted: false)
                return (nil, true)
            case .ended: return (nil, false)
            }
        }
        waiter?.resume()
        if begins { task.withLock { $0 }?.cancel() }
    }

    /// The same; returns when the host has recorded what was written.
    func endAndWait() async {
        end()
        await task.withLock { $0 }?.value
    }

    /// Has the host bring to the disk what it knows of the document, and its name: both may be new. It is asked once, since
    /// only the contents change afterwards.
    func flush() async throws {
        guard granted.withLock({ $0?.isFlushed }) == false, let access = access.withLock({ $0 }) else { return }
        try await access.client.flush(access: access.number)
        granted.withLock { $0?.isFlushed = true }
    }

    /// Bytes of a document that is read while it comes are here when this returns.
    ///
    func awaitContents(_ range: Range<Int64>) async throws(DocumentError) {
        guard !isOver, let access = access.withLock({ $0 }) else {
            throw DocumentError(.hostUnavailable, "The host has ended; it is started again.")
        }
        try await access.client.awaitContents(range, access: access.number)
    }

    private func run(
        _ location: Location, _ kind: Kind, _ patience: Duration?, _ coordinator: FileCoordinator,
        _ client: DocumentClient, _ onEnd: @Sendable () -> Void
    ) async {
        let body: (FilePath, ItemStatus) async -> Void = { path, status in
            self.access.withLock { $0 = client.innermostAccess.map { (client, $0) } }
            await self.hold(path, status)
        }
        do {
            switch kind {
            case .reading(let ahead):
                let options: ReadingOptions = ahead ? [.asItComes, .readingAhead] : .asItComes
                try await coordinator.coordinate(readingItemAt: location, options: options, body)
            case .keeping:
                // The file is open already.
                let options: ReadingOptions = [.immediatelyAvailableMetadataOnly, .withoutChanges, .asItComes]
                try await coordinator.coordinate(readingItemAt: location, options: options, body)
            case .writing:
                try await coordinator.coordinate(writingItemAt: location, within: patience, body)
            case .attributes:
                try await coordinator.coordinate(
                    writingItemAt: location, for: .contentIndependentMetadataOnly, within: patience, body)
            case .replacing:
                try await coordinator.coordinate(
                    writingItemAt: location, for: .forReplacing, within: patience, body)
            case .creating:
                try await coordinator.coordinate(creatingItemAt: location, within: patience, body)
            }
        } catch {
            take().beginner?.resume(throwing: error)
        }
        onEnd()
    }

    /// Inside of the access: whoever waits for it goes on, and it lasts until the end is asked for.
    private func hold(_ path: FilePath, _ status: ItemStatus) async {
        let (beginner, isWanted) = take()
        guard isWanted else {
            state.withLock { $0 = .ended }
            beginner?.resume(throwing: DocumentError(.hostUnavailable, "The host has ended; it is started again."))
            return
        }
        beginner?.resume(returning: (path, status))
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = state.withLock { state in
                if case .held = state {
                    state = .held(continuation)
                    return false
                }
                return true
            }
            if isOver { continuation.resume() }
        }
    }

    private func take() -> (beginner: CheckedContinuation<(FilePath, ItemStatus), any Error>?, isWanted: Bool) {
        state.withLock { state in
            guard case .beginning(let beginner, let isWanted) = state else { return (nil, true) }
            state = .held(nil)
            return (beginner, isWanted)
        }
    }
}
