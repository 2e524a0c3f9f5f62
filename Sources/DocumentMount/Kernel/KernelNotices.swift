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
    private let session = Mutex<KernelSession?>(nil)
    private let notices: AsyncStream<KernelNotice>
    private let waiting: AsyncStream<KernelNotice>.Continuation

    init() {
        (notices, waiting) = AsyncStream.makeStream(of: KernelNotice.self)
    }

    func begin(_ session: KernelSession) { self.session.withLock { $0 = session } }

    /// Nothing is told any more.
    func end() {
        session.withLock { $0 = nil }
        waiting.finish()
    }

    /// Tells what is added, until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.threads {
                group.addTask { for await notice in self.notices { await self.tell(notice, on: self.pool) } }
            }
        }
    }

    /// Has the kernel told soon.
    func add(_ notice: KernelNotice) { waiting.yield(notice) }

    /// Returns when the kernel has been told: for attributes only, which it lets go of at once.
    func tell(_ notice: KernelNotice) async { await tell(notice, on: prompt) }

    private func tell(_ notice: KernelNotice, on pool: BlockingPool) async {
        guard let session = session.withLock({ $0 }) else { return }
        try? await pool.run { session.tell(notice) }
    }
}
