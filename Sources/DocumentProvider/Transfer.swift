public import DocumentModel
import Synchronization

/// One transfer: where to report how far it is, and to learn of a cancel.
///
/// The host gives up on a transfer that shows no sign of life for a minute: report progress, or send a heartbeat. Both
/// may be called at any rate.
public struct Transfer: Sendable {
    private let send: @Sendable (TransferProgress?) -> Void
    private let cancellation: Cancellation

    /// For tests of a provider: what it reports goes to `send`, a heartbeat as nil.
    public init(send: @escaping @Sendable (TransferProgress?) -> Void = { _ in }) {
        self.init(cancellation: Cancellation(), send: send)
    }

    init(cancellation: Cancellation, send: @escaping @Sendable (TransferProgress?) -> Void) {
        self.cancellation = cancellation
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

    /// Whether nobody waits for it any more. True also on threads that are not part of the task, unlike
    /// `Task.isCancelled`, which says the same within it.
    public var isCancelled: Bool {
        cancellation.isCancelled || Task.isCancelled
    }

    /// Ends a loop of a cancelled transfer.
    ///
    /// - Throws: `CancellationError`, which the host gets as `cancelled`.
    public func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Set once, read from anywhere.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)

        var isCancelled: Bool { flag.load(ordering: .acquiring) }

        func cancel() { flag.store(true, ordering: .releasing) }
    }
}
