import DocumentModel
import DocumentWire

/// A peer that has work and says nothing at all is asked whether it is there, and given up when it does not say (rule 57
/// of supervision: a silent provider with open work), unless what it fills grows: it is busy with that.
struct Silence: Sendable {
    var lastHeard = MonotonicTime(nanoseconds: 0)
    /// When to look whether it has been silent for too long.
    var alarm = MonotonicTime.never
    /// When it must have said something, after it was asked.
    var deadline = MonotonicTime.never
    /// When a request of its last got somewhere without a word: it fills a file, and reads nothing meanwhile.
    var lastMoved: MonotonicTime?
}

extension ConnectionStateMachine {
    /// Something came from the peer.
    mutating func heard(at now: MonotonicTime) {
        guard let pingAfter = configuration.pingAfter else { return }
        silence.lastHeard = now
        guard silence.deadline != .never else { return }
        silence.deadline = .never
        silence.lastMoved = nil
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
            lookElsewhere(at: now)
            if let lastMoved = silence.lastMoved, now < lastMoved + configuration.pongWithin {
                silence.deadline = lastMoved + configuration.pongWithin
                return
            }
            let silent =
                silence.lastMoved == nil
                ? "for \((pingAfter + configuration.pongWithin).readable), not even that it is there"
                : "since it was asked whether it is there, and what it fills has not grown for \(configuration.pongWithin.readable)"
            end(
                .failed,
                configuration.silenceError
                    ?? DocumentError(
                        .deadlineExceeded,
                        "\(configuration.peerName) has work and has said nothing \(silent); it is ended."))
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
