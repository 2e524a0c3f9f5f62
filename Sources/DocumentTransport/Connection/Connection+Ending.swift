import DocumentModel
import Logging
import Synchronization

extension Connection {
    /// How long the last bytes of an orderly end may take.
    private static let lingerLimit = Duration.seconds(5)

    /// The machine is done: writes what is left, and closes.
    func settleEnding(_ state: inout State, _ effects: inout Effects) {
        guard !state.isClosing else { return }
        if !state.isWriteBlocked { writeOut(&state) }
        if !state.machine.outbox.isEmpty, !state.isPeerGone, state.machine.ending?.lingers == true {
            guard !state.isLingering else { return }
            state.isLingering = true
            effects.append(.linger)
            return
        }
        state.isClosing = true
        state.machine.outbox.removeAll()
        effects.append(.close)
    }

    /// The peer has to make room for the last answers and the goodbye.
    func linger() {
        _ = loop.schedule(at: .now() + Self.lingerLimit) {
            self.update { $0.machine.outbox.removeAll() }
        }
    }

    func finishClosing() {
        end.close()
        let (resumed, recruiter, timer, end) = state.withLock { state in
            state.end = state.machine.ending
            state.isEnded = true
            let resumed = state.endWaiters + state.crew.idle + [state.listener.take()].compactMap { $0 }
            state.endWaiters = []
            state.crew.idle = []
            state.crew.inbox.removeAll()
            defer { state.timerKey = nil }
            return (resumed, state.crew.recruiter.take(), state.timerKey, state.end)
        }
        if let timer { loop.cancel(timer) }
        if let end { log(end) }
        recruiter?.resume(returning: false)
        for continuation in resumed { continuation.resume() }
    }

    private func log(_ end: ConnectionEnd) {
        let isExpected = end.reason == .goodbye || end.reason == .closed
        logger.log(
            level: end.evidence != nil ? .warning : isExpected ? .debug : .info, "The connection has ended.",
            metadata: [
                "peer": "\(configuration.peerName)", "reason": "\(end.reason)", "error": "\(end.error)",
                "violation": "\(end.evidence.map { "\($0)" } ?? "none")",
            ])
    }
}

extension ConnectionEnd {
    /// Whether the peer is still owed what was not written yet.
    fileprivate var lingers: Bool {
        switch reason {
        case .goodbye, .endOfStream, .refused: true
        case .closed, .failed: false
        }
    }
}
