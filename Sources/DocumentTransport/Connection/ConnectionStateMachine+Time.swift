import DocumentModel

extension ConnectionStateMachine {
    /// When ``timePassed(at:)`` is to be called; sooner does no harm.
    var nextAlarm: MonotonicTime {
        min(min(requestAlarm, frameDeadline), min(handshakeDeadline, suspicionDeadline))
    }

    mutating func timePassed(at now: MonotonicTime) {
        if handshakeDeadline <= now {
            handshakeDeadline = .never
            let limit = configuration.handshakeTimeout ?? .zero
            end(
                .failed,
                DocumentError(
                    .deadlineExceeded,
                    "\(configuration.peerName) did not say hello within \(limit.readable); see its messages."))
        }
        if frameDeadline <= now {
            violated(
                FrameViolation(
                    "It did not finish a frame within \(configuration.frameTimeout.readable).", offset: 0, bytes: []))
        }
        if suspicionDeadline <= now, let suspicion {
            end(.failed, suspicion)
        }
        if requestAlarm <= now {
            requestAlarm = .never
            checkAsked(at: now)
            checkAnswering(at: now)
        }
    }

    /// Whether the peer's stream stands within a frame, after all that has come was taken.
    ///
    /// - Parameter hasProgressed: whether it is another frame than the last time.
    mutating func frameIsIncomplete(_ isIncomplete: Bool, hasProgressed: Bool, at now: MonotonicTime) {
        guard isIncomplete else {
            frameDeadline = .never
            return
        }
        if isOver { return }
        if frameDeadline == .never || hasProgressed { frameDeadline = now + configuration.frameTimeout }
    }

    mutating func setAlarm(_ alarm: MonotonicTime) {
        requestAlarm = min(requestAlarm, alarm)
    }
}
