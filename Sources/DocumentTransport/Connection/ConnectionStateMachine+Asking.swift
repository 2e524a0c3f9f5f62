import DocumentModel
import DocumentWire

extension ConnectionStateMachine {
    /// Begins a request; its end is an action.
    package mutating func ask(_ request: AskedRequest, _ body: [UInt8], deadline: Deadline, at now: MonotonicTime) {
        request.id = nextID
        nextID += 2
        request.askedAt = now
        guard isOpenForAsking, fits(body) else {
            actions.append(.finish(request, .failure(refusalToAsk(body))))
            return
        }
        request.deadline = deadline
        if waiting.isEmpty(request.priority), hasPlace(request.priority) {
            send(request, body, at: now)
        } else {
            request.stage = .waiting(body)
            // For a stall, it counts from when those that were asked before last got somewhere.
            if waiting.isEmpty { lineMoved = now }
            if case .none = deadline {} else { request.alarm = now + figures(of: deadline).limit }
            waiting.append(request)
        }
        setAlarm(request.alarm)
        asked[request.id] = request
    }

    private var isOpenForAsking: Bool {
        switch phase {
        case .open: suspicion == nil
        // What a responder runs to its end may ask.
        case .draining: configuration.role == .responder && suspicion == nil && !hasStreamEnded
        case .closed, .greeting, .replying, .ended: false
        }
    }

    private func refusalToAsk(_ body: [UInt8]) -> DocumentError {
        if let ending { return ending.error }
        if let suspicion { return suspicion }
        switch phase {
        case .closed, .greeting, .replying:
            return DocumentError(.internal, "The connection to \(configuration.peerName) is not open; open it first.")
        case .draining where configuration.role == .initiator:
            return closingError
        case .draining where hasStreamEnded:
            return deathError
        case .open, .draining, .ended:
            return DocumentError(
                .frameTooLarge,
                """
                The request has \(body.count) bytes, and \(configuration.peerName) accepts less than \
                \(peerLimits.frameBytes); ask for less at once.
                """)
        }
    }

    private func hasPlace(_ priority: RequestPriority) -> Bool {
        sentCount < peerLimits.places(for: priority) && outbox.count < configuration.queueBytes
    }

    private mutating func send(_ request: AskedRequest, _ body: [UInt8], at now: MonotonicTime) {
        var milliseconds: UInt32 = 0
        switch request.deadline {
        case .none:
            break
        case .total:
            let figures = figures(of: request.deadline)
            milliseconds = figures.milliseconds
            if request.alarm == .never { request.alarm = now + figures.limit }
        case .stall:
            // Nothing happens to a request that nobody has read; so it does not stall before it was sent.
            request.alarm = now + figures(of: request.deadline).limit
        }
        request.stage = .sent
        lastSentID = request.id
        sentCount += 1
        if outbox.trace != nil { request.call = FrameTrace.call(in: body) }
        listenForSilence(from: now)
        outbox.append(
            Frame(
                id: request.id,
                .request(
                    body: body, deadline: milliseconds, label: request.label, priority: request.priority)))
    }

    /// What a deadline is in the units of the clock and of the wire. Dividing a `Duration` is slow, and nearly all
    /// requests have one of three deadlines.
    private mutating func figures(of deadline: Deadline) -> DeadlineFigures {
        if let known = knownDeadline, known.deadline == deadline { return known }
        let figures = DeadlineFigures(deadline)
        knownDeadline = figures
        return figures
    }

    /// Sends what waits, as far as there are places.
    mutating func admitWaiting(at now: MonotonicTime) {
        for priority in RequestPriority.allCases.reversed() {
            while !waiting.isEmpty(priority), hasPlace(priority), let request = waiting.popFirst(priority) {
                guard asked[request.id] === request, case .waiting(let body) = request.stage else { continue }
                if request.id < lastSentID { renumber(request) }
                send(request, body, at: now)
                lineMoved = now
                setAlarm(request.alarm)
            }
        }
    }

    /// Ids grow on the wire, also where one has overtaken another.
    private mutating func renumber(_ request: AskedRequest) {
        asked[request.id] = nil
        request.id = nextID
        nextID += 2
        asked[request.id] = request
    }

    /// The asker has lost interest.
    package mutating func cancel(_ request: AskedRequest, at now: MonotonicTime) {
        guard asked[request.id] === request else { return }
        giveUp(
            request, DocumentError(.cancelled, "The request was cancelled; ask again if it is still wanted."), at: now)
    }

    private mutating func giveUp(_ request: AskedRequest, _ error: DocumentError, at now: MonotonicTime) {
        switch request.stage {
        case .waiting:
            asked[request.id] = nil
            actions.append(.finish(request, .failure(error)))
        case .sent:
            outbox.append(Frame(id: request.id, .cancel))
            request.stage = .cancelled(error)
            request.alarm = now + configuration.cancelGrace
            setAlarm(request.alarm)
        case .cancelled:
            break
        }
    }

    /// An answer or a failure came.
    mutating func finalFrame(_ id: UInt64, _ outcome: RequestOutcome, at now: MonotonicTime) throws(Offence) {
        guard let request = asked[id], !request.isWaiting else {
            guard tombstones.remove(id) != nil else { throw Offence(violationMessage(ofAnswerTo: id)) }
            droppedFrames += 1
            if passingTombstones.remove(id) != nil, case .answer = outcome { _ = nextArrived() }
            return
        }
        var outcome = outcome
        if request.takesDescriptor, case .answer = outcome { request.passed = nextArrived() }
        if case .failure(let error) = outcome {
            if error.code.isReservedForHost, configuration.refusesReservedCodes {
                throw Offence("It answered with the code \(error.code), which only the host may use.")
            }
            if case .cancelled(let reason) = request.stage, error.code == .cancelled {
                outcome = .failure(reason)
            }
        }
        asked[id] = nil
        sentCount -= 1
        actions.append(.finish(request, outcome))
        if !waiting.isEmpty { admitWaiting(at: now) }
        if suspicion != nil { endSuspicionIfDone() }
    }

    /// Descriptors come in the order of the answers.
    private mutating func nextArrived() -> PassedDescriptor? { arrived.isEmpty ? nil : arrived.removeFirst() }

    private func violationMessage(ofAnswerTo id: UInt64) -> String {
        isOwn(id) && id < nextID
            ? "It answered request \(id) a second time." : "It answered request \(id), which nobody asked."
    }

    private func isOwn(_ id: UInt64) -> Bool {
        id != 0 && id % 2 == (configuration.role == .initiator ? 1 : 0)
    }

    mutating func progress(_ id: UInt64, _ progress: TransferProgress?, at now: MonotonicTime) throws(Offence) {
        guard let request = asked[id], !request.isWaiting else {
            guard tombstones.contains(id) else {
                throw Offence("It reported progress of request \(id), which does not run.")
            }
            return
        }
        if let progress {
            guard progress.done >= request.bytesDone else {
                throw Offence("Its progress of request \(id) fell from \(request.bytesDone) to \(progress.done) bytes.")
            }
            if progress.done > request.bytesDone { lineMoved = now }
            request.bytesDone = progress.done
        }
        if case .sent = request.stage, case .stall = request.deadline {
            request.alarm = now + figures(of: request.deadline).limit
        }
        actions.append(.progress(request, progress))
    }

    /// Gives up what is late.
    mutating func checkAsked(at now: MonotonicTime, unfinished: UnfinishedFrame? = nil) {
        for (id, request) in asked.entries {
            // One that is given up may take others with it: what waits fails when the peer becomes suspect.
            guard asked[id] === request else { continue }
            guard request.alarm <= now else {
                setAlarm(request.alarm)
                continue
            }
            guard case .cancelled(let error) = request.stage else {
                if let later = laterAlarm(of: request, at: now) {
                    request.alarm = later
                    setAlarm(later)
                    continue
                }
                if let printed = printedText(unfinished, instead: request, at: now) { return violated(printed) }
                giveUp(request, request.isWaiting ? neverBegun(request) : deadlineError(request.deadline), at: now)
                continue
            }
            // The peer ignores the cancel as well.
            asked[id] = nil
            sentCount -= 1
            tombstones.insert(id)
            if request.takesDescriptor { passingTombstones.insert(id) }
            actions.append(.finish(request, .failure(error)))
            suspect(at: now)
        }
        if suspicion != nil { endSuspicionIfDone() }
    }

    /// When a request that seems to stall is looked at again; nil when it does stall.
    private mutating func laterAlarm(of request: AskedRequest, at now: MonotonicTime) -> MonotonicTime? {
        guard case .stall = request.deadline else { return nil }
        let limit = figures(of: request.deadline).limit
        guard request.isWaiting else {
            guard request.movesElsewhere() else { return nil }
            lineMoved = now
            silence.lastMoved = now
            return now + limit
        }
        if lineMoved + limit <= now { lookElsewhere(at: now) }
        let (longest, isTooLong) = limit.multipliedReportingOverflow(by: Self.lineLimit)
        let alarm = min(lineMoved + limit, request.askedAt + (isTooLong ? .max : longest))
        return alarm > now ? alarm : nil
    }

    /// How many stall limits a request waits for a place at most, however much gets somewhere meanwhile.
    private static let lineLimit: UInt64 = 60

    /// Whether one that was asked before gets somewhere without saying so.
    mutating func lookElsewhere(at now: MonotonicTime) {
        for (_, other) in asked.entries {
            guard case .sent = other.stage, case .stall = other.deadline, other.movesElsewhere() else { continue }
            lineMoved = now
            silence.lastMoved = now
            // Its own look compares with this one.
            other.alarm = now + figures(of: other.deadline).limit
            setAlarm(other.alarm)
        }
    }

    private mutating func suspect(at now: MonotonicTime) {
        guard suspicion == nil else { return }
        let error = DocumentError(
            configuration.suspicionCode,
            "\(configuration.peerName) does not end what was cancelled, and is closed; try again.")
        suspicion = error
        suspicionDeadline = now + configuration.cancelGrace
        failWaiting(error)
    }

    /// What else runs may finish; then a suspect is closed.
    private mutating func endSuspicionIfDone() {
        if let suspicion, asked.isEmpty { end(.failed, suspicion) }
    }

    private func deadlineError(_ deadline: Deadline) -> DocumentError {
        switch deadline {
        case .total(let limit):
            DocumentError(
                .deadlineExceeded, "\(configuration.peerName) did not answer within \(limit.readable); try again.")
        case .stall(let limit):
            DocumentError(
                .deadlineExceeded, "\(configuration.peerName) made no progress for \(limit.readable); try again.")
        case .none:
            DocumentError(.deadlineExceeded, "\(configuration.peerName) did not answer in time; try again.")
        }
    }

    /// For a request that waited for a place.
    private func neverBegun(_ request: AskedRequest) -> DocumentError {
        let peer = configuration.peerName
        let limit =
            switch request.deadline {
            case .total(let limit): "within \(limit.readable)"
            case .stall(let limit): "while they got nowhere for \(limit.readable)"
            case .none: "in time"
            }
        guard sentCount >= peerLimits.requests else {
            return DocumentError(
                .deadlineExceeded,
                "\(peer) does not read what it is asked, and did not get to this request \(limit); try again.")
        }
        return DocumentError(
            .deadlineExceeded,
            "\(peer) is busy with \(sentCount) other requests and did not get to this one \(limit); try again when they are done."
        )
    }

    mutating func failWaiting(_ error: DocumentError) {
        for priority in RequestPriority.allCases {
            while let request = waiting.popFirst(priority) {
                guard asked[request.id] === request, request.isWaiting else { continue }
                asked[request.id] = nil
                actions.append(.finish(request, .failure(error)))
            }
        }
    }

    var openNow: [FlightRecord.OpenRequest] {
        asked.entries.map { _, request in FlightRecord.OpenRequest(request) }.sorted { $0.id < $1.id }
    }
    var askedByPeerNow: [UInt64] { answering.entries.map(\.id).sorted() }

    /// For the flight record.
    mutating func keepOpenRequests() {
        guard outbox.trace != nil else { return }
        openAtEnd = openNow
        askedByPeerAtEnd = askedByPeerNow
    }

    mutating func failAsked(_ error: DocumentError) {
        for (_, request) in asked.entries.sorted(by: { $0.id < $1.id }) {
            actions.append(.finish(request, .failure(error)))
        }
        asked.removeAll()
        waiting.removeAll()
        sentCount = 0
    }
}

/// A deadline, worked out.
struct DeadlineFigures: Sendable {
    let deadline: Deadline
    /// In nanoseconds.
    let limit: UInt64
    let milliseconds: UInt32

    init(_ deadline: Deadline) {
        self.deadline = deadline
        switch deadline {
        case .none: (limit, milliseconds) = (.max, 0)
        case .total(let duration), .stall(let duration):
            limit = (MonotonicTime(nanoseconds: 0) + duration).nanoseconds
            milliseconds = duration.wholeMilliseconds
        }
    }
}

extension Duration {
    /// "30 s", "250 ms".
    var readable: String {
        let milliseconds = wholeMilliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
