import DocumentModel
import Synchronization

/// Documents that programs write, by the kernel's numbers. The access to one lasts for a while after the last program has
/// closed it: what programs do next with what they have written (another name, another document's place, another write) is
/// part of the same save, and sent once. Who only reads it then keeps the access while it reads, and no longer.
final class Writers: Sendable {
    typealias Opening = Task<Writer, any Error>

    /// How long after the last close.
    static let patience = Duration.seconds(1)

    private let table = Mutex(UseTable<Opening>())
    /// Those whose files are open, until what was written is recorded.
    private let written = Mutex<[UInt64: Writer]>([:])
    /// Runs what is done for them.
    private let executor: any TaskExecutor

    init(on executor: any TaskExecutor) { self.executor = executor }

    /// Those that are open, or were until just now.
    func isOpen(_ node: UInt64) -> Bool { table.withLock { $0[node] != nil } }

    /// What a document's file is, from when it was opened for writing until the host knows what was written: by then nobody else
    /// can tell.
    func facts(of node: UInt64) -> NodeAttributes.FileFacts? { written.withLock { $0[node] }?.facts }

    /// The one whose file is open; nil where none is.
    func writer(of node: UInt64) -> Writer? { written.withLock { $0[node] } }

    /// Those that are written.
    var nodes: Set<UInt64> { written.withLock { Set($0.keys) } }

    /// Its file is open.
    func opened(_ writer: Writer, as node: UInt64) { written.withLock { $0[node] = writer } }

    /// The file of one that was ``opened(_:as:)`` is closed.
    func closed(_ writer: ObjectIdentifier, of node: UInt64) {
        written.withLock { written in
            if written[node].map(ObjectIdentifier.init) == writer { written[node] = nil }
        }
    }

    /// One more user, who reads; nil where nobody writes.
    func join(_ node: UInt64) async throws -> Writer? {
        while true {
            guard let opening = table.withLock({ $0.join(node) }) else { return nil }
            do {
                return try await value(of: opening, node)
            } catch  where opening.isCancelled && !Task.isCancelled {
                // Another one who waited for it was interrupted.
                continue
            }
        }
    }

    /// One more user. What it takes to open it is done once, whoever asks.
    func use(_ node: UInt64, _ open: @escaping @Sendable () async throws -> Writer) async throws -> Writer {
        while true {
            let opening = table.withLock { $0.use(node) { Task(executorPreference: executor) { try await open() } } }
            do {
                return try await value(of: opening, node)
            } catch  where opening.isCancelled && !Task.isCancelled {
                // Another one who waited for it was interrupted.
                continue
            }
        }
    }

    private func value(of opening: Opening, _ node: UInt64) async throws -> Writer {
        do {
            return try await withTaskCancellationHandler {
                try await opening.value
            } onCancel: {
                opening.cancel()
            }
        } catch {
            table.withLock { $0.discard(node, opening) }
            throw error
        }
    }

    /// One user less. The last one's end is the document's, after a while.
    ///
    /// - Parameter joined: one that had joined.
    func leave(_ node: UInt64, joined: Bool = false) {
        switch table.withLock({ $0.leave(node, joined: joined) }) {
        case .nothing: return
        case .end(let opening): Task(executorPreference: executor) { await self.close(opening, node) }
        case .wait(let ticket):
            Task(executorPreference: executor) { [self] in
                try? await Task.sleep(for: Self.patience)
                guard let opening = table.withLock({ $0.end(node, ticket) }) else { return }
                await close(opening, node)
            }
        }
    }

    private func close(_ opening: Opening, _ node: UInt64) async {
        try? await opening.value.close()
        table.withLock { $0.ended(node, opening) }
    }

    /// Returns when none of those that are being ended has its file open any more.
    func settle(_ node: UInt64) async {
        for opening in table.withLock({ $0.ending(of: node) }) { try? await opening.value.close() }
    }

    /// Ends it at once where no program has it open; returns when the host has recorded what was written.
    func end(_ node: UInt64) async {
        guard let opening = table.withLock({ $0.endUnused(node) }) else { return }
        await close(opening, node)
    }

    /// It has no name any more.
    func unlink(_ node: UInt64) async {
        guard let opening = table.withLock({ $0[node] }), let writer = try? await opening.value else { return }
        writer.unlink()
        guard table.withLock({ $0.endUnused(node) }) != nil else { return }
        await close(opening, node)
    }

    /// Ends all at once.
    func endAll() async {
        for opening in table.withLock({ $0.removeAll() }) { try? await opening.value.close() }
    }
}
