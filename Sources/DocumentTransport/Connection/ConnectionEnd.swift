package import DocumentModel

/// Why a connection has ended.
package struct ConnectionEnd: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// Both sides agreed: `Shutdown` and `Goodbye`.
        case goodbye
        /// The peer's stream ended without a goodbye.
        case endOfStream
        /// This side refused the peer's hello, and said why.
        case refused
        /// This side closed it.
        case closed
        /// The peer broke the protocol, or did not answer in time.
        case failed
    }

    package var reason: Reason
    /// What open requests failed with, and what later ones fail with.
    package var error: DocumentError
    /// What the peer sent that it should not have.
    package var evidence: FrameViolation?
}
