import DocumentModel
import DocumentSync
import Synchronization

/// A document that comes part by part: what of it is here, and how far the rest is.
final class PartialTransfer: Sendable {
    private struct State {
        var plan: RangePlan
        /// Of runs that are under way, in bytes, by their first part.
        var done: [Int: UInt64] = [:]

        /// Whether some of it is here, or has begun to come.
        var hasAny: Bool { plan.bytesPresent > 0 || done.values.contains { $0 > 0 } }
    }

    private let state: Mutex<State>
    /// What was here in the beginning, in bytes.
    private let before: UInt64
    private let report: Materialiser.ProgressObserver
    private let wishes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(_ plan: RangePlan, _ report: @escaping Materialiser.ProgressObserver) {
        state = Mutex(State(plan: plan))
        before = UInt64(max(plan.bytesPresent, 0))
        self.report = report
    }

    /// Whether some of it is here, or has begun to come.
    var hasAny: Bool { state.withLock { $0.hasAny } }

    /// Whether all of these bytes are here.
    func has(_ bytes: Range<Int64>) -> Bool { state.withLock { $0.plan.has(bytes) } }

    /// Somebody waits for these bytes.
    func want(_ bytes: Range<Int64>) {
        state.withLock { $0.plan.want(bytes) }
        wishes.continuation.yield()
    }

    /// Returns when somebody waits for bytes, or the task is cancelled; always nil.
    func untilWanted() async -> Item? {
        for await _ in wishes.stream { return nil }
        return nil
    }

    /// The next parts to be asked for; nil while there is nothing to be asked for.
    func next() -> (parts: Range<Int>, bytes: Range<Int64>)? {
        state.withLock { state in state.plan.next().map { ($0, state.plan.bytes(of: $0)) } }
    }

    /// The same, only of what somebody waits for.
    func nextWanted() -> (parts: Range<Int>, bytes: Range<Int64>)? {
        state.withLock { state in state.plan.nextWanted().map { ($0, state.plan.bytes(of: $0)) } }
    }

    /// Tells how far all of it is.
    func tell() {
        var progress = state.withLock { state in
            let underWay = state.done.values.reduce(0, &+)
            return TransferProgress(
                done: UInt64(max(state.plan.bytesPresent, 0)) &+ underWay, expected: UInt64(state.plan.size))
        }
        progress.before = before
        report(progress)
    }

    /// - Parameter progress: of these parts alone; nil: the work goes on.
    /// - Returns: whether these are the first bytes at all.
    func progressed(_ progress: TransferProgress?, of parts: Range<Int>) -> Bool {
        guard let progress else {
            report(nil)
            return false
        }
        let isFirst = state.withLock { state in
            let (bytes, hadAny) = (state.plan.bytes(of: parts), state.hasAny)
            state.done[parts.lowerBound] = min(progress.done, UInt64(bytes.upperBound - bytes.lowerBound))
            return !hadAny && state.hasAny
        }
        tell()
        return isFirst
    }

    func arrived(_ parts: Range<Int>, in time: Duration) {
        state.withLock { state in
            state.plan.arrived(parts, in: time)
            state.done[parts.lowerBound] = nil
        }
        tell()
    }
}
