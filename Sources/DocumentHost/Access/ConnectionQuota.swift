package import DocumentModel
import Synchronization

/// How many connections each process may have open: each of them costs the host a descriptor and memory, and a program that
/// opens them without end must leave some for others.
package final class ConnectionQuota: Sendable {
    private let counts = Mutex<[Int32: Int]>([:])
    private let limit: Int

    /// A program needs one; one that serves many others may have one for each.
    package init(limit: Int = 512) {
        self.limit = limit
    }

    /// - Throws: `busy` when the process has as many as it may.
    package func take(process: Int32) throws(DocumentError) {
        let isTaken = counts.withLock { counts in
            let count = counts[process] ?? 0
            guard count < limit else { return false }
            counts[process] = count + 1
            return true
        }
        guard isTaken else { throw refusal(of: process) }
    }

    /// - Throws: what ``take(process:)`` would throw.
    package func check(process: Int32) throws(DocumentError) {
        guard counts.withLock({ $0[process] ?? 0 }) < limit else { throw refusal(of: process) }
    }

    package func giveBack(process: Int32) {
        counts.withLock { counts in
            let rest = (counts[process] ?? 0) - 1
            counts[process] = rest > 0 ? rest : nil
        }
    }

    private func refusal(of process: Int32) -> DocumentError {
        DocumentError(
            .busy, "Process \(process) has \(limit) connections to the host, the most there can be; close some first.")
    }
}
