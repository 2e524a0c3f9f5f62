import DocumentModel

extension Connection {
    /// What is done once the lock is free: it may run other people's code.
    enum Effect {
        case finish(AskedRequest, RequestOutcome)
        indirect case progress(@Sendable (TransferProgress?) -> Void, TransferProgress?)
        indirect case opening(UnsafeContinuation<OpeningEvent, Never>, OpeningEvent)
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
            case .finish(let request, let outcome): request.continuation?.resume(returning: outcome)
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

    /// A list of effects; the usual one, two or three take no memory of their own.
    struct Effects {
        private var first: Effect?
        private var second: Effect?
        private var third: Effect?
        private var rest: [Effect] = []

        mutating func append(_ effect: Effect) {
            if first == nil {
                first = effect
            } else if second == nil {
                second = effect
            } else if third == nil {
                third = effect
            } else {
                rest.append(effect)
            }
        }

        func perform(on connection: Connection) {
            guard let first else { return }
            first.perform(on: connection)
            second?.perform(on: connection)
            third?.perform(on: connection)
            for effect in rest { effect.perform(on: connection) }
        }
    }
}
