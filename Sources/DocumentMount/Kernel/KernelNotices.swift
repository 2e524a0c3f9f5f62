import DocumentModel
import DocumentTransport
import Synchronization

/// What the kernel is to let go of.
enum KernelNotice: Sendable {
    case attributes(of: UInt64)
    /// Attributes and pages.
    case contents(of: UInt64)
    /// A name that there is not any more.
    case name(ItemName, in: UInt64)
    /// A name that may stand for something else, or for nothing: programs that are in that folder stay there.
    case uncertain(ItemName, in: UInt64)
}

/// Tells the kernel, unasked, what is not right any more. It may wait there until a program has its answer from us: so this
/// has threads of its own, several of them, and whoever answers programs does not wait for it.
final class KernelNotices: Sendable {
    private static let threads = 4

    private let pool = BlockingPool(threads: threads, name: "docent-notices")
    /// For what somebody waits for: it does not wait for what others have the kernel told.
    private let prompt = BlockingPool(threads: 1, name: "docent-prompt")
    private struct State {
        var session: KernelSession?
        /// How many are with the kernel just now, or about to be.
        var told = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let table = Mutex(NoticeTable())
    private let notices: AsyncStream<KernelNotice>
    private let waiting: AsyncStream<KernelNotice>.Continuation

    init() {
        (notices, waiting) = AsyncStream.makeStream(of: KernelNotice.self)
    }

    func begin(_ session: KernelSession) { state.withLock { $0.session = session } }

    /// Nothing is told any more. Returns when the kernel has let go of all that it was told of, for which it may wait for answers
    /// of ours: these are to be given until then.
    func end() async {
        waiting.finish()
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                state.session = nil
                if state.told > 0 { state.waiters.append(continuation) }
                return state.told == 0
            }
            if isDone { continuation.resume() }
        }
    }

    /// Tells what is added, until the task is cancelled or ``end()``.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.threads {
                group.addTask { for await notice in self.notices { await self.tellNext(notice) } }
            }
        }
    }

    /// Has the kernel told soon.
    func add(_ notice: KernelNotice) {
        guard let (node, extent) = notice.extent else { return _ = waiting.yield(notice) }
        if table.withLock({ $0.add(extent, of: node) }) { waiting.yield(notice) }
    }

    private func tellNext(_ notice: KernelNotice) async {
        guard let (node, _) = notice.extent else { return await tell(notice, on: pool) }
        guard let extent = table.withLock({ $0.begin(node) }) else { return }
        await tell(extent == .contents ? .contents(of: node) : .attributes(of: node), on: pool)
        if table.withLock({ $0.end(node) }) { waiting.yield(notice) }
    }

    /// Returns when the kernel has been told: for attributes only, which it lets go of at once.
    func tell(_ notice: KernelNotice) async { await tell(notice, on: prompt) }

    private func tell(_ notice: KernelNotice, on pool: BlockingPool) async {
        let session = state.withLock { state in
            if state.session != nil { state.told += 1 }
            return state.session
        }
        guard let session else { return }
        try? await pool.run { session.tell(notice) }
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.told -= 1
            guard state.told == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension KernelNotice {
    /// Of what it tells how much; nil for one about a name.
    fileprivate var extent: (node: UInt64, NoticeTable.Extent)? {
        switch self {
        case .attributes(let node): (node, .attributes)
        case .contents(let node): (node, .contents)
        case .name, .uncertain: nil
        }
    }
}
