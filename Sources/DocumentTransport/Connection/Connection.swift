package import DocumentModel
package import Logging
import Synchronization

/// Requests and answers over a ``TransportEnd``: one hello exchange, then both sides ask.
///
/// ``open(reply:)`` comes first, then ``run(_:)``, which must run for as long as the connection is used; requests may
/// be made from any task between the two and while it runs.
package final class Connection: Sendable {
    package struct Configuration: Sendable {
        package enum Role: Hashable, Sendable {
            /// Speaks first: the host to a provider, a host tool to the daemon.
            case initiator
            /// Was started, or was connected to: a provider, the daemon on its socket.
            case responder
        }

        package enum Preface: Hashable, Sendable {
            case none
            /// A provider on its standard output.
            case sends
            /// The host, of a provider.
            case expects
        }

        package var role: Role
        package var preface: Preface
        package var versions: [UInt32] = [1]
        package var features: [String] = []
        package var limits = FrameLimits.default
        /// Who we are, for the peer's log.
        package var software = ""
        /// The initiator's hello context. (A responder gives its own in ``Connection/open(reply:)``.)
        package var context: [UInt8] = []
        package var session = ""
        package var locale = ""
        /// For messages: "The provider photos".
        package var peerName = "The other side"
        /// The code of the error that open requests get when the peer has died.
        package var deathCode = DocumentError.Code.providerDied
        /// The message of that error; by default it says that the peer ended.
        package var deathMessage: String?
        package var handshakeTimeout: Duration? = .seconds(10)
        /// How long a cancelled request may take to end.
        package var cancelGrace: Duration = .seconds(10)
        /// How long a frame that has begun may take to be whole.
        package var frameTimeout: Duration = .seconds(30)
        /// Callers of requests wait while more than this is unsent.
        package var queueBytes = 1_048_576

        package init(role: Role, preface: Preface = .none) {
            self.role = role
            self.preface = preface
        }
    }

    package init(end: any TransportEnd, loop: EventLoop, configuration: Configuration, logger: Logger) {}

    /// Exchanges the hellos.
    ///
    /// - Parameter reply: a responder's: takes the peer's hello and returns the context of the answer. When it throws,
    ///   the connection ends with that error.
    package func open(
        reply: (@Sendable (PeerHello) async throws -> [UInt8])? = nil
    ) async throws(DocumentError) -> Peer {
        throw DocumentError(.unimplemented, "Not yet.")
    }

    /// Answers the peer's requests until the connection has ended and every handler has returned. Cancelling its task
    /// closes the connection.
    package func run(_ handler: some RequestHandler) async -> ConnectionEnd {
        ConnectionEnd(reason: .closed, error: DocumentError(.unimplemented, "Not yet."))
    }

    /// Asks the peer and waits for its final frame. Cancelling the task sends a cancel; the final frame is still
    /// waited for, at most for the cancel grace.
    ///
    /// - Parameter onProgress: gets the peer's reports; nil is a heartbeat. Must not block.
    package func request(
        _ body: [UInt8], deadline: Deadline, onProgress: (@Sendable (TransferProgress?) -> Void)? = nil
    ) async throws(DocumentError) -> [UInt8] {
        throw DocumentError(.unimplemented, "Not yet.")
    }

    /// Tells the peer something.
    ///
    /// - Returns: false when it was dropped, because the connection has ended or the peer does not read.
    @discardableResult
    package func notify(_ body: [UInt8]) -> Bool {
        false
    }

    /// An initiator's orderly end: asks the peer to finish what runs, waits for its goodbye, at most for the grace, and
    /// closes.
    package func shutdown(grace: Duration) async {}

    /// Ends the connection at once. Open requests fail with the reason.
    package func close(_ reason: DocumentError?) {}

    /// The peer's violation of the protocol, if that is what ended the connection.
    package var failure: FrameViolation? { nil }
}
