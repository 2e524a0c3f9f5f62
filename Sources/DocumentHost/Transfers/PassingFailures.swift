import DocumentModel
import DocumentStorage
import FileCoordination
import Synchronization

/// Which errors of downloads still tell something of now, though nobody wants the contents any more: whoever did was told,
/// and by itself nothing is tried again. Without I/O.
///
/// An error that says that nobody can be asked is over when the domain's provider has answered; any other that ends by itself
/// is told for some minutes. Of those of an earlier host only the first kind is known again: others need not be of downloads.
struct PassingFailures: Sendable {
    private struct Failure {
        var code: DocumentError.Code
        var number: UInt64
        var time: Duration
        var isOver = false
    }

    /// For how long an error is told that nobody waits for the end of.
    static let patience = Duration.seconds(600)

    private var failures: [DomainName: [ItemIdentifier: Failure]] = [:]
    /// How many failures there were: what was asked before one of them, and answered after it, is no news.
    private(set) var count: UInt64 = 0

    mutating func failed(_ key: ItemKey, _ code: DocumentError.Code, at time: Duration) {
        count += 1
        failures[key.domain, default: [:]][key.id] = Failure(code: code, number: count, time: time)
    }

    /// The provider has answered what it was asked when there had been so many failures.
    ///
    /// - Returns: whether some of them are over by that.
    mutating func answered(_ domain: DomainName, askedAfter count: UInt64) -> Bool {
        guard let known = failures[domain] else { return false }
        let over = known.filter { _, failure in
            !failure.isOver && failure.number <= count && Self.meansThatNobodyAnswers(failure.code)
        }
        for id in over.keys { failures[domain]?[id]?.isOver = true }
        return !over.isEmpty
    }

    /// - Parameters:
    ///   - code: of the error that is known of a document whose contents are not here, or are outdated.
    ///   - isPlaceholder: whether none are here.
    func isOver(_ code: DocumentError.Code, of key: ItemKey, isPlaceholder: Bool, at time: Duration) -> Bool {
        guard let failure = failures[key.domain]?[key.id], failure.code == code else {
            return isPlaceholder && Self.meansThatNobodyAnswers(code)
        }
        return failure.isOver || (Self.ends(code) && time - failure.time >= Self.patience)
    }

    private static func ends(_ code: DocumentError.Code) -> Bool {
        code.errorClass == .transient || meansThatNobodyAnswers(code)
    }

    private static func meansThatNobodyAnswers(_ code: DocumentError.Code) -> Bool {
        [.serverUnreachable, .notAuthenticated, .providerDied, .deadlineExceeded, .providerUnavailable].contains(code)
    }
}

/// The host's, for all who bring contents and all who ask providers.
final class DownloadFailures: Sendable {
    private let state = Mutex(PassingFailures())
    private let clock: @Sendable () -> Duration
    /// Of some domain there is less to be told.
    private let passed: @Sendable (DomainName) -> Void

    init(clock: @escaping @Sendable () -> Duration, passed: @escaping @Sendable (DomainName) -> Void) {
        self.clock = clock
        self.passed = passed
    }

    func failed(_ key: ItemKey, _ error: DocumentError) {
        let now = clock()
        state.withLock { $0.failed(key, error.code, at: now) }
    }

    /// To be given to ``answered(_:askedAfter:)`` with the answer to what is asked now.
    var count: UInt64 { state.withLock { $0.count } }

    func answered(_ domain: DomainName, askedAfter count: UInt64) {
        if state.withLock({ $0.answered(domain, askedAfter: count) }) { passed(domain) }
    }

    /// Whether an error that the index has of a document is over.
    func isOver(_ error: DocumentError, of item: IndexedItem) -> Bool {
        // What cannot have its place is told of, too, and so is what was not sent.
        guard item.wanted == nil, item.state == .placeholder || item.state == .outdated else { return false }
        let now = clock()
        return state.withLock {
            $0.isOver(error.code, of: item.key, isPlaceholder: item.state == .placeholder, at: now)
        }
    }
}
