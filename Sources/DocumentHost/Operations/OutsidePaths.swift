import DocumentModel
import DocumentTransport
import SystemPackage

/// Looks at what lies outside of the storage root, wherever people say: perhaps on a disk or a network that is gone. The threads
/// that all documents need do not wait for that.
final class OutsidePaths: Sendable {
    /// How long an answer is waited for.
    private static let patience = Duration.seconds(10)

    /// Nil in simulations, where every path answers at once.
    private let calls: UnboundedCalls?
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - mostAtOnce: how many looks are under way at once: the others wait for that, and for no answer meanwhile.
    ///   - executor: where what must go on when whoever asks is cancelled does so.
    init(
        name: String = "docent-outside", mostAtOnce: Int = .max, executor: (any TaskExecutor)? = nil,
        isStepped: Bool = false
    ) {
        self.executor = executor
        calls =
            isStepped
            ? nil : UnboundedCalls(name: name, mostAtOnce: mostAtOnce, mostHanging: 16, executor: executor)
    }

    /// - Parameter body: looks at the path. May block, for ever.
    /// - Throws: `deadlineExceeded` when there is no answer in time, `cancelled`, and what the body throws.
    func look<Value: Sendable>(
        at path: FilePath, within patience: Duration = OutsidePaths.patience,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(DocumentError) -> Value {
        let answer: Value?
        do {
            guard let calls else { return try body() }
            answer = try await calls.run(within: patience, body)
        } catch {
            throw DocumentError(wrapping: error)
        }
        if let answer { return answer }
        if Task.isCancelled { throw DocumentError(wrapping: CancellationError()) }
        throw DocumentError(
            .deadlineExceeded,
            "“\(path)” gives no answer. Look whether the disk or the network that it is on is there, and try again.",
            detail: "within \(patience)")
    }

    /// Whether something is at a path of this machine; nil when it gives no answer.
    func exists(_ path: String) async -> Bool? {
        await lookAnyway(at: FilePath(path)) { LocalReach.exists(path) }
    }

    /// The path of something that may be a link itself, without links on the way to it; nil when it gives no answer.
    func resolved(_ path: FilePath) async -> FilePath? {
        await lookAnyway(at: path) { OriginalPath.resolved(path, followingLink: false) }
    }

    /// Also when whoever asks was cancelled: what has moved has moved all the same.
    private func lookAnyway<Value: Sendable>(
        at path: FilePath, _ body: @escaping @Sendable () -> Value
    ) async -> Value? {
        guard calls != nil else { return body() }
        return await Task(executorPreference: executor) { try? await self.look(at: path, body) }.value
    }
}
