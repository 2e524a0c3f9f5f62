package import DocumentModel
import Synchronization

/// How much of what a provider tells unasked is taken up: what it says without end must cost the host little, and must
/// not fill its log.
package final class NotificationIntake: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// The longest notification: the longest line of a log, with all of its fields.
    package static let longest = 512 * 1024
    /// Log lines that are taken at once.
    package static let logBurst = 1000.0
    /// Log lines that are taken on average.
    package static let logsPerSecond = 50.0
    /// A longer line counts as several: nothing else bounds how fast the log grows.
    package static let logLineBytes = 1024
    /// How often “resolved” is acted upon.
    package static let resolvedInterval = Duration.seconds(1)
    /// The first byte of a notification that is a line for the log: its field's tag.
    private static let logTag: UInt8 = 0x1A

    private struct State {
        var logAllowance = logBurst
        var lastLog: Instant?
        /// When “resolved” was, or will be, acted upon.
        var nextResolved: Instant?
        /// Of what was not acted upon yet: which errors; empty: all.
        var resolved: Set<DocumentError.Code>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether a notification is read at all.
    package func admits(_ body: [UInt8], at now: Instant) -> Bool {
        guard body.count <= Self.longest else { return false }
        guard body.first == Self.logTag else { return true }
        return state.withLock { state in
            if let last = state.lastLog {
                let refill = (now - last) / .seconds(1) * Self.logsPerSecond
                state.logAllowance = min(Self.logBurst, state.logAllowance + refill)
            }
            state.lastLog = now
            let cost = max(1, (Double(body.count) / Double(Self.logLineBytes)).rounded(.up))
            guard state.logAllowance >= cost else { return false }
            state.logAllowance -= cost
            return true
        }
    }

    /// - Parameter codes: which errors are resolved; empty: all.
    /// - Returns: when to act upon it, from now; nil when somebody will anyway.
    package func resolved(_ codes: [DocumentError.Code], at now: Instant) -> Duration? {
        state.withLock { state in
            let isAll = codes.isEmpty || state.resolved?.isEmpty == true
            state.resolved = isAll ? [] : (state.resolved ?? []).union(codes)
            guard let next = state.nextResolved else {
                state.nextResolved = now
                return .zero
            }
            // One that waits stands for all that come meanwhile.
            guard next <= now else { return nil }
            let due = max(now, next + Self.resolvedInterval)
            state.nextResolved = due
            return due - now
        }
    }

    /// To be called when it is acted upon.
    ///
    /// - Returns: which errors are resolved, by all that was said since; empty: all. Nil: nothing was, or it was acted upon.
    package func takeResolved() -> Set<DocumentError.Code>? { state.withLock { $0.resolved.take() } }
}
