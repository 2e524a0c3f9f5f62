public import DocumentModel
internal import DocumentTransport
internal import DocumentWire
internal import Synchronization

extension DocumentClient {
    /// What happens at and below a location, from when this returns: items that appear, change, move or go, how far
    /// transfers are, and in what state domains are.
    ///
    /// The host keeps what happens until it is asked for, each item once. When more happens than it keeps, the next element
    /// is ``ItemEvent/lost``: whoever keeps a picture of its own looks at everything anew. Nothing is polled.
    ///
    /// When the host ends, as by an update or a crash, the sequence waits for the next one, and goes on. What happened in
    /// between nobody has told, so that its first element is ``ItemEvent/lost``. Whoever looks at everything anew then asks
    /// ``ItemEvents/client``: this client has lost its host. No host is started for that: one that somebody has ended stays
    /// ended until it is needed. Hosts that end as soon as they have come are asked every two seconds at most.
    ///
    /// ```swift
    /// let changes = try await client.changes(below: folder)
    /// for try await event in changes {
    ///     if event == .lost { picture = try await Picture(of: folder, by: changes.client) } else { picture.take(event) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - location: nil for everything, which only the user's own programs may watch.
    ///   - patience: how long the next host is waited for when one has ended. Zero: the sequence ends with its host.
    /// - Returns: a sequence to be gone through once. It ends when it is let go, or its task is cancelled, or with the client.
    /// - Throws: ``DocumentError``: `notConfigured` for a domain that is not there.
    public func changes(
        below location: Location? = nil, waitingForHost patience: Duration = .seconds(60)
    ) async throws(DocumentError) -> ItemEvents {
        try await changes(below: location, waitingForHost: patience, on: ContinuousClock())
    }

    /// The same by a clock of the caller's, which says when the next host is looked for.
    package func changes(
        below location: Location?, waitingForHost patience: Duration, on clock: any Clock<Duration>
    ) async throws(DocumentError) -> ItemEvents {
        let stage = ItemEvents.Stage(
            client: self, number: try await watch(location), age: ItemEvents.Stage.age(on: clock))
        return ItemEvents(watch: ItemEvents.Watch(location, stage, patience: patience, clock: clock))
    }

    /// - Returns: the number that the host knows the watch by.
    fileprivate func watch(_ location: Location?) async throws(DocumentError) -> UInt64 {
        guard case .transfers(.watch(let number)) = try await ask(.transfers(.watch(location))) else {
            throw Self.unexpectedAnswer
        }
        return number
    }
}

/// What happens to items, as it happens, also when the host is started anew meanwhile: then the next element is
/// ``ItemEvent/lost``.
///
/// Its iterator throws ``DocumentError``: `hostUnavailable` when the host has ended and no other one came within the patience
/// that it was made with, `cancelled` when its task was cancelled or its client has ended, and what the next host says against
/// it, as `notConfigured` for a domain that is gone.
public struct ItemEvents: AsyncSequence, Sendable {
    /// One event: each item once, however often it changed since the last one.
    public typealias Element = ItemEvent
    /// What iteration throws.
    public typealias Failure = DocumentError

    /// Who tells what happens.
    struct Stage: Sendable {
        /// How many hosts told it before.
        var turn = 0
        let client: DocumentClient
        let number: UInt64
        /// For how long it has told it.
        let age: @Sendable () -> Duration
        /// Ends the connection, where it is there for this alone.
        var serving: Task<Void, Never>?

        /// An age that begins now.
        static func age(on clock: some Clock<Duration>) -> @Sendable () -> Duration {
            let start = clock.now
            return { start.duration(to: clock.now) }
        }
    }

    /// The host keeps events as long as this lives.
    final class Watch: Sendable {
        private let location: Location?
        private let patience: Duration
        private let clock: any Clock<Duration>
        private let current: Mutex<Stage>

        init(_ location: Location?, _ stage: Stage, patience: Duration, clock: any Clock<Duration>) {
            self.location = location
            self.patience = patience
            self.clock = clock
            current = Mutex(stage)
        }

        deinit {
            let stage = current.withLock { $0 }
            if let serving = stage.serving {
                serving.cancel()
            } else {
                stage.client.post(.transfers(.endWatch(stage.number)))
            }
        }

        var stage: Stage { current.withLock { $0 } }

        /// The host has not answered: has the next one tell what happens from now on, where it is the host that has ended.
        func moveOn(from stage: Stage, because error: DocumentError) async throws(DocumentError) {
            let hasHostEnded =
                error.code == .hostUnavailable || (stage.client.connection.hasPeerLeft && !Task.isCancelled)
            guard patience > .zero, hasHostEnded else { throw error }
            let location = location
            let rest = stage.turn == 0 ? Duration.zero : HostSearch.rest(after: stage.age())
            let next = try await stage.client.successors.next(within: patience, after: rest, on: clock) {
                (client) async throws(DocumentError) in try await client.watch(location)
            }
            let isFirst = current.withLock { current in
                // Another iterator may have been faster.
                guard current.turn == stage.turn else { return false }
                current.serving?.cancel()
                current = Stage(
                    turn: stage.turn + 1, client: next.successor.client, number: next.value,
                    age: Stage.age(on: clock), serving: next.successor.serving)
                return true
            }
            if !isFirst { next.successor.serving.cancel() }
        }
    }

    let watch: Watch

    /// A client of the host that tells what happens now: the one that was asked for this, or, once that has lost its host, one
    /// of the host after it. Valid until the next host's ``ItemEvent/lost``, or until this sequence is let go.
    public var client: DocumentClient { watch.stage.client }

    /// Several iterators share what happens between them.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(watch: watch) }

    /// Asks the host for what has happened, many events at a time, and waits for more when there are none.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let watch: Watch
        /// Whose events were given last.
        private var turn: Int
        private var waiting: ArraySlice<ItemEvent> = []

        init(watch: Watch) {
            self.watch = watch
            turn = watch.stage.turn
        }

        /// The next event; never nil.
        public mutating func next() async throws(DocumentError) -> ItemEvent? {
            try await next(isolation: nil)
        }

        /// The same, without leaving the caller's actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DocumentError) -> ItemEvent? {
            while waiting.isEmpty {
                let stage = watch.stage
                guard stage.turn == turn else {
                    turn = stage.turn
                    return .lost
                }
                do throws(DocumentError) {
                    guard
                        case .transfers(.events(let events)) = try await stage.client.ask(
                            .transfers(.nextEvents(stage.number)))
                    else { throw DocumentClient.unexpectedAnswer }
                    waiting = events[...]
                } catch {
                    try await watch.moveOn(from: stage, because: error)
                }
            }
            return waiting.popFirst()
        }
    }
}
