import DocumentModel
import DocumentWire
import Synchronization

extension Connection {
    /// Answers the peer's requests until the connection has ended and every handler has returned. Cancelling its task
    /// closes the connection.
    package func run(_ handler: some RequestHandler) async -> ConnectionEnd {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask(executorPreference: loop) { await self.listen(handler) }
                while await isWorkerWanted() {
                    group.addTask(executorPreference: loop) { await self.work(handler) }
                    // Behind the new worker: it may take all there is.
                    loop.execute { self.dispatch() }
                }
            }
        } onCancel: {
            close(nil)
        }
        return state.withLock { $0.end }
            ?? ConnectionEnd(reason: .closed, error: DocumentError(.cancelled, "The connection was closed."))
    }

    // MARK: Workers

    /// Who answers: tasks that take one request after the other, so that a request does not cost a task. There are as
    /// many of them as handlers that ever waited at the same time.
    struct Crew {
        struct Job {
            let id: UInt64
            let body: [UInt8]
            let deadline: UInt32
            let label: RequestLabel?
            let priority: RequestPriority
        }

        var inbox = Deque<Job>()
        var workers: [Worker] = []
        var idle: [UnsafeContinuation<Void, Never>] = []
        /// Somebody will look at the inbox again.
        var isDispatching = false
        /// The task of ``Connection/run(_:)``, which waits to be told to start a worker.
        var recruiter: UnsafeContinuation<Bool, Never>?
        /// It was not waiting when it should have been told.
        var isRecruitWanted = false

        static let idleLimit = 16
    }

    final class Worker: @unchecked Sendable {
        // The variables are only touched with the connection's lock held. The task may be cancelled from any thread
        // for as long as it runs, and it does not end while `pins` is not 0.
        let task: UnsafeCurrentTask
        var current: UInt64?
        /// Its task is cancelled, or will be: it takes no other request.
        var isDoomed = false
        /// The peer has said that it does not want the answer any more.
        var isGivenUp = false
        var pins = 0
        /// What is passed with the answer.
        var passed: PassedDescriptor?

        init(_ task: UnsafeCurrentTask) {
            self.task = task
        }
    }

    private func isWorkerWanted() async -> Bool {
        await withUnsafeContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isEnded { return false }
                if state.crew.isRecruitWanted {
                    state.crew.isRecruitWanted = false
                    return true
                }
                state.crew.recruiter = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Has one more worker look at the inbox, and is called again, behind that worker, if one may not be enough: a
    /// worker that does not wait for anything takes all there is.
    func dispatch(_ state: inout State, _ effects: inout Effects) {
        guard !state.crew.inbox.isEmpty else {
            state.crew.isDispatching = false
            return
        }
        state.crew.isDispatching = true
        if let worker = state.crew.idle.popLast() {
            effects.append(.resume(worker))
            if state.crew.inbox.count > 1 {
                effects.append(.dispatchLater)
            } else {
                state.crew.isDispatching = false
            }
        } else if let recruiter = state.crew.recruiter.take() {
            effects.append(.recruit(recruiter, true))
        } else {
            state.crew.isRecruitWanted = true
        }
    }

    func dispatch() {
        var effects = Effects()
        state.withLock { dispatch(&$0, &effects) }
        effects.perform(on: self)
    }

    private func work(_ handler: some RequestHandler) async {
        await withUnsafeCurrentTask { task in
            guard let task else { return }
            let worker = Worker(task)
            state.withLock { $0.crew.workers.append(worker) }
            var job = await nextJob(worker, finished: nil)
            while let begun = begin(&job, handler) {
                let outcome = await Self.outcome(of: begun)
                job = await nextJob(worker, finished: outcome)
            }
            while state.withLock({ _ in worker.pins > 0 }) { await Task.yield() }
        }
    }

    /// Takes the job: its body is gone when this returns, unless the handler has kept it.
    private func begin(_ job: inout Crew.Job?, _ handler: some RequestHandler) -> BegunAnswer? {
        guard let current = job.take() else { return nil }
        let deadline: Duration? = current.deadline == 0 ? nil : .milliseconds(current.deadline)
        let request = IncomingRequest(
            id: current.id, deadline: deadline, label: current.label, priority: current.priority, connection: self)
        do {
            return .begun(try handler.begin(current.body, request))
        } catch {
            return .failed(DocumentError(thrown: error))
        }
    }

    private enum BegunAnswer {
        case begun(@Sendable () async throws -> [UInt8])
        case failed(DocumentError)
    }

    private static func outcome(of begun: BegunAnswer) async -> RequestOutcome {
        switch begun {
        case .failed(let error): return .failure(error)
        case .begun(let answer):
            do {
                return .answer(try await answer())
            } catch {
                return .failure(DocumentError(thrown: error))
            }
        }
    }

    /// Hands in the last answer and takes the next request; nil when the worker is to leave.
    private func nextJob(_ worker: Worker, finished: RequestOutcome?) async -> Crew.Job? {
        var finished = finished
        while true {
            let step: WorkerStep = update { state in
                if let outcome = finished.take(), let id = worker.current {
                    state.machine.finish(id, outcome, passing: worker.passed)
                }
                worker.current = nil
                worker.passed = nil
                if !worker.isDoomed, !state.machine.isOver {
                    if let job = state.crew.inbox.popFirst() {
                        worker.current = job.id
                        return .work(job)
                    }
                    if state.crew.idle.count < Crew.idleLimit { return .rest }
                }
                worker.isDoomed = true
                state.crew.workers.removeAll { $0 === worker }
                return .leave
            }
            switch step {
            case .work(let job): return job
            case .leave: return nil
            case .rest: await rest()
            }
        }
    }

    private enum WorkerStep {
        case work(Crew.Job)
        case rest
        case leave
    }

    private func rest() async {
        await withUnsafeContinuation { continuation in
            let mayRest = state.withLock { state in
                guard state.crew.inbox.isEmpty, !state.isEnded else { return false }
                state.crew.idle.append(continuation)
                return true
            }
            if !mayRest { continuation.resume() }
        }
    }

    /// - Parameter isGivenUp: by the peer; else the connection is over.
    /// - Returns: whose task is to be cancelled.
    func cancelAnswer(_ id: UInt64, isGivenUp: Bool, _ state: inout State) -> Worker? {
        if let worker = state.crew.workers.first(where: { $0.current == id }) {
            // What was given up stays so when the connection ends next.
            worker.isGivenUp = worker.isGivenUp || isGivenUp
            worker.isDoomed = true
            worker.pins += 1
            return worker
        }
        state.crew.inbox.removeAll { $0.id == id }
        state.machine.finish(id, .failure(DocumentError(.cancelled, "The request was cancelled.")))
        return nil
    }

    func cancel(_ worker: Worker) {
        worker.task.cancel()
        state.withLock { _ in worker.pins -= 1 }
    }

    func isGivenUp(_ id: UInt64) -> Bool {
        state.withLock { state in state.crew.workers.contains { $0.current == id && $0.isGivenUp } }
    }

    func pass(_ descriptor: PassedDescriptor, withAnswerTo id: UInt64) {
        state.withLock { state in
            state.crew.workers.first { $0.current == id }?.passed = descriptor
        }
    }

    // MARK: Notifications

    private func listen(_ handler: some RequestHandler) async {
        var taken = 0
        while true {
            let (body, isOver): ([UInt8]?, Bool) = state.withLock { state in
                let body = state.notifications.popFirst()
                return (body, body == nil && state.isEnded)
            }
            if let body {
                await handler.received(notification: body)
                taken &+= 1
                // A peer that notifies without end does not keep the loop from others.
                if taken % 16 == 0 { await Task.yield() }
                update { state in
                    state.machine.notificationTaken()
                    updateInterest(&state)
                }
            } else if isOver {
                return
            } else {
                await waitForNotification()
            }
        }
    }

    private func waitForNotification() async {
        await withUnsafeContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.notifications.isEmpty, !state.isEnded else { return false }
                state.listener = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }
}
