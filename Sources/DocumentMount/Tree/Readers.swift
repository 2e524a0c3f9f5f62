import DocumentModel
import Synchronization

/// Documents that programs read, or have read just now, by the kernel's numbers.
final class Readers: Sendable {
    /// How long after the last close.
    private static let patience = Duration.seconds(30)
    /// How long at all.
    private static let age = Duration.seconds(300)
    private static let pause = Duration.seconds(5)
    /// Open files that nobody reads.
    private static let most = 256

    private let table = Mutex<[UInt64: Reader]>([:])

    /// One more user of what is open; nil: the host is to be asked.
    func join(_ node: UInt64) -> Reader? {
        guard let reader = table.withLock({ $0[node] }) else { return nil }
        if reader.join() { return reader }
        reader.close()
        return nil
    }

    /// Of what is open; nil: the host is to be asked.
    func attributes(of node: UInt64) -> NodeAttributes? { table.withLock { $0[node] }?.attributes }

    /// Others may join from now on. One that was there before ends with its last user.
    func insert(_ reader: Reader) {
        let before = table.withLock { table in
            defer { table[reader.node] = reader }
            return table[reader.node]
        }
        before?.close()
        trim()
    }

    /// Called when nobody is to join it any more.
    func discard(_ reader: Reader) {
        table.withLock { if $0[reader.node] === reader { $0[reader.node] = nil } }
    }

    /// What is not what it was: who reads it, reads on.
    func close(_ nodes: some Sequence<UInt64>) {
        for reader in table.withLock({ table in nodes.compactMap { table[$0] } }) { reader.close() }
    }

    /// Closes what nobody has needed for a while, until the task is cancelled.
    func run() async {
        while (try? await Task.sleep(for: Self.pause)) != nil {
            for reader in all { reader.timePassed(patience: Self.patience, age: Self.age) }
        }
    }

    /// Nothing stays open any more that no program has open.
    func closeAll() { for reader in all { reader.close() } }

    /// Closes what no program has open: room is wanted.
    func closeIdle() { for reader in all where reader.idleSince != nil { reader.close() } }

    private var all: [Reader] { table.withLock { Array($0.values) } }

    private func trim() {
        guard table.withLock({ $0.count }) > Self.most else { return }
        let idle = all.compactMap { reader in reader.idleSince.map { (reader, $0) } }.sorted { $0.1 < $1.1 }
        for (reader, _) in idle.prefix(Self.most / 4) { reader.close() }
    }
}
