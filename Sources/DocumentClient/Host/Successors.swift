import DocumentModel
import DocumentTransport
import Synchronization

/// A client of a host that came after another one, and what serves its connection: cancelled, it ends.
struct Successor: Sendable {
    let client: DocumentClient
    let serving: Task<Void, Never>
}

/// Finds the hosts that come after the one that a client was connected to, for what goes on then. Each finder gets a
/// connection of its own, which ends with the client at the latest.
final class Successors: Sendable {
    private typealias Outcome = Result<DocumentClient, DocumentError>

    private struct State {
        var hasEnded = false
        var lastNumber: UInt64 = 0
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    private let connector: HostConnector
    private let state = Mutex(State())

    /// - Parameter connector: starts no host: one that somebody has ended stays ended.
    init(_ connector: HostConnector) {
        self.connector = connector
    }

    /// Looks for the next host until one is there, and asks it for something. One that ends meanwhile was not it.
    ///
    /// - Parameter rest: how long it waits before the first look, of the patience.
    /// - Throws: `hostUnavailable` when there was none within the patience.
    func next<Value: Sendable>(
        within patience: Duration, after rest: Duration = .zero, on clock: some Clock<Duration>,
        _ ask: (DocumentClient) async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> (successor: Successor, value: Value) {
        guard !state.withLock({ $0.hasEnded }) else { throw Self.ended }
        var search = HostSearch(patience: patience)
        let start = clock.now
        if rest > .zero { try await Self.sleep(min(rest, patience), on: clock) }
        while true {
            let failure: DocumentError
            do throws(DocumentError) {
                let successor = try await connect()
                do throws(DocumentError) {
                    let value = try await ask(successor.client)
                    return (successor, value)
                } catch {
                    successor.serving.cancel()
                    throw error
                }
            } catch {
                failure = error
            }
            // One that is stopped lets itself be connected to, and says nothing.
            guard [.hostUnavailable, .deadlineExceeded].contains(failure.code) else { throw failure }
            let elapsed = start.duration(to: clock.now)
            guard let pause = search.pause(after: elapsed, jitter: Double.random(in: 0...1)) else {
                throw none(within: patience, failure)
            }
            try await Self.sleep(pause, on: clock)
        }
    }

    private static func sleep(_ pause: Duration, on clock: some Clock<Duration>) async throws(DocumentError) {
        do {
            try await clock.sleep(for: pause)
        } catch {
            throw cancelled
        }
    }

    /// Ends all that was found; nothing is found any more.
    func end() async {
        let tasks = state.withLock { state in
            state.hasEnded = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func connect() async throws(DocumentError) -> Successor {
        let (outcomes, outcome) = AsyncStream.makeStream(of: Outcome.self)
        let task: Task<Void, Never>? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task(executorPreference: connector.loop) {
                await self.serve(outcome)
                self.forget(number)
            }
            state.tasks[number] = task
            return task
        }
        guard let task else { throw Self.ended }
        for await outcome in outcomes {
            return Successor(client: try outcome.get(), serving: task)
        }
        // Whoever wanted it does not wait any more.
        task.cancel()
        throw Self.cancelled
    }

    /// Connects, and serves the connection to its end.
    private func serve(_ outcome: AsyncStream<Outcome>.Continuation) async {
        defer { outcome.finish() }
        do throws(DocumentError) {
            let (connection, process) = try await connector.connect()
            let client = DocumentClient(
                address: connector.address, connection: connection, loop: connector.loop, desk: PresenterDesk(),
                accesses: OpenAccesses(connection, connector.loop), hostProcess: process, successors: self)
            outcome.yield(.success(client))
            _ = await connection.run(ClientHandler(desk: client.desk, accesses: client.accesses))
        } catch {
            outcome.yield(.failure(error))
        }
    }

    private func forget(_ number: UInt64) {
        state.withLock { $0.tasks[number] = nil }
    }

    private func none(within patience: Duration, _ last: DocumentError) -> DocumentError {
        DocumentError(
            .hostUnavailable,
            "The host for \(connector.address.root) has ended, and none has answered for \(patience.components.seconds) s: “docent host start” starts one. Begin again then.",
            causes: [last.message] + last.causes)
    }

    private static let ended = DocumentError(.cancelled, "The client has ended: what it was to do is over.")
    private static let cancelled = DocumentError(.cancelled, "Waiting for the next host was cancelled.")
}
