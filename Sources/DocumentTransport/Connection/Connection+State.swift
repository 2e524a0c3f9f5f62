import DocumentModel
import DocumentWire
import Synchronization

extension Connection {
    /// Everything that changes, behind the lock.
    struct State {
        var machine: ConnectionStateMachine
        var decoder: FrameDecoder
        /// What is read goes here first.
        let buffer = ReadBuffer()

        var opening: UnsafeContinuation<OpeningEvent, Never>?
        var askers: [UInt64: Asker] = [:]
        var crew = Crew()
        var notifications = Deque<[UInt8]>()
        /// The task that hands notifications to the handler, while there are none.
        var listener: UnsafeContinuation<Void, Never>?
        var endWaiters: [UnsafeContinuation<Void, Never>] = []

        var isFlushScheduled = false
        /// The end took less than was there; it will say when it takes more.
        var isWriteBlocked = false
        var isReading = true
        var isAwaitingRoom = false
        var isPeerGone = false
        var hasReadEnd = false
        var timer: (time: MonotonicTime, key: TimerQueue.Key)?

        /// The machine is done; bytes may still have to leave.
        var ending: ConnectionEnd?
        var isLingering = false
        var isClosing = false
        /// All is done.
        var end: ConnectionEnd?
    }

    /// What is done once the lock is free: it may run other people's code.
    enum Effect {
        case finish(Asker, Result<[UInt8], DocumentError>)
        case progress(@Sendable (TransferProgress?) -> Void, TransferProgress?)
        case opening(UnsafeContinuation<OpeningEvent, Never>, OpeningEvent)
        case resume(UnsafeContinuation<Void, Never>)
        case recruit(UnsafeContinuation<Bool, Never>, Bool)
        case dispatchLater
        case cancel(Worker)
        case flushLater
        case scheduleTimer(MonotonicTime, TimerQueue.Key?)
        case linger
        case close

        func perform(on connection: Connection) {
            switch self {
            case .finish(let asker, let outcome): asker.continuation.resume(returning: outcome)
            case .progress(let onProgress, let progress): onProgress(progress)
            case .opening(let continuation, let event): continuation.resume(returning: event)
            case .resume(let continuation): continuation.resume()
            case .recruit(let continuation, let isWanted): continuation.resume(returning: isWanted)
            case .dispatchLater: connection.loop.execute { connection.dispatch() }
            // A job of its own: cancellation handlers are other people's code, and may take their time.
            case .cancel(let worker): connection.loop.execute { connection.cancel(worker) }
            case .flushLater: connection.loop.flushLater(connection)
            case .scheduleTimer(let time, let old): connection.schedule(at: time, insteadOf: old)
            case .linger: connection.linger()
            case .close: connection.finishClosing()
            }
        }
    }

    /// Changes the state, then does what follows from it.
    @discardableResult
    func update<Result>(_ change: (inout State) -> Result) -> Result {
        var effects: [Effect] = []
        let result = state.withLock { state in
            let result = change(&state)
            settle(&state, &effects)
            return result
        }
        for effect in effects { effect.perform(on: self) }
        return result
    }

    /// Carries out the machine's actions, as far as it can be done with the lock held, and collects the rest.
    func settle(_ state: inout State, _ effects: inout [Effect]) {
        while !state.machine.actions.isEmpty {
            var actions: [ConnectionStateMachine.Action] = []
            swap(&actions, &state.machine.actions)
            for action in actions { carryOut(action, &state, &effects) }
            // The array goes back, so that its memory is used again.
            actions.removeAll(keepingCapacity: true)
            if state.machine.actions.isEmpty { swap(&actions, &state.machine.actions) }
        }
        if !state.crew.inbox.isEmpty, !state.crew.isDispatching { dispatch(&state, &effects) }
        if let alarm = state.machine.nextAlarm, alarm < state.timer?.time ?? MonotonicTime(nanoseconds: .max) {
            effects.append(.scheduleTimer(alarm, state.timer?.key))
            state.timer = nil
        }
        if state.ending != nil {
            settleEnding(&state, &effects)
            return
        }
        guard !state.machine.outbox.isEmpty, !state.isWriteBlocked else { return }
        if state.machine.outbox.count >= Self.promptBytes {
            writeOut(&state)
            // It may have found that nobody reads.
            if !state.machine.actions.isEmpty { settle(&state, &effects) }
        } else if !state.isFlushScheduled {
            state.isFlushScheduled = true
            effects.append(.flushLater)
        }
    }

    /// So much does not wait for the end of the turn.
    private static let promptBytes = 32_768

    private func carryOut(
        _ action: ConnectionStateMachine.Action, _ state: inout State, _ effects: inout [Effect]
    ) {
        switch action {
        case .opened(let peer):
            if let opening = state.opening.take() { effects.append(.opening(opening, .opened(peer))) }
        case .greeted(let hello):
            if let opening = state.opening.take() { effects.append(.opening(opening, .greeted(hello))) }
        case .finish(let id, let outcome):
            if let asker = state.askers.removeValue(forKey: id) { effects.append(.finish(asker, outcome)) }
        case .progress(let id, let progress):
            if let onProgress = state.askers[id]?.onProgress { effects.append(.progress(onProgress, progress)) }
        case .answer(let id, let body, let deadline):
            state.crew.inbox.append(Crew.Job(id: id, body: body, deadline: deadline))
        case .cancelAnswer(let id):
            if let worker = cancelAnswer(id, &state) { effects.append(.cancel(worker)) }
        case .notification(let body):
            state.notifications.append(body)
            if let listener = state.listener.take() { effects.append(.resume(listener)) }
        case .ended(let end):
            state.ending = end
            if let opening = state.opening.take() { effects.append(.opening(opening, .ended(end))) }
        }
    }
}
