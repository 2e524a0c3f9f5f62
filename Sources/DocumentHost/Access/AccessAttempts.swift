import DocumentModel
import FileCoordination
import Synchronization

/// The accesses that coordinators have asked for and not got yet, whatever they wait for: the remote's news, contents, or
/// others. Cancelling a coordinator ends them all (COORD-37).
final class AccessAttempts: Sendable {
    typealias Attempt = @Sendable () async throws(DocumentError) -> AccessGranter.Grant

    private struct Running: Sendable {
        let task: Task<Result<AccessGranter.Grant, DocumentError>, Never>
        let isGivenUp: Flag

        func giveUp() {
            isGivenUp.set()
            task.cancel()
        }
    }

    private struct State {
        var last: UInt64 = 0
        var running: [CoordinatorID: [UInt64: Running]] = [:]
    }

    private let state = Mutex(State())
    private let broker: CoordinationBroker
    private let executor: any TaskExecutor

    /// - Parameter executor: where attempts run: where those run who wait for them.
    init(broker: CoordinationBroker, executor: any TaskExecutor) {
        self.broker = broker
        self.executor = executor
    }

    /// Runs an attempt in a task of its own, which is cancelled with the running one, and with its coordinator.
    func run(by coordinator: CoordinatorID, _ attempt: @escaping Attempt) async throws(DocumentError)
        -> AccessGranter.Grant
    {
        let isGivenUp = Flag()
        // Whose coordinator is cancelled is there, and wants it no more.
        let asker = Asker.current?.orGivenUp { isGivenUp.isSet }
        let task = Task(executorPreference: executor) {
            await Asker.$current.withValue(asker) {
                do throws(DocumentError) {
                    return Result<AccessGranter.Grant, DocumentError>.success(try await attempt())
                } catch {
                    return .failure(error)
                }
            }
        }
        let running = Running(task: task, isGivenUp: isGivenUp)
        let number = state.withLock { state in
            state.last += 1
            state.running[coordinator, default: [:]][state.last] = running
            return state.last
        }
        defer {
            state.withLock { state in
                state.running[coordinator]?[number] = nil
                if state.running[coordinator]?.isEmpty == true { state.running[coordinator] = nil }
            }
        }
        // Cancelled before it was written down here.
        if broker.isCancelled(coordinator) { running.giveUp() }
        return try await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }.get()
    }

    /// The coordinator is cancelled at the broker already.
    func cancel(_ coordinator: CoordinatorID) {
        for attempt in state.withLock({ $0.running[coordinator] ?? [:] }).values { attempt.giveUp() }
    }
}
