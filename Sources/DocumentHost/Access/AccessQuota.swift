import DocumentModel
import FileCoordination
import Synchronization

/// How many documents each process may use at once, or wait for: what is held here for a program that never ends anything has
/// a bound, however many connections it has.
final class AccessQuota: Sendable {
    /// What a process has of the quota, for one access.
    struct Share: Sendable {
        fileprivate let process: Int32
        fileprivate let documents: Int
    }

    private struct State {
        var processes: [UInt64: Int32] = [:]
        var used: [Int32: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Twice as many as the most that is promised to work well.
    init(limit: Int = 20_000) {
        self.limit = limit
    }

    func connected(_ tool: ClaimOwner, process: Int32) { state.withLock { $0.processes[tool.id] = process } }

    func disconnected(_ tool: ClaimOwner) { state.withLock { $0.processes[tool.id] = nil } }

    /// - Throws: `busy` when the process has, or waits for, as many as it may.
    func take(_ documents: Int, for tool: ClaimOwner) throws(DocumentError) -> Share {
        let share: Share? = state.withLock { state in
            let process = state.processes[tool.id] ?? 0
            let used = state.used[process] ?? 0
            guard documents <= limit - used else { return nil }
            state.used[process] = used + documents
            return Share(process: process, documents: documents)
        }
        guard let share else {
            throw DocumentError(
                .busy,
                "\(tool.name) would have more than \(limit) documents in use, or wait for them; end some of its accesses first."
            )
        }
        return share
    }

    func giveBack(_ share: Share) {
        state.withLock { state in
            let rest = (state.used[share.process] ?? 0) - share.documents
            state.used[share.process] = rest > 0 ? rest : nil
        }
    }
}
