import DocumentModel

extension ConnectionStateMachine {
    /// When ``timePassed(at:)`` is to be called; sooner does no harm.
    var nextAlarm: MonotonicTime? {
        var earliest = requestAlarm
        for deadline in [handshakeDeadline, frameDeadline, suspicionDeadline] {
            guard let deadline else { continue }
            earliest = min(earliest ?? deadline, deadline)
        }
        return earliest
    }

    mutating func timePassed(at now: MonotonicTime) {
        if let deadline = handshakeDeadline, deadline <= now {
            handshakeDeadline = nil
            let limit = configuration.handshakeTimeout ?? .zero
            end(
                .failed,
                DocumentError(
                    .deadlineExceeded,
                    "\(configuration.peerName) did not say hello within \(limit.readable); see its messages."))
        }
        if let deadline = frameDeadline, deadline <= now {
            violated(
                FrameViolation(
                    "It did not finish a frame within \(configuration.frameTimeout.readable).", offset: 0, bytes: []))
        }
        if let deadline = suspicionDeadline, deadline <= now, let suspicion {
            end(.failed, suspicion)
        }
        if let alarm = requestAlarm, alarm <= now {
            requestAlarm = nil
            waitedAt = now
            checkAsked(at: now)
            checkAnswering(at: now)
        }
    }

    /// Whether the peer's stream stands within a frame, after all that has come was taken.
    ///
    /// - Parameter hasProgressed: whether it is another frame than the last time.
    mutating func frameIsIncomplete(_ isIncomplete: Bool, hasProgressed: Bool, at now: MonotonicTime) {
        guard isIncomplete else {
            frameDeadline = nil
            return
        }
        if case .ended = phase { return }
        if frameDeadline == nil || hasProgressed { frameDeadline = now + configuration.frameTimeout }
    }

    mutating func setAlarm(_ alarm: MonotonicTime?) {
        guard let alarm else { return }
        requestAlarm = min(requestAlarm ?? alarm, alarm)
    }
}
