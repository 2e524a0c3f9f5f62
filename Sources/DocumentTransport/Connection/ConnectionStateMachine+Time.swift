import DocumentModel

extension ConnectionStateMachine {
    /// When ``timePassed(at:)`` is to be called; sooner does no harm.
    package var nextAlarm: MonotonicTime {
        min(
            min(min(requestAlarm, frameDeadline), min(handshakeDeadline, suspicionDeadline)),
            min(silence.alarm, silence.deadline))
    }

    ///
    /// - Parameter unfinished: the frame that the peer has begun: evidence, should it be what takes too long.
    package mutating func timePassed(at now: MonotonicTime, unfinished: UnfinishedFrame? = nil) {
        if handshakeDeadline <= now {
            handshakeDeadline = .never
            let limit = (configuration.handshakeTimeout ?? .zero).readable
            end(
                .failed,
                DocumentError(
                    .deadlineExceeded,
                    "\(configuration.peerName) did not say hello within \(limit); see its messages."),
                unfinished.map { $0.violation("It did not say hello within \(limit): it stopped within \($0.place).") })
        }
        if frameDeadline <= now {
            let problem = "It did not finish a frame within \(configuration.frameTimeout.readable)"
            violated(
                unfinished.map { $0.violation("\(problem): it stopped within \($0.place).") }
                    ?? FrameViolation("\(problem).", offset: 0, bytes: []))
        }
        if suspicionDeadline <= now, let suspicion {
            end(.failed, suspicion)
        }
        if min(silence.alarm, silence.deadline) <= now { checkSilence(at: now) }
        if requestAlarm <= now {
            requestAlarm = .never
            checkAsked(at: now, unfinished: unfinished)
            checkAnswering(at: now)
        }
    }

    /// What a peer printed into its stream, where it stopped within what would be a frame of that: no answer will come any
    /// more. A frame that has only just begun is waited for.
    func printedText(_ unfinished: UnfinishedFrame?, instead request: AskedRequest, at now: MonotonicTime)
        -> FrameViolation?
    {
        guard let unfinished, case .sent = request.stage, configuration.printedAdvice != nil, frameDeadline != .never,
            configuration.frameTimeout - frameDeadline.since(now) >= Self.printingTime
        else { return nil }
        let violation = unfinished.violation("It stopped within \(unfinished.place), where an answer was due.")
        return violation.looksLikeText ? violation : nil
    }

    /// How long ago it must have begun.
    private static let printingTime = Duration.seconds(1)

    /// Whether the peer's stream stands within a frame, after all that has come was taken.
    ///
    /// - Parameter hasProgressed: whether it is another frame than the last time.
    package mutating func frameIsIncomplete(_ isIncomplete: Bool, hasProgressed: Bool, at now: MonotonicTime) {
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
