import DocumentModel
package import DocumentWire

extension ConnectionStateMachine {
    /// Takes the peer's next frame.
    package mutating func receive(_ frame: Frame, at now: MonotonicTime) throws(Offence) {
        heard(at: now)
        switch phase {
        case .ended, .closed:
            return
        case .greeting:
            try receiveGreeting(frame)
            return
        case .replying:
            throw Offence("It sent something before the hello was answered.")
        case .open, .draining:
            break
        }
        if frame.kind.asksForLittle {
            guard allowance.take(at: now) else {
                throw Offence(
                    "It floods the connection with frames that ask for nothing, more than \(FrameAllowance.perSecond) a second."
                )
            }
        }
        switch frame.kind {
        case .request(let body, let deadline, let label, let priority):
            try request(frame.id, body, deadline, label, priority)
        case .answer(let body):
            try finalFrame(frame.id, .answer(body), at: now)
        case .failure(let error):
            try finalFrame(frame.id, .failure(error), at: now)
        case .progress(let progress):
            try self.progress(frame.id, progress, at: now)
        case .heartbeat:
            try self.progress(frame.id, nil, at: now)
        case .cancel:
            try cancelled(frame.id)
        case .notification(let body):
            untakenNotifications += 1
            actions.append(.notification(body))
        case .ping(let number):
            outbox.append(urgent: Frame(.pong(number)))
        case .pong:
            break
        case .shutdown:
            try receiveShutdown()
        case .goodbye:
            try receiveGoodbye()
        case .hello, .helloReply:
            throw Offence("It sent a second hello.")
        case .unknown:
            unknownFrame(frame.id)
        }
    }

    private mutating func receiveGreeting(_ frame: Frame) throws(Offence) {
        switch (frame.kind, configuration.role) {
        case (.hello(let hello), .responder) where frame.id == 0:
            receiveHello(hello)
        case (.helloReply(let reply), .initiator) where frame.id == 0:
            try receiveReply(reply)
        case (_, .initiator):
            throw Offence("It did not begin with the answer to the hello.")
        case (_, .responder):
            throw Offence("It did not begin with a hello.")
        }
    }

    private mutating func receiveHello(_ hello: Frame.Hello) {
        handshakeDeadline = .never
        guard let version = hello.versions.filter(configuration.versions.contains).max() else {
            outbox.append(Frame(.helloReply(helloReply(version: 0, features: [], context: []))))
            end(.refused, versionError(theirs: hello.versions, theirSoftware: hello.software))
            return
        }
        let limits = FrameLimits(hello.limits)
        peer = Peer(
            version: version, features: configuration.features.filter(hello.features.contains), limits: limits,
            software: hello.software, context: hello.context, processID: hello.processID)
        peerLimits = limits
        phase = .replying
        actions.append(
            .greeted(
                PeerHello(
                    versions: hello.versions, features: hello.features, limits: limits, software: hello.software,
                    processID: hello.processID, session: hello.session, locale: hello.locale, context: hello.context)))
    }

    private mutating func receiveReply(_ reply: Frame.HelloReply) throws(Offence) {
        handshakeDeadline = .never
        if let failure = reply.failure, failure.code.isReservedForHost, configuration.refusesReservedCodes {
            throw Offence("It said hello with the code \(failure.code), which only the host may use.")
        }
        guard reply.version != 0 else {
            let isShared = reply.versions.contains { configuration.versions.contains($0) }
            end(
                .failed,
                isShared
                    ? reply.failure
                        ?? DocumentError(
                            .notConfigured, "\(configuration.peerName) refused to be used; its own messages say why.")
                    : versionError(theirs: reply.versions, theirSoftware: reply.software))
            return
        }
        guard configuration.versions.contains(reply.version) else {
            throw Offence("It picked version \(reply.version) of the protocol, which was not offered.")
        }
        let peer = Peer(
            version: reply.version, features: configuration.features.filter(reply.features.contains),
            limits: FrameLimits(reply.limits), software: reply.software, context: reply.context, processID: 0,
            failure: reply.failure)
        self.peer = peer
        peerLimits = peer.limits
        phase = .open
        actions.append(.opened(peer))
    }

    /// Says which side is too old.
    private func versionError(theirs: [UInt32], theirSoftware: String) -> DocumentError {
        let name = theirSoftware.isEmpty ? configuration.peerName : "\(configuration.peerName) (\(theirSoftware))"
        let ours = configuration.versions
        let list = { (versions: [UInt32]) in
            versions.isEmpty ? "none" : versions.prefix(16).map(String.init).joined(separator: ", ")
        }
        let advice =
            (theirs.max() ?? 0) < (ours.max() ?? 0)
            ? "\(configuration.peerName) is too old; update it." : "This side is too old; update Docent."
        return DocumentError(
            .unimplemented,
            "\(name) and this side share no version of the protocol. \(advice)",
            detail: "Versions there: \(list(theirs)). Versions here: \(list(ours)).")
    }

    private mutating func receiveShutdown() throws(Offence) {
        guard configuration.role == .responder else {
            throw Offence("It asked for a shutdown, which is not for it to ask.")
        }
        isShutDown = true
        phase = .draining
        sayGoodbyeIfDone()
    }

    private mutating func receiveGoodbye() throws(Offence) {
        guard configuration.role == .initiator else {
            throw Offence("It said goodbye, which is not for it to say.")
        }
        end(.goodbye, asked.isEmpty ? closingError : deathError)
    }
}

extension Frame.Kind {
    /// Whether it costs its receiver time and brings neither work nor a result.
    fileprivate var asksForLittle: Bool {
        switch self {
        case .progress, .heartbeat, .cancel, .ping, .pong, .unknown: true
        case .hello, .helloReply, .request, .answer, .failure, .notification, .shutdown, .goodbye: false
        }
    }
}
