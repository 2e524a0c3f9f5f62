public import DocumentModel
import Synchronization

/// One transfer: where to report how far it is, and to learn of a cancel.
///
/// The host gives up on a transfer that shows no sign of life for a minute: report progress, or send a heartbeat. Both
/// may be called at any rate.
public struct Transfer: Sendable {
    private let send: @Sendable (TransferProgress?) -> Void
    private let state: State

    /// For tests of a provider: what it reports goes to `send`, a heartbeat as nil.
    public init(send: @escaping @Sendable (TransferProgress?) -> Void = { _ in }) {
        self.init(state: State(), send: send)
    }

    init(state: State, send: @escaping @Sendable (TransferProgress?) -> Void) {
        self.state = state
        self.send = send
    }

    /// Tells how far it is.
    ///
    /// - Parameters:
    ///   - done: bytes so far, never falling.
    ///   - expected: bytes in all; nil while not known.
    public func report(_ done: UInt64, of expected: UInt64? = nil) {
        send(TransferProgress(done: done, expected: expected))
    }

    /// Tells that the work goes on.
    public func heartbeat() {
        send(nil)
    }

    /// Tells the SHA-256 of the contents as the remote keeps them: the host then refuses a staging file that has another,
    /// so that what was damaged on the way is never shown (WIRE-36). Only in `startProvidingItem`; the last word counts.
    ///
    /// - Parameter sha256: 32 bytes. Anything else makes the call fail.
    public func vouch(forContentsWith sha256: [UInt8]) {
        state.vouch(sha256)
    }

    var vouchedDigest: [UInt8]? { state.digest }

    /// Whether nobody waits for it any more. True also on threads that are not part of the task, unlike
    /// `Task.isCancelled`, which says the same within it.
    public var isCancelled: Bool {
        state.isCancelled || Task.isCancelled
    }

    /// Ends a loop of a cancelled transfer.
    ///
    /// - Throws: `CancellationError`, which the host gets as `cancelled`.
    public func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }

    /// What is told about it while it goes on, from anywhere.
    final class State: Sendable {
        private let cancelled = Atomic(false)
        private let vouched = Mutex<[UInt8]?>(nil)

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        /// Once, and for good.
        func cancel() { cancelled.store(true, ordering: .releasing) }

        var digest: [UInt8]? { vouched.withLock { $0 } }

        func vouch(_ sha256: [UInt8]) { vouched.withLock { $0 = sha256 } }
    }
}
