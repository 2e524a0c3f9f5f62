import DocumentModel
import DocumentWire
import Synchronization

extension Connection {
    /// Everything that changes, behind the lock.
    struct State: ~Copyable {
        var machine: ConnectionStateMachine
        var decoder: FrameDecoder
        /// What is read goes here first.
        let buffer = ReadBuffer()
        /// How much is read at once: less from a peer whose bytes take long, such as thousands of tiny frames, so that
        /// it does not keep the loop from others.
        var readLength = ReadBuffer.size

        var opening: UnsafeContinuation<OpeningEvent, Never>?
        /// When it was last read from; near enough for what happens because of that.
        var time = MonotonicTime(nanoseconds: 0)
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
        /// When the loop's timer goes off, and what to cancel it by.
        var timer = MonotonicTime.never
        var timerKey: TimerQueue.Key?

        // The machine may be over while bytes still have to leave.
        var isLingering = false
        var isClosing = false
        /// All is done.
        var isEnded = false
        var end: ConnectionEnd?
        var endedAt = MonotonicTime.never
    }

    /// Changes the state, then does what follows from it.
    @discardableResult
    func update<Result>(_ change: (inout State) -> Result) -> Result {
        var effects = Effects()
        let result = state.withLock { state in
            let result = change(&state)
            settle(&state, &effects)
            return result
        }
        effects.perform(on: self)
        return result
    }

    /// Carries out the machine's actions, as far as it can be done with the lock held, and collects the rest.
    func settle(_ state: inout State, _ effects: inout Effects) {
        while !state.machine.actions.isEmpty {
            var actions: [ConnectionStateMachine.Action] = []
            swap(&actions, &state.machine.actions)
            for action in actions { carryOut(action, &state, &effects) }
            // The array goes back, so that its memory is used again.
            actions.removeAll(keepingCapacity: true)
            if state.machine.actions.isEmpty { swap(&actions, &state.machine.actions) }
        }
        if !state.crew.inbox.isEmpty, !state.crew.isDispatching { dispatch(&state, &effects) }
        let alarm = state.machine.nextAlarm
        if alarm < state.timer {
            effects.append(.scheduleTimer(alarm, state.timerKey))
            (state.timer, state.timerKey) = (alarm, nil)
        }
        if state.machine.isOver {
            settleEnding(&state, &effects)
            return
        }
        guard !state.machine.outbox.isEmpty, !state.isWriteBlocked else { return }
        if state.machine.outbox.count >= Self.promptBytes || (state.crew.inbox.isEmpty && !loop.isBusy) {
            // Nobody else is about to add to it, or it is enough.
            writeOut(&state)
            updateInterest(&state)
            // It may have found that nobody reads.
            if !state.machine.actions.isEmpty { settle(&state, &effects) }
        } else if !state.isFlushScheduled {
            state.isFlushScheduled = true
            effects.append(.flushLater)
        }
    }

    /// So much does not wait for others.
    private static let promptBytes = 32_768

    private func carryOut(
        _ action: ConnectionStateMachine.Action, _ state: inout State, _ effects: inout Effects
    ) {
        switch action {
        case .opened(let peer):
            if let opening = state.opening.take() { effects.append(.opening(opening, .opened(peer))) }
        case .greeted(let hello):
            if let opening = state.opening.take() { effects.append(.opening(opening, .greeted(hello))) }
        case .finish(let request, let outcome):
            effects.append(.finish(request, outcome))
        case .progress(let request, let progress):
            if let onProgress = request.onProgress { effects.append(.progress(onProgress, progress)) }
        case .answer(let id, let body, let deadline, let label, let priority):
            state.crew.inbox.append(Crew.Job(id: id, body: body, deadline: deadline, label: label, priority: priority))
        case .cancelAnswer(let id, let isGivenUp):
            if let worker = cancelAnswer(id, isGivenUp: isGivenUp, &state) { effects.append(.cancel(worker)) }
        case .notification(let body):
            state.notifications.append(body)
            if let listener = state.listener.take() { effects.append(.resume(listener)) }
        case .ended(let end):
            state.endedAt = .now()
            if let opening = state.opening.take() { effects.append(.opening(opening, .ended(end))) }
        }
    }
}
