import DocumentModel
import Synchronization

/// Has those who change names take turns where one moves the folder of the other: see ``NameTurns``.
final class NameChanges: Sendable {
    private struct State {
        var turns = NameTurns()
        var waiters: [NameTurns.Turn: CheckedContinuation<Bool, Never>] = [:]
        /// Begun, or not waited for any more, before anybody waited for them.
        var decided: [NameTurns.Turn: Bool] = [:]
    }

    private let state = Mutex(State())
    /// How long somebody waits for others.
    private let patience: Duration

    init(patience: Duration) { self.patience = patience }

    /// Does something when it is its turn.
    ///
    /// - Parameter around: a folder, and all those around it. What is moved is so there before its turn ends.
    /// - Throws: `busy` when that does not come.
    func during<Value>(
        _ change: NameTurns.Change, around: (UInt64) -> [UInt64], _ body: () async throws -> Value
    ) async throws -> Value {
        // Where the folders are by now is looked at under the lock: nobody ends meanwhile.
        let (turn, begins) = state.withLock { $0.turns.ask(change, around: around) }
        defer { end(turn, around) }
        if !begins, await !wait(for: turn) {
            try Task.checkCancellation()
            throw DocumentError(
                .busy,
                "The folder of it is being moved, or names in it are being changed, by another program, for \(patience). Nothing was done; try again."
            )
        }
        return try await body()
    }

    /// - Returns: whether it has begun.
    private func wait(for turn: NameTurns.Turn) async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [patience] in
                do { try await Task.sleep(for: patience) } catch { return }
                self.decide(turn, begins: false)
            }
            defer { group.cancelAll() }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let decision = state.withLock { state in
                        let decision = state.decided.removeValue(forKey: turn)
                        if decision == nil { state.waiters[turn] = continuation }
                        return decision
                    }
                    if let decision { continuation.resume(returning: decision) }
                }
            } onCancel: {
                decide(turn, begins: false)
            }
        }
    }

    private func decide(_ turn: NameTurns.Turn, begins: Bool) {
        state.withLock { Self.decide(turn, begins: begins, &$0) }?.resume(returning: begins)
    }

    /// - Returns: who waits for it.
    private static func decide(
        _ turn: NameTurns.Turn, begins: Bool, _ state: inout State
    ) -> CheckedContinuation<Bool, Never>? {
        let waiter = state.waiters.removeValue(forKey: turn)
        if waiter == nil, state.decided[turn] == nil { state.decided[turn] = begins }
        return waiter
    }

    private func end(_ turn: NameTurns.Turn, _ around: (UInt64) -> [UInt64]) {
        let waiters = state.withLock { state in
            state.decided[turn] = nil
            return state.turns.end(turn, around: around).compactMap { Self.decide($0, begins: true, &state) }
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }
}
