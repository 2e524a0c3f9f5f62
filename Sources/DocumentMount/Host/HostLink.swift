import DocumentClient
import DocumentModel
import DocumentTransport
import Synchronization

/// The mount's connection to the host, made anew when the host has ended and somebody needs it.
///
/// Requests that wait while the host dies are asked once more of the next one; when no host can be had, they fail, and so do
/// those that come soon after, without another try.
final class HostLink: Sendable {
    private typealias Waiter = CheckedContinuation<HostSession, any Error>

    private struct State {
        var session: HostSession?
        var waiters: [UInt64: Waiter] = [:]
        var lastWaiter: UInt64 = 0
        var isClosed = false
        /// Why there is no host, and until when that is taken to be so.
        var refusal: (error: DocumentError, until: ContinuousClock.Instant)?
    }

    /// How long after a failure nobody tries again.
    private static let pause = Duration.seconds(1)

    private let start: HostStart
    /// Where the answers come.
    let loop: EventLoop
    /// How long a program waits for others where it keeps others waiting meanwhile.
    let patience: Duration
    private let state = Mutex(State())
    private let demands: AsyncStream<Void>
    private let demand: AsyncStream<Void>.Continuation

    init(start: HostStart, patience: Duration, loop: EventLoop) {
        self.loop = loop
        self.start = start
        self.patience = patience
        (demands, demand) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Keeps the connection until ``close()``.
    ///
    /// - Parameter onEvent: gets what happens, in order, and ``ItemEvent/lost`` at the beginning of each connection; nil at
    ///   its end: nobody tells anything then.
    func run(_ onEvent: @escaping @Sendable (ItemEvent?) async -> Void) async {
        for await _ in demands {
            if isClosed { break }
            do {
                try await withDocumentClient(tool: "docent mount", start: start, on: loop) { client in
                    // Watched before anybody looks: nothing is missed in between.
                    let events = try await client.changes(waitingForHost: .zero)
                    let session = HostSession(client, patience: patience)
                    publish(session)
                    await session.catchUp()
                    await onEvent(.lost)
                    await session.follow(events, onEvent)
                    await onEvent(nil)
                    withdraw(session)
                    await session.end()
                }
            } catch {
                refuse(error as? DocumentError ?? DocumentError(.hostUnavailable, "No host answers: \(error)"))
            }
        }
        refuse(Self.closed)
    }

    /// Ends the connection in good order; later requests fail.
    func close() {
        let session = state.withLock { state in
            state.isClosed = true
            return state.session
        }
        session?.leave()
        demand.yield()
        demand.finish()
    }

    /// Does something with the host; once more when that one ends meanwhile.
    ///
    /// - Parameter ifDone: what the next host refuses may be what the one before has done, and could not say any more: gets
    ///   the refusal, and gives what is to be taken for the answer; nil: it is a refusal.
    func with<Value>(
        _ body: (HostSession) async throws -> Value, ifDone: (DocumentError) async throws -> Value? = { _ in nil }
    ) async throws -> Value {
        let session = try await current()
        do {
            return try await session.using(body)
        } catch {
            guard (error as? DocumentError)?.code == .hostUnavailable, !isClosed else { throw error }
            session.fail()
        }
        do {
            return try await current().using(body)
        } catch {
            guard let refusal = error as? DocumentError, let value = try await ifDone(refusal) else { throw error }
            return value
        }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    private func current() async throws -> HostSession {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in wait(continuation, number) }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private func wait(_ continuation: Waiter, _ number: UInt64) {
        let known: Result<HostSession, any Error>? = state.withLock { state in
            if state.isClosed { return .failure(Self.closed) }
            if let session = state.session, !session.isOver { return .success(session) }
            if let refusal = state.refusal, refusal.until > .now { return .failure(refusal.error) }
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiters[number] = continuation
            return nil
        }
        guard let known else {
            demand.yield()
            return
        }
        continuation.resume(with: known)
    }

    private func publish(_ session: HostSession) {
        let (waiters, isClosed) = state.withLock { state in
            state.session = session
            state.refusal = nil
            defer { state.waiters = [:] }
            return (Array(state.waiters.values), state.isClosed)
        }
        for waiter in waiters { waiter.resume(returning: session) }
        if isClosed { session.leave() }
    }

    private func withdraw(_ session: HostSession) {
        let isWanted = state.withLock { state in
            state.session = nil
            return !state.waiters.isEmpty
        }
        if isWanted { demand.yield() }
    }

    private func refuse(_ error: DocumentError) {
        let waiters = state.withLock { state in
            state.session = nil
            state.refusal = (error, .now + Self.pause)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(throwing: error) }
    }

    private static let closed = DocumentError(.hostUnavailable, "The mount ends.")
}
