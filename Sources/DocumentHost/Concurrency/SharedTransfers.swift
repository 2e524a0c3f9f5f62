package import DocumentModel
import DocumentStorage
import Synchronization

/// One transfer a key at a time, which all that ask for it share (PROV-19): they get the same result or error, and hear
/// of the same progress. It ends early when nobody wants it any more; when those who wanted it are gone, it may go on.
package final class SharedTransfers<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, DocumentError>
    package typealias ProgressObserver = @Sendable (TransferProgress?) -> Void

    private struct Waiter {
        let continuation: CheckedContinuation<Outcome, Never>
        let observer: ProgressObserver?
    }

    private struct Flight {
        let number: UInt64
        var waiters: [UInt64: Waiter] = [:]
        var meter: TransferMeter
        var task: Task<Void, Never>?
        var isAbandoned = false
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var nextNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let work: WorkGroup
    private let executor: (any TaskExecutor)?
    private let clock: @Sendable () -> Duration
    private let reported = Mutex<Hook<Key>?>(nil)

    /// - Parameters:
    ///   - executor: where transfers run; nil for the default.
    ///   - clock: counts from some moment, and never backwards; for speeds.
    package init(
        work: WorkGroup, executor: (any TaskExecutor)? = nil,
        clock: @escaping @Sendable () -> Duration = { .zero }
    ) {
        self.work = work
        self.executor = executor
        self.clock = clock
    }

    /// Calls the closure whenever a transfer has told how far it is. It must not block.
    package func onReport(_ body: @escaping @Sendable (Key) -> Void) { reported.withLock { $0 = Hook(body) } }

    /// Joins the transfer of the key, or begins it with `operation`.
    ///
    /// - Parameter goesOn: asked when the caller is cancelled: whether the transfer is to go on without anybody.
    package func join(
        _ key: Key, onProgress: ProgressObserver?, goesOn: @escaping @Sendable () -> Bool = { false },
        operation: @escaping @Sendable (@escaping ProgressObserver) async throws(DocumentError) -> Value
    ) async throws(DocumentError) -> Value {
        let ticket = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(continuation: continuation, observer: onProgress)
                let begun = state.withLock { state -> UInt64? in
                    if var flight = state.flights[key], !flight.isAbandoned {
                        flight.waiters[ticket] = waiter
                        state.flights[key] = flight
                        return nil
                    }
                    state.flights[key] = Flight(
                        number: ticket, waiters: [ticket: waiter], meter: TransferMeter(at: clock()))
                    return ticket
                }
                if let begun { begin(begun, key, operation) }
                if Task.isCancelled { leave(key, ticket, goesOn) }
            }
        } onCancel: {
            leave(key, ticket, goesOn)
        }
        return try outcome.get()
    }

    /// How far the key's transfer is; nil when there is none.
    package func progress(of key: Key) -> TransferProgress? {
        meter(of: key)?.progress
    }

    /// How far it is and how fast; nil when there is none.
    package func meter(of key: Key) -> TransferMeter? { state.withLock { $0.flights[key]?.meter } }

    package var keys: [Key] { state.withLock { Array($0.flights.keys) } }

    private func begin(
        _ number: UInt64, _ key: Key,
        _ operation: @escaping @Sendable (@escaping ProgressObserver) async throws(DocumentError) -> Value
    ) {
        let isTaken = work.add { [self] in
            // A handle, so that the last waiter who leaves can cancel it; awaited here, so that it ends with the host.
            let task = Task(executorPreference: executor) {
                let outcome: Outcome
                do throws(DocumentError) {
                    outcome = .success(try await operation { self.report($0, key, number) })
                } catch {
                    outcome = .failure(error)
                }
                self.finish(number, key, outcome)
            }
            let abandoned = state.withLock { state in
                guard state.flights[key]?.number == number else { return true }
                state.flights[key]?.task = task
                return state.flights[key]?.isAbandoned ?? true
            }
            if abandoned { task.cancel() }
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
        if !isTaken { finish(number, key, .failure(WorkGroup.hasEnded)) }
    }

    private func report(_ progress: TransferProgress?, _ key: Key, _ number: UInt64) {
        let now = clock()
        let (observers, told) = state.withLock { state -> ([ProgressObserver], TransferProgress?) in
            guard var flight = state.flights[key], flight.number == number else { return ([], nil) }
            if let progress { flight.meter.report(progress, at: now) }
            state.flights[key] = flight
            return (flight.waiters.values.compactMap(\.observer), progress == nil ? nil : flight.meter.progress)
        }
        for observer in observers { observer(told) }
        if told != nil { reported.withLock { $0 }?(key) }
    }

    private func finish(_ number: UInt64, _ key: Key, _ outcome: Outcome) {
        let waiters = state.withLock { state -> [Waiter] in
            guard let flight = state.flights[key], flight.number == number else { return [] }
            state.flights[key] = nil
            return Array(flight.waiters.values)
        }
        for waiter in waiters { waiter.continuation.resume(returning: outcome) }
    }

    private func leave(_ key: Key, _ ticket: UInt64, _ goesOn: () -> Bool) {
        let goesOn = goesOn()
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard var flight = state.flights[key], let waiter = flight.waiters.removeValue(forKey: ticket) else {
                return (nil, nil)
            }
            if flight.waiters.isEmpty, !goesOn { flight.isAbandoned = true }
            state.flights[key] = flight
            return (waiter, flight.isAbandoned ? flight.task : nil)
        }
        waiter?.continuation.resume(
            returning: .failure(DocumentError(.cancelled, "The transfer was cancelled.")))
        task?.cancel()
    }
}
