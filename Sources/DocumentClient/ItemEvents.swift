public import DocumentModel
internal import DocumentWire

extension DocumentClient {
    /// What happens at and below a location, from when this returns: items that appear, change, move or go, how far
    /// transfers are, and in what state domains are.
    ///
    /// The host keeps what happens until it is asked for, each item once. When more happens than it keeps, the next element
    /// is ``ItemEvent/lost``: whoever keeps a picture of its own looks at everything anew. Nothing is polled.
    ///
    /// - Parameter location: nil for everything, which only the user's own programs may watch.
    /// - Returns: a sequence to be gone through once. It ends when it is let go, or with the client.
    /// - Throws: ``DocumentError``: `notConfigured` for a domain that is not there.
    public func changes(below location: Location? = nil) async throws(DocumentError) -> ItemEvents {
        guard case .transfers(.watch(let number)) = try await ask(.transfers(.watch(location))) else {
            throw Self.unexpectedAnswer
        }
        return ItemEvents(watch: ItemEvents.Watch(number: number, client: self))
    }
}

/// What happens to items, as it happens. Its iterator throws ``DocumentError``: `hostUnavailable` when the host ends.
public struct ItemEvents: AsyncSequence, Sendable {
    /// One event: each item once, however often it changed since the last one.
    public typealias Element = ItemEvent
    /// What iteration throws.
    public typealias Failure = DocumentError

    /// The host keeps events as long as this lives.
    final class Watch: Sendable {
        let number: UInt64
        let client: DocumentClient

        init(number: UInt64, client: DocumentClient) {
            self.number = number
            self.client = client
        }

        deinit {
            client.post(.transfers(.endWatch(number)))
        }
    }

    let watch: Watch

    /// Several iterators share what happens between them.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(watch: watch) }

    /// Asks the host for what has happened, many events at a time, and waits for more when there are none.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let watch: Watch
        private var waiting: ArraySlice<ItemEvent> = []

        init(watch: Watch) {
            self.watch = watch
        }

        /// The next event; never nil while the host lives.
        public mutating func next() async throws(DocumentError) -> ItemEvent? {
            try await next(isolation: nil)
        }

        /// The same, without leaving the caller's actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DocumentError) -> ItemEvent? {
            while waiting.isEmpty {
                guard
                    case .transfers(.events(let events)) = try await watch.client.ask(
                        .transfers(.nextEvents(watch.number)))
                else { throw DocumentClient.unexpectedAnswer }
                waiting = events[...]
            }
            return waiting.popFirst()
        }
    }
}
