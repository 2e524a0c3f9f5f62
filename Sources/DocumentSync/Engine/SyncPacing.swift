package import DocumentModel

/// When operations are started: how many at once, in which order, and how long what failed waits, by the class of its
/// error (PROV-22). Without I/O, and the same for an engine that plans a whole domain and for a host that plans item by
/// item.
package struct SyncPacing: Sendable {
    package struct Limits: Hashable, Sendable {
        /// Requests to the provider at once.
        package var requests = 8
        /// Documents that are sent at once: made ready, taken by the provider, recorded. No more than requests: who waits for
        /// the provider keeps its document from being moved meanwhile.
        package var documents = 8
        /// The same while the provider answers quickly: the next is ready then when one is taken, and waits for a moment only.
        package var documentsWhileQuick = 16
        /// An answer that took no longer is a quick one.
        package var quick = Duration.milliseconds(100)
        /// Steps on the disk at once.
        package var steps = 4

        package init() {}

        /// How many documents are sent at once after an answer that took so long; nil: none came.
        package func documents(after answer: Duration?) -> Int {
            answer.map { $0 <= quick } == true ? documentsWhileQuick : documents
        }
    }

    /// What follows from a failure.
    package enum Consequence: Hashable, Sendable {
        /// It waits for the provider's signal, or for the user.
        case held
        /// It is tried again at that time.
        case retry(at: Duration)
        /// As it was planned it cannot be done: the remote is not as it was thought to be. If what is planned with better
        /// knowledge is the same operation, then not before that time.
        case refresh(until: Duration)
    }

    private struct Hold: Sendable {
        /// Nil: until the provider's signal.
        var until: Duration?
        var attempts: Int
        var isTransient: Bool
        var code: DocumentError.Code
    }

    package let limits: Limits
    private let retry: RetryPolicy
    private var holds: [SyncOperation: Hold] = [:]
    /// Why nothing is asked of the provider, until it says that this is resolved.
    package private(set) var obstacle: DocumentError.Code?

    package init(retry: RetryPolicy = RetryPolicy(), limits: Limits = Limits()) {
        self.retry = retry
        self.limits = limits
    }

    // MARK: What failed

    /// - Parameter jitter: 0 to 1, drawn by the caller.
    package mutating func failed(
        _ operation: SyncOperation, _ error: DocumentError, at now: Duration, jitter: Double
    ) -> Consequence {
        let attempts = (holds[operation]?.attempts ?? 0) + 1
        switch retry.decision(for: error, attempt: attempts, jitter: jitter) {
        case .hold:
            holds[operation] = Hold(until: nil, attempts: attempts, isTransient: false, code: error.code)
            if error.code == .serverUnreachable || error.code == .notAuthenticated { obstacle = error.code }
            return .held
        case .retry(let delay):
            holds[operation] = Hold(until: now + delay, attempts: attempts, isTransient: true, code: error.code)
            return .retry(at: now + delay)
        case .giveUp:
            // Not too often: as after an error that passes.
            let transient = DocumentError(.busy, error.message)
            guard case .retry(let delay) = retry.decision(for: transient, attempt: attempts, jitter: jitter) else {
                return .held
            }
            holds[operation] = Hold(until: now + delay, attempts: attempts, isTransient: false, code: error.code)
            return .refresh(until: now + delay)
        }
    }

    /// An operation was carried out.
    package mutating func succeeded(_ operation: SyncOperation) { holds[operation] = nil }

    /// The provider says that what it waited for is resolved.
    ///
    /// - Parameter codes: which errors; empty: all.
    package mutating func resolved(_ codes: Set<DocumentError.Code> = []) {
        let isResolved = { codes.isEmpty || codes.contains($0) }
        if obstacle.map(isResolved) == true { obstacle = nil }
        holds = holds.filter { $0.value.until != nil || !isResolved($0.value.code) }
    }

    /// Somebody wants it tried now, whatever became of it before.
    package mutating func release(_ operation: SyncOperation) {
        // How often it failed stays known: the next failure is not the first.
        holds[operation]?.until = .zero
    }

    /// Forgets what is not planned any more, and may be tried by now.
    package mutating func keep(_ planned: Set<SyncOperation>, at now: Duration) {
        holds = holds.filter { planned.contains($0.key) || isHeld($0.value, at: now) }
    }

    /// Forgets what became of an operation that nobody plans any more.
    package mutating func forget(_ operation: SyncOperation) { holds[operation] = nil }

    private func isHeld(_ hold: Hold, at now: Duration) -> Bool { hold.until.map { $0 > now } ?? true }

    package func isHeld(_ operation: SyncOperation, at now: Duration) -> Bool {
        holds[operation].map { isHeld($0, at: now) } ?? false
    }

    /// Until when an operation is held; nil: until the provider's signal.
    package func hold(of operation: SyncOperation, at now: Duration) -> (isHeld: Bool, until: Duration?) {
        guard let hold = holds[operation], isHeld(hold, at: now) else { return (false, nil) }
        return (true, hold.until)
    }

    package func held(at now: Duration) -> Set<SyncOperation> {
        Set(holds.filter { isHeld($0.value, at: now) }.keys)
    }

    /// Whether something failed that may be tried again.
    package var isWaiting: Bool { !holds.isEmpty }

    /// Whether something is tried again by itself that is worth waiting for.
    package func awaitsRetry(at now: Duration) -> Bool {
        holds.values.contains { $0.isTransient && isHeld($0, at: now) }
    }

    /// When the first of what waits may be tried again.
    package func nextRetry(after now: Duration) -> Duration? {
        holds.values.compactMap(\.until).filter { $0 > now }.min()
    }

    // MARK: What comes first

    /// What somebody waits for comes first; then what others wait for.
    package static func rank(of operation: SyncOperation, isWanted: Bool) -> Int {
        if isWanted { return 0 }
        switch operation {
        case .create(_, let node): return node.kind == .folder ? 2 : 3
        case .relocate: return 2
        case .send, .compare, .fetch: return 3
        case .delete, .evict: return 4
        default: return 1
        }
    }
}
