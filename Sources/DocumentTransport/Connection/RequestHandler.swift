package import DocumentModel
package import DocumentWire

/// What answers the peer's requests.
package protocol RequestHandler: Sendable {
    /// Answers one request. A thrown `DocumentError` travels as it is, a `CancellationError` as `cancelled`, anything
    /// else as `internal`. The task is cancelled when the peer has lost interest or the connection has ended.
    ///
    /// It may block: other requests are taken by other threads then, after a few milliseconds.
    func answer(_ body: [UInt8], _ request: IncomingRequest) async throws -> [UInt8]

    /// Reads one request. What is returned answers it, as ``answer(_:_:)`` does. The body is kept only if that keeps it:
    /// much that a peer sends need not be held while its requests wait.
    func begin(_ body: [UInt8], _ request: IncomingRequest) throws -> @Sendable () async throws -> [UInt8]

    /// Takes a notification. They come one after the other, in the order in which they were sent. Must not wait for an
    /// answer of the peer: nothing more is read from one whose notifications pile up.
    func received(notification body: [UInt8]) async
}

extension RequestHandler {
    package func begin(
        _ body: [UInt8], _ request: IncomingRequest
    ) throws -> @Sendable () async throws -> [UInt8] {
        { try await self.answer(body, request) }
    }

    package func received(notification body: [UInt8]) async {}
}

/// A request of the peer, while it is answered.
package struct IncomingRequest: Sendable {
    package let id: UInt64
    /// How long the peer will wait; nil without limit. For information: the peer cancels when it has run out.
    package let deadline: Duration?
    /// What the peer calls it, for logs.
    package let label: RequestLabel?
    /// Whose places it has taken.
    package let priority: RequestPriority
    private let connection: Connection

    init(id: UInt64, deadline: Duration?, label: RequestLabel?, priority: RequestPriority, connection: Connection) {
        self.id = id
        self.deadline = deadline
        self.label = label
        self.priority = priority
        self.connection = connection
    }

    /// Tells the peer how far it is. May be called at any rate: at most one frame in 50 ms goes out, with the newest
    /// figures.
    package func report(_ progress: TransferProgress) {
        connection.report(id, progress)
    }

    /// Tells the peer that the work goes on.
    package func heartbeat() {
        connection.report(id, nil)
    }

    /// Passes a descriptor with the answer, when that is a good one; of several the last. The end must be a socket's.
    package func pass(_ descriptor: PassedDescriptor) {
        connection.pass(descriptor, withAnswerTo: id)
    }

    /// Whether the peer has cancelled it. A request that is cancelled without is one whose peer is gone.
    package var isGivenUp: Bool { connection.isGivenUp(id) }

    /// Asks the peer something before its own request is answered. It may take its time: whoever has to answer is a person.
    package func ask(_ body: [UInt8]) async throws(DocumentError) -> [UInt8] {
        try await connection.request(body, deadline: .none)
    }
}
