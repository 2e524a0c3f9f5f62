import DocumentModel
import DocumentWire

/// A peer that has work and says nothing at all is asked whether it is there, and given up when it does not say (rule 57
/// of supervision: a silent provider with open work).
struct Silence: Sendable {
    var lastHeard = MonotonicTime(nanoseconds: 0)
    /// When to look whether it has been silent for too long.
    var alarm = MonotonicTime.never
    /// When it must have said something, after it was asked.
    var deadline = MonotonicTime.never
}

extension ConnectionStateMachine {
    /// Something came from the peer.
    mutating func heard(at now: MonotonicTime) {
        guard let pingAfter = configuration.pingAfter else { return }
        silence.lastHeard = now
        guard silence.deadline != .never else { return }
        silence.deadline = .never
        silence.alarm = now + pingAfter
    }

    /// The peer has work.
    mutating func listenForSilence(from now: MonotonicTime) {
        guard silence.alarm == .never, silence.deadline == .never, let pingAfter = configuration.pingAfter else {
            return
        }
        silence.alarm = now + pingAfter
    }

    mutating func checkSilence(at now: MonotonicTime) {
        guard let pingAfter = configuration.pingAfter else { return }
        if silence.deadline <= now {
            end(
                .failed,
                DocumentError(
                    .deadlineExceeded,
                    "\(configuration.peerName) has work and has said nothing for \((pingAfter + configuration.pongWithin).readable), not even that it is there; it is ended."
                ))
        } else if silence.alarm <= now {
            silence.alarm = .never
            guard sentCount > 0 else { return }
            let due = silence.lastHeard + pingAfter
            guard due <= now else {
                silence.alarm = due
                return
            }
            outbox.append(urgent: Frame(.ping(now.nanoseconds)))
            silence.deadline = now + configuration.pongWithin
        }
    }
}
