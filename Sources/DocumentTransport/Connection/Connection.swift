package import DocumentModel
package import DocumentWire
import Glibc
package import Logging
import Synchronization
import SystemPackage

/// Requests and answers over a ``TransportEnd``: one hello exchange, then both sides ask.
///
/// ``open(reply:)`` comes first, then ``run(_:)``, which must run for as long as the connection is used; requests may
/// be made from any task between the two and while it runs. It lives until it has ended: by the peer, by
/// ``shutdown(grace:)``, by ``close(_:)`` or by cancelling the task of ``run(_:)``.
///
/// The rules are in ``ConnectionStateMachine``; this is what carries its actions out. All state is behind one lock,
/// and nothing of other people's is called while it is held.
package final class Connection: Sendable {
    let end: any TransportEnd
    let loop: EventLoop
    let configuration: Configuration
    let logger: Logger
    let state: Mutex<State>

    package init(end: any TransportEnd, loop: EventLoop, configuration: Configuration, logger: Logger) {
        self.end = end
        self.loop = loop
        self.configuration = configuration
        self.logger = logger
        state = Mutex(
            State(
                machine: ConnectionStateMachine(configuration: configuration, processID: Int64(getpid())),
                decoder: FrameDecoder(
                    limit: configuration.limits.frameBytes, expectsPreface: configuration.preface == .expects)))
    }

    // MARK: Opening

    /// Exchanges the hellos.
    ///
    /// - Parameter reply: a responder's: takes the peer's hello and returns the context of the answer. When it throws,
    ///   the peer is told that it is refused and why, and the connection ends with that error.
    /// - Parameter failure: asked after `reply`: why this side cannot do what it is there for, although it goes on.
    package func open(
        reply: (@Sendable (PeerHello) async throws -> [UInt8])? = nil,
        failure: (@Sendable () -> DocumentError?)? = nil
    ) async throws(DocumentError) -> Peer {
        let event = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in start(continuation) }
        } onCancel: {
            close(nil)
        }
        switch event {
        case .opened(let peer): return peer
        case .ended(let end): throw end.error
        case .greeted(let hello): return try await answer(hello, reply, failure)
        }
    }

    private func start(_ opening: UnsafeContinuation<OpeningEvent, Never>) {
        // The peer may have spoken already: what it said must find the machine open, and is read as soon as the end
        // has started. Nothing is written before.
        let end: ConnectionEnd? = update { state in
            // Closed, or its task cancelled, before it was opened.
            if let end = state.machine.ending { return end }
            state.opening = opening
            state.isWriteBlocked = true
            state.machine.open(at: .now())
            return nil
        }
        if let end { return opening.resume(returning: .ended(end)) }
        do throws(Errno) {
            try self.end.start(self)
            update { $0.isWriteBlocked = false }
        } catch {
            let error = DocumentError(
                .internal,
                "\(configuration.peerName) cannot be reached over these descriptors (\(error)); give a pipe or a socket."
            )
            update { $0.machine.end(.failed, error) }
        }
    }

    private func answer(
        _ hello: PeerHello, _ reply: (@Sendable (PeerHello) async throws -> [UInt8])?,
        _ failure: (@Sendable () -> DocumentError?)?
    ) async throws(DocumentError) -> Peer {
        let context: [UInt8]
        do {
            context = try await reply?(hello) ?? []
        } catch {
            let error = DocumentError(thrown: error)
            update { $0.machine.refuse(error) }
            throw error
        }
        let failure = failure?()
        let outcome: Result<Peer, DocumentError> = update { state in
            state.machine.reply(context: context, failure: failure)
            if let end = state.machine.ending { return .failure(end.error) }
            guard let peer = state.machine.peer else { return .failure(state.machine.closingError) }
            return .success(peer)
        }
        return try outcome.get()
    }

    // MARK: Asking

    /// Asks the peer and waits for its final frame. Cancelling the task sends a cancel; the final frame is still
    /// waited for, at most for the cancel grace.
    ///
    /// Waits for its turn while the peer answers as many requests as it accepts at once, or does not read.
    ///
    /// - Parameters:
    ///   - label: what the request is called in logs.
    ///   - priority: of a host tool's request; a peer that takes none answers it as an ordinary one.
    ///   - bytesElsewhere: a figure that changes for as long as the peer gets somewhere without saying so, so that a
    ///     ``Deadline/stall(_:)`` goes on. Must not block.
    ///   - onProgress: gets the peer's reports; nil is a heartbeat. Must not block.
    package func request(
        _ body: [UInt8], deadline: Deadline, label: RequestLabel? = nil, priority: RequestPriority = .ordinary,
        bytesElsewhere: (@Sendable () -> UInt64)? = nil,
        onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws(DocumentError) -> [UInt8] {
        try await answer(
            to: AskedRequest(
                label: label, priority: priority, bytesElsewhere: bytesElsewhere, onProgress: onProgress), body,
            deadline)
    }

    /// The same, where a descriptor comes with a good answer.
    ///
    /// - Returns: without a descriptor when none came.
    package func requestPassing(
        _ body: [UInt8], deadline: Deadline, priority: RequestPriority = .ordinary
    ) async throws(DocumentError) -> (answer: [UInt8], descriptor: PassedDescriptor?) {
        let request = AskedRequest(priority: priority, takesDescriptor: true)
        let answer = try await answer(to: request, body, deadline)
        return (answer, request.passed)
    }

    private func answer(
        to request: AskedRequest, _ body: [UInt8], _ deadline: Deadline
    ) async throws(DocumentError) -> [UInt8] {
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                ask(request, body, deadline, continuation)
            }
        } onCancel: {
            cancel(request)
        }
        switch outcome {
        case .answer(let body): return body
        case .failure(let error): throw error
        }
    }

    private func ask(
        _ request: AskedRequest, _ body: [UInt8], _ deadline: Deadline,
        _ continuation: UnsafeContinuation<RequestOutcome, Never>
    ) {
        let isGivenUp = update { state in
            guard !request.isGivenUp else { return true }
            request.continuation = continuation
            state.machine.ask(request, body, deadline: deadline, at: loop.time)
            return false
        }
        guard isGivenUp else { return }
        continuation.resume(
            returning: .failure(DocumentError(.cancelled, "The request was cancelled before it was sent.")))
    }

    /// Asks the peer and waits for nothing: the answer, or that there is none, is of no interest. What is asked later comes
    /// later at the peer, too, unless its priority is higher.
    package func post(_ body: [UInt8], priority: RequestPriority = .ordinary) {
        let request = AskedRequest(priority: priority)
        update { $0.machine.ask(request, body, deadline: .none, at: loop.time) }
    }

    private func cancel(_ request: AskedRequest) {
        update { state in
            request.isGivenUp = true
            if request.id != 0 { state.machine.cancel(request, at: .now()) }
        }
    }

    /// Tells the peer something.
    ///
    /// - Returns: false when it was dropped, because the connection is not open or the peer does not read.
    @discardableResult
    package func notify(_ body: [UInt8]) -> Bool {
        update { $0.machine.notify(body) }
    }

    func report(_ id: UInt64, _ progress: TransferProgress?) {
        update { $0.machine.report(id, progress, at: .now()) }
    }

    // MARK: Ending

    /// An initiator's orderly end: asks the peer to finish what runs, waits for its goodbye, at most for the grace, and
    /// closes.
    package func shutdown(grace: Duration) async {
        update { $0.machine.shutdown() }
        let timer = loop.schedule(at: .now() + grace) { self.close(nil) }
        await waitForEnd()
        loop.cancel(timer)
    }

    /// Ends the connection at once. Open requests fail with the reason.
    package func close(_ reason: DocumentError?) {
        update { $0.machine.close(reason) }
    }

    /// The peer's violation of the protocol, if that is what ended the connection; from the moment on at which the
    /// first request fails because of it.
    package var failure: FrameViolation? {
        state.withLock { $0.machine.ending?.evidence }
    }

    /// Whether it is over: from the moment on at which the first request fails because of it.
    package var hasEnded: Bool {
        state.withLock { $0.machine.isOver }
    }

    /// Whether nothing comes from the peer any more: from the moment on at which the first request fails because of it.
    package var hasPeerLeft: Bool {
        state.withLock { $0.machine.hasStreamEnded || $0.machine.isOver }
    }

    /// What went to and fro last, and what was open at the end, or is now. For a connection that is configured to keep it.
    package var flightRecord: FlightRecord? {
        state.withLock { state in
            guard let trace = state.machine.outbox.trace else { return nil }
            let isOver = state.machine.isOver
            return FlightRecord(
                sent: trace.sent.entries, received: trace.received.entries, sentCount: trace.sent.count,
                receivedCount: trace.received.count,
                open: isOver ? state.machine.openAtEnd : state.machine.openNow,
                openAtPeer: isOver ? state.machine.askedByPeerAtEnd : state.machine.askedByPeerNow,
                endedAt: state.endedAt == .never ? .now() : state.endedAt)
        }
    }

    /// Returns when the connection has ended; handlers of requests may still be running.
    package func waitForEnd() async {
        await withUnsafeContinuation { continuation in
            let hasEnded = state.withLock { state in
                guard !state.isEnded else { return true }
                state.endWaiters.append(continuation)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }
}

extension Connection {
    enum OpeningEvent: Sendable {
        case greeted(PeerHello)
        case opened(Peer)
        case ended(ConnectionEnd)
    }
}

extension DocumentError {
    /// What a thrown error is to the peer.
    init(thrown error: any Error) {
        if let error = error as? DocumentError {
            self = error
        } else if error is CancellationError {
            self.init(.cancelled, "The request was cancelled.")
        } else {
            self.init(.internal, "Something failed inside: \(error).", detail: String(reflecting: type(of: error)))
        }
    }
}
