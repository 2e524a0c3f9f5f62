import DocumentModel
import DocumentWire

/// A request of ours that has not ended.
struct AskedRequest: Sendable {
    enum Stage: Sendable {
        /// For a place, with its body.
        case waiting([UInt8])
        case sent
        /// A cancel was sent; `error` is what the asker gets if the peer only says "cancelled", or nothing.
        case cancelled(DocumentError)
    }

    var stage: Stage
    let deadline: Deadline
    /// When the deadline or the cancel grace runs out.
    var alarm: MonotonicTime?
    var bytesDone: UInt64 = 0
}

extension ConnectionStateMachine {
    /// Begins a request; its end is an action.
    mutating func ask(_ body: [UInt8], deadline: Deadline, at now: MonotonicTime) -> UInt64 {
        let id = nextID
        nextID += 2
        if let error = refusalToAsk(body) {
            actions.append(.finish(id, .failure(error)))
            return id
        }
        var request = AskedRequest(stage: .waiting([]), deadline: deadline)
        if case .total(let limit) = deadline { request.alarm = now + limit }
        if waiting.isEmpty, hasPlace {
            send(id, body, &request, at: now)
        } else {
            request.stage = .waiting(body)
            waiting.append(id)
            waitedAt = now
        }
        setAlarm(request.alarm)
        asked[id] = request
        return id
    }

    private func refusalToAsk(_ body: [UInt8]) -> DocumentError? {
        switch phase {
        case .open: break
        // What a responder runs to its end may ask.
        case .draining where configuration.role == .responder: break
        case .draining: return closingError
        case .ended(let end): return end.error
        case .closed, .greeting, .replying:
            return DocumentError(.internal, "The connection to \(configuration.peerName) is not open; open it first.")
        }
        if let suspicion { return suspicion }
        guard fits(body) else {
            return DocumentError(
                .frameTooLarge,
                """
                The request has \(body.count) bytes, and \(configuration.peerName) accepts less than \
                \((peer?.limits ?? .default).frameBytes); ask for less at once.
                """)
        }
        return nil
    }

    private var hasPlace: Bool {
        sentCount < (peer?.limits ?? .default).requests && outbox.count < configuration.queueBytes
    }

    private mutating func send(_ id: UInt64, _ body: [UInt8], _ request: inout AskedRequest, at now: MonotonicTime) {
        var milliseconds: UInt32 = 0
        switch request.deadline {
        case .none: break
        case .total(let limit): milliseconds = limit.wholeMilliseconds
        // Nothing happens to a request that nobody has read; so it does not stall before it was sent.
        case .stall(let limit): request.alarm = now + limit
        }
        request.stage = .sent
        sentCount += 1
        outbox.append(Frame(id: id, .request(body: body, deadline: milliseconds)))
    }

    /// Sends what waits, as far as there are places.
    mutating func admitWaiting() {
        while !waiting.isEmpty, hasPlace, let id = waiting.popFirst() {
            guard var request = asked[id], case .waiting(let body) = request.stage else { continue }
            send(id, body, &request, at: waitedAt)
            setAlarm(request.alarm)
            asked[id] = request
        }
    }

    /// The asker has lost interest.
    mutating func cancel(_ id: UInt64, at now: MonotonicTime) {
        let error = DocumentError(.cancelled, "The request was cancelled; ask again if it is still wanted.")
        giveUp(id, error, at: now)
    }

    private mutating func giveUp(_ id: UInt64, _ error: DocumentError, at now: MonotonicTime) {
        guard var request = asked[id] else { return }
        switch request.stage {
        case .waiting:
            asked[id] = nil
            actions.append(.finish(id, .failure(error)))
        case .sent:
            outbox.append(Frame(id: id, .cancel))
            request.stage = .cancelled(error)
            request.alarm = now + configuration.cancelGrace
            setAlarm(request.alarm)
            asked[id] = request
        case .cancelled:
            break
        }
    }

    /// An answer or a failure came.
    mutating func finalFrame(_ id: UInt64, _ outcome: Result<[UInt8], DocumentError>, at now: MonotonicTime)
        throws(Offence)
    {
        guard let request = asked[id], !request.isWaiting else {
            if tombstones.remove(id) != nil {
                droppedFrames += 1
            } else {
                throw Offence(violationMessage(ofAnswerTo: id))
            }
            return
        }
        var outcome = outcome
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
        actions.append(.finish(id, outcome))
        waitedAt = now
        if !waiting.isEmpty { admitWaiting() }
        endSuspicionIfDone()
    }

    func violationMessage(ofAnswerTo id: UInt64) -> String {
        let isOurs = id % 2 == (configuration.role == .initiator ? 1 : 0)
        return id != 0 && isOurs && id < nextID
            ? "It answered request \(id) a second time." : "It answered request \(id), which nobody asked."
    }

    mutating func progress(_ id: UInt64, _ progress: TransferProgress?, at now: MonotonicTime) throws(Offence) {
        guard var request = asked[id], !request.isWaiting else {
            if !tombstones.contains(id) { throw Offence("It reported progress of request \(id), which does not run.") }
            return
        }
        if let progress {
            guard progress.done >= request.bytesDone else {
                throw Offence("Its progress of request \(id) fell from \(request.bytesDone) to \(progress.done) bytes.")
            }
            request.bytesDone = progress.done
        }
        if case .sent = request.stage, case .stall(let limit) = request.deadline { request.alarm = now + limit }
        asked[id] = request
        actions.append(.progress(id, progress))
    }

    /// Gives up what is late.
    mutating func checkAsked(at now: MonotonicTime) {
        for (id, request) in asked {
            guard let alarm = request.alarm, alarm <= now else {
                setAlarm(request.alarm)
                continue
            }
            guard case .cancelled(let error) = request.stage else {
                giveUp(id, deadlineError(request.deadline), at: now)
                continue
            }
            // The peer ignores the cancel as well.
            asked[id] = nil
            sentCount -= 1
            tombstones.insert(id)
            actions.append(.finish(id, .failure(error)))
            suspect(at: now)
        }
        endSuspicionIfDone()
    }

    private mutating func suspect(at now: MonotonicTime) {
        guard suspicion == nil else { return }
        let error = DocumentError(
            .deadlineExceeded,
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

    mutating func failWaiting(_ error: DocumentError) {
        while let id = waiting.popFirst() {
            guard let request = asked[id], request.isWaiting else { continue }
            asked[id] = nil
            actions.append(.finish(id, .failure(error)))
        }
    }

    mutating func failAsked(_ error: DocumentError) {
        for id in asked.keys.sorted() { actions.append(.finish(id, .failure(error))) }
        asked = [:]
        waiting.removeAll()
        sentCount = 0
    }
}

extension AskedRequest {
    var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }
}

extension Duration {
    /// "30 s", "250 ms".
    var readable: String {
        let milliseconds = wholeMilliseconds
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
