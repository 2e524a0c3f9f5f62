import DocumentModel
import Synchronization
import SystemPackage

/// Which documents come part by part just now, and who waits for which bytes of them. What is waited for is brought first.
final class PartialTransfers: Sendable {
    typealias Bring = @Sendable () async throws(DocumentError) -> Void
    /// The file, or nil when all of it has come.
    private typealias Outcome = Result<ComingFile?, DocumentError>

    private struct Running {
        let transfer: PartialTransfer
        let file: ComingFile
    }

    private struct Waiter {
        /// Nil: any.
        let bytes: Range<Int64>?
        /// Nil: whichever it is.
        let file: ComingFile?
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var running: [ItemKey: Running] = [:]
        var waiters: [ItemKey: [UInt64: Waiter]] = [:]
        /// What is brought for those who wait, whether or not it runs just now.
        var brought: Set<ItemKey> = []
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())
    private let work: WorkGroup

    init(work: WorkGroup) {
        self.work = work
    }

    /// Waits until bytes of a document are here. What brings it goes on when nobody waits any more.
    ///
    /// - Parameters:
    ///   - bytes: nil: some of it.
    ///   - file: into which they are to come; nil: whichever it is.
    ///   - bring: brings all of it; called when nothing does that for those who wait.
    /// - Returns: the file into which they have come; nil when `bring` has ended, and all has come.
    /// - Throws: what `bring` throws; `versionNoLongerAvailable` when they come into another file; `cancelled`.
    func wait(
        for bytes: Range<Int64>?, of key: ItemKey, in file: ComingFile?, bring: @escaping Bring
    ) async throws(DocumentError) -> ComingFile? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(bytes: bytes, file: file, continuation: continuation)
                let (outcome, begins) = state.withLock { state -> (Outcome?, Bool) in
                    if let running = state.running[key] {
                        if let outcome = Self.outcome(for: waiter, of: running) { return (outcome, false) }
                        if let bytes { running.transfer.want(bytes) }
                    }
                    state.waiters[key, default: [:]][number] = waiter
                    return (nil, state.brought.insert(key).inserted)
                }
                if let outcome { return continuation.resume(returning: outcome) }
                if begins { begin(key, bring) }
                if Task.isCancelled { leave(key, number) }
            }
        } onCancel: {
            leave(key, number)
        }
        return try outcome.get()
    }

    /// A transfer has begun, or goes on.
    func began(_ transfer: PartialTransfer, of key: ItemKey, into file: ComingFile) {
        let running = Running(transfer: transfer, file: file)
        state.withLock { state in
            state.running[key] = running
            for waiter in (state.waiters[key] ?? [:]).values {
                if let bytes = waiter.bytes { transfer.want(bytes) }
            }
        }
        arrived(key)
    }

    /// Something has come.
    func arrived(_ key: ItemKey) {
        let done = state.withLock { state -> [(Waiter, Outcome)] in
            guard let running = state.running[key], let waiters = state.waiters[key] else { return [] }
            var done: [(Waiter, Outcome)] = []
            for (number, waiter) in waiters {
                guard let outcome = Self.outcome(for: waiter, of: running) else { continue }
                done.append((waiter, outcome))
                state.waiters[key]?[number] = nil
            }
            return done
        }
        for (waiter, outcome) in done { waiter.continuation.resume(returning: outcome) }
    }

    /// It does not run any more; it may begin again.
    func ended(_ key: ItemKey) { state.withLock { $0.running[key] = nil } }

    private func begin(_ key: ItemKey, _ bring: @escaping Bring) {
        let isTaken = work.add { [self] in
            do throws(DocumentError) {
                try await bring()
                finish(key, .success(nil))
            } catch {
                finish(key, .failure(error))
            }
        }
        if !isTaken { finish(key, .failure(WorkGroup.hasEnded)) }
    }

    private func finish(_ key: ItemKey, _ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.brought.remove(key)
            return state.waiters.removeValue(forKey: key) ?? [:]
        }
        for waiter in waiters.values { waiter.continuation.resume(returning: outcome) }
    }

    private func leave(_ key: ItemKey, _ number: UInt64) {
        let waiter = state.withLock { $0.waiters[key]?.removeValue(forKey: number) }
        waiter?.continuation.resume(
            returning: .failure(DocumentError(.cancelled, "Nobody waits for it any more.")))
    }

    /// Nil while it has to wait.
    private static func outcome(for waiter: Waiter, of running: Running) -> Outcome? {
        if let file = waiter.file, file != running.file {
            return .failure(
                DocumentError(
                    .versionNoLongerAvailable, "The document has other contents by now than those that were being read."
                ))
        }
        let isHere = waiter.bytes.map(running.transfer.has) ?? running.transfer.hasAny
        return isHere ? .success(running.file) : nil
    }
}

/// The file into which contents come.
struct ComingFile: Hashable, Sendable {
    var path: FilePath
    var inode: UInt64
}
