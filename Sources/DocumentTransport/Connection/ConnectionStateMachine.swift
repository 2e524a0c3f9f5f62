package import DocumentModel
package import DocumentWire

/// The rules of a connection, without I/O: frames, calls and the time go in; bytes collect in ``outbox``, and what is
/// to be done in ``actions``.
package struct ConnectionStateMachine: ~Copyable, Sendable {
    package enum Phase: Sendable {
        /// Nothing was sent and nothing is expected.
        case closed
        /// The initiator's hello, or the responder's answer to it, is waited for.
        case greeting
        /// The responder makes its answer.
        case replying
        case open
        /// A shutdown was sent, or came, or a responder's incoming stream has ended: what runs is finished.
        case draining
        case ended
    }

    /// Small, as there is one for every frame; what is large is kept apart.
    package enum Action: Sendable {
        /// The hellos were exchanged.
        indirect case opened(Peer)
        /// The initiator's hello came, and wants a reply.
        indirect case greeted(PeerHello)
        /// A request of ours has ended.
        case finish(AskedRequest, RequestOutcome)
        /// A request of ours is so far; nil for a heartbeat.
        case progress(AskedRequest, TransferProgress?)
        /// The peer asks.
        case answer(UInt64, body: [UInt8], deadline: UInt32, label: RequestLabel?, priority: RequestPriority)
        /// The peer has lost interest in a request that runs.
        case cancelAnswer(UInt64, isGivenUp: Bool)
        case notification([UInt8])
        /// It is over. What is in the outbox is still to be written, if the peer reads it at once.
        indirect case ended(ConnectionEnd)
    }

    /// What the peer must not send. Whoever knows where it was in the stream tells ``violated(_:)``.
    package struct Offence: Error {
        package let message: String

        init(_ message: String) {
            self.message = message
        }
    }

    let configuration: Connection.Configuration
    let processID: Int64
    var phase = Phase.closed
    var ending: ConnectionEnd?
    var peer: Peer?
    var peerLimits = FrameLimits.default
    package internal(set) var outbox = Outbox()
    /// In order. Whoever carries them out empties it.
    package var actions: [Action] = []

    // What we asked.
    var asked = RequestTable<AskedRequest>()
    /// Asked, and not sent yet; ones that were given up may still stand here.
    var waiting = WaitingRequests()
    /// When something was sent that had waited, or what was asked got somewhere.
    var lineMoved = MonotonicTime.never
    /// How many of `asked` were sent.
    var sentCount = 0
    var nextID: UInt64
    var lastSentID: UInt64 = 0
    /// Requests that ended here before they ended there: their final frames are dropped.
    var tombstones: Set<UInt64> = []
    /// Those of them with whose answers a descriptor may come.
    var passingTombstones: Set<UInt64> = []
    /// Descriptors that have come, for answers that are still to be decoded.
    package var arrived: [PassedDescriptor] = []
    var droppedFrames = 0
    var knownDeadline: DeadlineFigures?
    /// The peer did not end a cancelled request in time, and gets no new work.
    var suspicion: DocumentError?

    /// What is left of the frames that the peer may send for nothing.
    var allowance = FrameAllowance()

    // What the peer asked.
    var answering = RequestTable<AnsweredRequest>()
    var lastPeerID: UInt64 = 0
    /// A shutdown came; else a responder drains because its stream has ended.
    var isShutDown = false
    /// Nothing comes any more: what a draining responder asks now would never be answered.
    var hasStreamEnded = false
    /// Notifications that were handed out and are not taken yet.
    var untakenNotifications = 0

    // When something has to happen.
    var handshakeDeadline = MonotonicTime.never
    var frameDeadline = MonotonicTime.never
    var suspicionDeadline = MonotonicTime.never
    /// Not after the earliest moment at which a request needs attention.
    var requestAlarm = MonotonicTime.never
    var silence = Silence()
    /// What was open when it ended.
    var openAtEnd: [FlightRecord.OpenRequest] = []
    var askedByPeerAtEnd: [UInt64] = []

    package init(configuration: Connection.Configuration, processID: Int64) {
        self.configuration = configuration
        self.processID = processID
        nextID = configuration.role == .initiator ? 1 : 2
        outbox.trace = configuration.keepsFlightRecord ? FrameTrace() : nil
    }

    package var isOver: Bool {
        if case .ended = phase { true } else { false }
    }

    // MARK: Opening

    package mutating func open(at now: MonotonicTime) {
        guard case .closed = phase else { return }
        phase = .greeting
        handshakeDeadline = configuration.handshakeTimeout.map { now + $0 } ?? .never
        if configuration.preface == .sends {
            outbox.append(preface: FrameDecoder.preface)
        }
        guard configuration.role == .initiator else { return }
        var hello = Frame.Hello()
        hello.versions = configuration.versions
        hello.features = configuration.features
        hello.limits = configuration.limits.frame
        hello.software = configuration.software
        hello.processID = processID
        hello.session = configuration.session
        hello.locale = configuration.locale
        hello.context = configuration.context
        outbox.append(Frame(.hello(hello)))
    }

    /// The responder's answer to the hello.
    package mutating func reply(context: [UInt8], failure: DocumentError? = nil) {
        guard case .replying = phase, let peer else { return }
        phase = .open
        var reply = helloReply(version: peer.version, features: peer.features, context: context)
        reply.failure = failure
        outbox.append(Frame(.helloReply(reply)))
        actions.append(.opened(peer))
    }

    /// The responder does not want this peer.
    package mutating func refuse(_ error: DocumentError) {
        guard case .replying = phase else { return }
        var reply = helloReply(version: 0, features: [], context: [])
        reply.failure = error
        if error.code.isReservedForHost, !configuration.maySendReservedCodes { reply.failure?.code = .internal }
        outbox.append(Frame(.helloReply(reply)))
        end(.refused, error)
    }

    func helloReply(version: UInt32, features: [String], context: [UInt8]) -> Frame.HelloReply {
        var reply = Frame.HelloReply()
        reply.version = version
        reply.features = features
        reply.limits = configuration.limits.frame
        reply.software = configuration.software
        reply.versions = configuration.versions
        reply.context = context
        return reply
    }

    // MARK: Notifications

    /// - Returns: false when it was dropped.
    package mutating func notify(_ body: [UInt8]) -> Bool {
        switch phase {
        case .open, .draining: break
        case .closed, .greeting, .replying, .ended: return false
        }
        guard outbox.count < configuration.queueBytes, fits(body) else { return false }
        outbox.append(Frame(.notification(body: body)))
        return true
    }

    package mutating func notificationTaken() {
        untakenNotifications -= 1
    }

    // MARK: Backpressure

    private static let unaskedBytesLimit = 262_144
    private static let untakenNotificationsLimit = 1024

    /// False while the peer makes us keep more than it takes. The bytes of answers do not count: each holds one of the
    /// peer's places until it has left, so that two sides that keep to the limits never wait for each other.
    package var wantsReading: Bool {
        if case .ended = phase { return false }
        return outbox.unaskedBytes < Self.unaskedBytesLimit && untakenNotifications < Self.untakenNotificationsLimit
    }

    /// Some of the outbox was written.
    package mutating func wrote(_ count: Int, at now: MonotonicTime) {
        outbox.wrote(count)
        if !waiting.isEmpty { admitWaiting(at: now) }
    }

    func fits(_ body: [UInt8]) -> Bool {
        Frame.bodyLength(carrying: body.count) <= peerLimits.frameBytes
    }

    // MARK: Ending

    /// An initiator asks for the end; it gets no more requests through.
    package mutating func shutdown() {
        switch phase {
        case .open:
            phase = .draining
            outbox.append(Frame(.shutdown))
            failWaiting(closingError)
        case .closed, .greeting, .replying:
            end(.closed, closingError)
        case .draining, .ended:
            break
        }
    }

    package mutating func close(_ reason: DocumentError?) {
        end(.closed, reason ?? closingError)
    }

    /// The peer's stream has ended.
    package mutating func streamEnded(_ violation: FrameViolation?) {
        hasStreamEnded = true
        switch phase {
        case .open where configuration.role == .responder, .draining where configuration.role == .responder:
            // As good as a shutdown; but what we asked will not be answered.
            phase = .draining
            failAsked(deathError)
            sayGoodbyeIfDone()
        case .closed, .greeting, .replying, .open, .draining:
            end(.endOfStream, deathError, violation)
        case .ended:
            break
        }
    }

    /// Nobody reads what we write.
    package mutating func peerIsGone(_ violation: FrameViolation?) {
        outbox.removeAll()
        end(.endOfStream, deathError, violation)
    }

    package mutating func violated(_ violation: FrameViolation) {
        let looksLikeText = violation.looksLikeText
        let violation = redacted(violation)
        // A provider that prints before its preface is told so in other words.
        let printed = looksLikeText && violation.offset > 0 ? configuration.printedAdvice : nil
        let advice = [printed, configuration.violationAdvice].compactMap { $0.map { " " + $0 } }.joined()
        end(
            .failed,
            DocumentError(
                violation.code, "\(configuration.peerName) broke the protocol: \(violation.message)\(advice)",
                detail: violation.description), violation)
    }

    mutating func end(_ reason: ConnectionEnd.Reason, _ error: DocumentError, _ evidence: FrameViolation? = nil) {
        if case .ended = phase { return }
        let shown: FrameViolation? = if let evidence { redacted(evidence) } else { nil }
        let end = ConnectionEnd(reason: reason, error: error, evidence: shown)
        phase = .ended
        ending = end
        keepOpenRequests()
        failAsked(error)
        for (id, _) in answering.entries { actions.append(.cancelAnswer(id, isGivenUp: false)) }
        answering.removeAll()
        (handshakeDeadline, frameDeadline, suspicionDeadline, requestAlarm) = (.never, .never, .never, .never)
        silence = Silence()
        actions.append(.ended(end))
    }

    private func redacted(_ violation: FrameViolation) -> FrameViolation {
        var violation = violation
        configuration.redaction.redact(bytes: &violation.bytes)
        return violation
    }

    var deathError: DocumentError {
        DocumentError(
            configuration.deathCode,
            configuration.deathMessage ?? "\(configuration.peerName) ended before it had answered; try again.")
    }

    var closingError: DocumentError {
        DocumentError(.cancelled, "The connection to \(configuration.peerName) was closed; open it again.")
    }
}

extension FrameLimits {
    var frame: Frame.Limits {
        Frame.Limits(frameBytes: UInt32(frameBytes), requests: UInt32(requests))
    }

    /// 0 stands for the default.
    init(_ limits: Frame.Limits) {
        self.init(
            frameBytes: limits.frameBytes == 0 ? Self.default.frameBytes : Int(limits.frameBytes),
            requests: limits.requests == 0 ? Self.default.requests : Int(limits.requests))
    }
}
