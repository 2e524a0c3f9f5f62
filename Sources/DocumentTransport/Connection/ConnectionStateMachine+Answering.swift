package import DocumentModel
import DocumentWire

/// A request of the peer that has not been answered.
struct AnsweredRequest: Sendable {
    var isCancelled = false
    var lastProgress: MonotonicTime?
    var bytesDone: UInt64 = 0
    /// Came too soon after the last one; goes out later. `.some(nil)` is a heartbeat.
    var held: TransferProgress??
}

extension ConnectionStateMachine {
    /// Reports go out so often at most.
    static var progressInterval: Duration { .milliseconds(50) }

    /// The peer asks.
    mutating func request(
        _ id: UInt64, _ body: [UInt8], _ deadline: UInt32, _ label: RequestLabel?, _ priority: RequestPriority
    ) throws(Offence) {
        try takePeerID(id)
        if case .draining = phase {
            refuse(id, DocumentError(.busy, "\(ownName) is shutting down; try again."))
            return
        }
        let priority = configuration.takesPriorities ? priority : .ordinary
        let places = configuration.limits.places(for: priority)
        guard answering.count + outbox.unsentAnswers < places else {
            refuse(id, DocumentError(.busy, "\(ownName) answers \(places) requests at once and no more; try again."))
            return
        }
        answering[id] = AnsweredRequest()
        actions.append(.answer(id, body: body, deadline: deadline, label: label, priority: priority))
    }

    /// Something that a newer peer can ask, and we cannot answer.
    mutating func unknownFrame(_ id: UInt64) {
        // Nothing that is new can end, or modify, what is known.
        guard id != 0, id % 2 == peerParity, id > lastPeerID else { return }
        lastPeerID = id
        refuse(id, DocumentError(.unimplemented, "\(ownName) does not know this kind of request; update it."))
    }

    private var peerParity: UInt64 { configuration.role == .initiator ? 0 : 1 }
    private var ownName: String { configuration.software.isEmpty ? "This side" : configuration.software }

    private mutating func takePeerID(_ id: UInt64) throws(Offence) {
        guard id != 0, id % 2 == peerParity else {
            throw Offence("It asked with the id \(id), which is not one of its own.")
        }
        guard id > lastPeerID else {
            throw Offence("It asked with the id \(id) after \(lastPeerID); ids must grow.")
        }
        lastPeerID = id
    }

    private mutating func refuse(_ id: UInt64, _ error: DocumentError) {
        outbox.append(refusal: Frame(id: id, .failure(error)))
    }

    /// The handler has returned.
    ///
    /// - Parameter descriptor: what is passed with a good answer.
    package mutating func finish(_ id: UInt64, _ outcome: RequestOutcome, passing descriptor: PassedDescriptor? = nil) {
        guard answering.removeValue(forKey: id) != nil else { return }
        switch outcome {
        case .answer(let body) where fits(body):
            outbox.append(answer: Frame(id: id, .answer(body: body)), passing: descriptor)
        case .answer(let body):
            fail(
                id,
                DocumentError(
                    .frameTooLarge,
                    """
                    The answer has \(body.count) bytes, and \(configuration.peerName) accepts less than \
                    \(peerLimits.frameBytes); ask for less at once.
                    """))
        case .failure(let error):
            fail(id, error)
        }
        sayGoodbyeIfDone()
    }

    private mutating func fail(_ id: UInt64, _ error: DocumentError) {
        var error = error
        if error.code.isReservedForHost, !configuration.maySendReservedCodes { error.code = .internal }
        outbox.append(answer: Frame(id: id, .failure(error.cut(toFit: peerLimits.frameBytes))))
    }

    mutating func cancelled(_ id: UInt64) throws(Offence) {
        guard id != 0, id % 2 == peerParity else {
            throw Offence("It cancelled request \(id), which is not one of its own.")
        }
        guard var request = answering[id], !request.isCancelled else { return }
        request.isCancelled = true
        answering[id] = request
        actions.append(.cancelAnswer(id, isGivenUp: true))
    }

    /// The handler tells how far it is; nil for a heartbeat.
    package mutating func report(_ id: UInt64, _ progress: TransferProgress?, at now: MonotonicTime) {
        guard var request = answering[id] else { return }
        if let progress {
            // Two threads of a handler may overtake each other; the peer is only told of what grows.
            guard progress.done >= request.bytesDone else { return }
            request.bytesDone = progress.done
        }
        let isDue = request.lastProgress.map { $0 + Self.progressInterval <= now } ?? true
        if isDue, outbox.count < configuration.queueBytes {
            sendProgress(id, progress, &request, at: now)
        } else {
            // A heartbeat does not hide figures that wait.
            if progress != nil || request.held == nil { request.held = .some(progress) }
            setAlarm((request.lastProgress ?? now) + Self.progressInterval)
        }
        answering[id] = request
    }

    private mutating func sendProgress(
        _ id: UInt64, _ progress: TransferProgress?, _ request: inout AnsweredRequest, at now: MonotonicTime
    ) {
        request.lastProgress = now
        request.held = nil
        outbox.append(Frame(id: id, progress.map { .progress($0) } ?? .heartbeat))
    }

    /// Sends the reports that were held back.
    mutating func checkAnswering(at now: MonotonicTime) {
        for (id, request) in answering.entries {
            guard let held = request.held else { continue }
            let due = (request.lastProgress ?? now) + Self.progressInterval
            guard due <= now, outbox.count < configuration.queueBytes else {
                setAlarm(max(due, now + Self.progressInterval))
                continue
            }
            var request = request
            sendProgress(id, held, &request, at: now)
            answering[id] = request
        }
    }

    /// A responder that was told to stop, and has finished what ran, leaves.
    mutating func sayGoodbyeIfDone() {
        guard case .draining = phase, configuration.role == .responder, answering.isEmpty else { return }
        outbox.append(Frame(.goodbye))
        let isShutdown = isShutDown
        end(isShutdown ? .goodbye : .endOfStream, isShutdown ? closingError : deathError)
    }
}

extension DocumentError {
    /// The same error in a frame of a limited size: texts are shortened, the least important first.
    fileprivate func cut(toFit limit: Int) -> DocumentError {
        func fits(_ error: DocumentError) -> Bool {
            Frame(id: .max, .failure(error)).generalBody().count <= limit
        }
        var error = self
        if fits(error) { return error }
        error.detail = error.detail.cut(to: 512)
        error.causes = error.causes.prefix(4).map { $0.cut(to: 256) }
        error.message = error.message.cut(to: 1024)
        if fits(error) { return error }
        error.itemID = nil
        return error
    }
}

extension String {
    fileprivate func cut(to bytes: Int) -> String {
        utf8.count <= bytes ? self : String(decoding: utf8.prefix(bytes), as: UTF8.self) + "…"
    }
}
