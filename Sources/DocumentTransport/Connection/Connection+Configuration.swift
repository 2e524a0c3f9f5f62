package import DocumentModel
package import DocumentWire

extension Connection {
    /// What a side of a connection is, wants and waits for.
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
        /// What whoever is told of a violation can do about it, as a sentence.
        package var violationAdvice: String?
        /// What is said of bytes that make no sense and read like text that was printed; nil where nobody prints.
        package var printedAdvice: String?
        /// The code of the error that open requests get when the peer has died.
        package var deathCode = DocumentError.Code.providerDied
        /// What everybody is told when the peer does not even end what was cancelled, and the connection is given up.
        package var suspicionCode = DocumentError.Code.deadlineExceeded
        /// The message of that error; by default it says that the peer ended.
        package var deathMessage: String?
        package var handshakeTimeout: Duration? = .seconds(10)
        /// How long a cancelled request may take to end.
        package var cancelGrace: Duration = .seconds(10)
        /// How long a frame that has begun may take to be whole.
        package var frameTimeout: Duration = .seconds(30)
        /// After so long a silence a peer that has work is asked whether it is there; nil: never.
        package var pingAfter: Duration?
        /// How long it may then go on to be silent.
        package var pongWithin: Duration = .seconds(240)
        /// What everybody is told when it has been; nil: that it is ended.
        package var silenceError: DocumentError?
        /// Whether what the peer asks inside of something, or to end something, has places of its own.
        package var takesPriorities = false
        /// Whether ``Connection/flightRecord`` has the last frames.
        package var keepsFlightRecord = false
        /// What is blanked out of the bytes that a violation is shown by: they go into errors and logs.
        package var redaction = FrameRedaction()
        /// Callers of requests wait while more than this is unsent.
        package var queueBytes = 1_048_576

        /// Whether the peer breaks the protocol with a code that only the host may use: a provider does.
        package var refusesReservedCodes: Bool
        /// Whether this side may use those codes; where not, they become `internal`.
        package var maySendReservedCodes: Bool

        package init(role: Role, preface: Preface = .none) {
            self.role = role
            self.preface = preface
            refusesReservedCodes = preface == .expects
            maySendReservedCodes = preface != .sends
        }
    }
}
