import ProviderLauncher
import Synchronization

/// One session that the checks of a run share, one after the other. It is begun when a check wants it, and again when
/// the provider has ended meanwhile.
///
/// Whoever waits here waits on a stream, so that being cancelled ends the wait.
final class SharedSession: Sendable {
    private typealias Beginning = AsyncStream<Result<ConformanceSession, any Error>>.Continuation
    private typealias Ending = AsyncStream<Void>.Continuation

    private enum State {
        case idle
        /// A check waits for it.
        case starting(Beginning)
        case live(ConformanceSession, release: AsyncStream<Void>.Continuation)
        /// It ends, or is to end as soon as it has begun; whoever wants to know waits.
        case ending([Ending])
        case over
    }

    private struct Memory {
        var state = State.idle
        var lastExit: ProcessExit?
        /// How often in a row the provider did not come up, and what it failed with the last time.
        var failedStarts = 0
        var lastFailure: (any Error)?
    }

    private let provider: ProviderUnderTest
    private let requestLimit: Duration
    private let memory = Mutex(Memory())
    private let wishes: AsyncStream<Void>
    private let wish: AsyncStream<Void>.Continuation

    init(provider: ProviderUnderTest, requestLimit: Duration) {
        self.provider = provider
        self.requestLimit = requestLimit
        (wishes, wish) = AsyncStream.makeStream()
    }

    /// Runs the provider whenever it is wanted, until ``finish()``.
    func serve() async {
        for await _ in wishes {
            do {
                let exit = try await provider.launch { launched in
                    try await ConformanceSession.with(
                        launched, of: self.provider, requestLimit: self.requestLimit, label: "shared"
                    ) { session in
                        let (releases, release) = AsyncStream<Void>.makeStream()
                        self.began(session, release)
                        for await _ in releases {}
                    }
                }.exit
                ended(exit, with: nil)
            } catch {
                ended(nil, with: error)
            }
        }
    }

    /// Why it is not worth while to try again: so often in a row the provider did not come up.
    func hopelessness(after limit: Int) -> (any Error)? {
        memory.withLock { $0.failedStarts >= limit ? $0.lastFailure : nil }
    }

    /// The session, begun if need be.
    ///
    /// - Throws: what its beginning failed with; `CancellationError`.
    func acquire() async throws -> ConformanceSession {
        if let session = live, session.end == nil { return session }
        await stop()
        let (beginnings, beginning) = AsyncStream<Result<ConformanceSession, any Error>>.makeStream()
        let isFree = memory.withLock { memory in
            guard case .idle = memory.state else { return false }
            memory.state = .starting(beginning)
            return true
        }
        guard isFree else {
            try Task.checkCancellation()
            throw KitError("Two checks wanted the shared session at once.")
        }
        wish.yield()
        for await outcome in beginnings { return try outcome.get() }
        // Cancelled: what begins ends at once, and the next one waits for that.
        memory.withLock { memory in
            if case .starting = memory.state { memory.state = .ending([]) }
        }
        throw CancellationError()
    }

    /// Ends the session, if there is one, and waits until the process is gone, or the task is cancelled.
    ///
    /// - Returns: how the process ended; nil when there was none.
    @discardableResult
    func stop() async -> ProcessExit? {
        let (endings, ending) = AsyncStream<Void>.makeStream()
        let release: AsyncStream<Void>.Continuation? = memory.withLock { memory in
            switch memory.state {
            case .live(_, let release):
                memory.state = .ending([ending])
                return release
            case .ending(let others):
                memory.state = .ending(others + [ending])
            case .idle, .starting, .over:
                memory.lastExit = nil
                ending.finish()
            }
            return nil
        }
        release?.finish()
        for await _ in endings {}
        return memory.withLock { $0.lastExit }
    }

    func finish() async {
        await stop()
        memory.withLock { $0.state = .over }
        wish.finish()
    }

    private var live: ConformanceSession? {
        memory.withLock { if case .live(let session, _) = $0.state { session } else { nil } }
    }

    private func began(_ session: ConformanceSession, _ release: AsyncStream<Void>.Continuation) {
        let waiting: Beginning? = memory.withLock { memory in
            memory.failedStarts = 0
            guard case .starting(let beginning) = memory.state else { return nil }
            memory.state = .live(session, release: release)
            return beginning
        }
        guard let waiting else { return release.finish() }
        waiting.yield(.success(session))
        waiting.finish()
    }

    /// One step, also for what never began: between two of them the next check could come in.
    private func ended(_ exit: ProcessExit?, with error: (any Error)?) {
        let (beginning, endings): (Beginning?, [Ending]) = memory.withLock { memory in
            memory.lastExit = exit
            defer { if case .over = memory.state {} else { memory.state = .idle } }
            switch memory.state {
            case .starting(let beginning):
                memory.failedStarts += 1
                memory.lastFailure = error
                return (beginning, [])
            case .ending(let endings): return (nil, endings)
            case .idle, .live, .over: return (nil, [])
            }
        }
        beginning?.yield(.failure(error ?? CheckFailure("The provider has ended before it could be asked anything.")))
        beginning?.finish()
        for ending in endings { ending.finish() }
    }
}
