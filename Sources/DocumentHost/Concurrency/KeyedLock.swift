import Synchronization

/// Lets one task at a time work on each key, first come, first served: what the host does to one item happens one
/// thing after the other.
package final class KeyedLock<Key: Hashable & Sendable>: Sendable {
    /// A key is there while somebody holds it; its waiters are in order.
    private let queues = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    package init() {}

    package func withLock<Value: Sendable, Failure: Error>(
        _ key: Key, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await lock(key)
        defer { unlock(key) }
        return try await body()
    }

    /// Whether somebody works on the key just now.
    package func isHeld(_ key: Key) -> Bool { queues.withLock { $0[key] != nil } }

    private func lock(_ key: Key) async {
        await withCheckedContinuation { continuation in
            let free = queues.withLock { queues in
                if queues[key] == nil {
                    queues[key] = []
                    return true
                }
                queues[key]?.append(continuation)
                return false
            }
            if free { continuation.resume() }
        }
    }

    private func unlock(_ key: Key) {
        let next = queues.withLock { queues -> CheckedContinuation<Void, Never>? in
            guard var waiters = queues[key], !waiters.isEmpty else {
                queues[key] = nil
                return nil
            }
            let next = waiters.removeFirst()
            queues[key] = waiters
            return next
        }
        next?.resume()
    }
}
