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
    /// The first bytes of the signals that lead to no line of a log, each its field's tag: that something has changed, and
    /// that something is resolved.
    private static let signalTags: [UInt8] = [0x0A, 0x12]

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
        return Self.isSignal(body) || takeLine(bytes: body.count, at: now)
    }

    /// Whether it is logged that a notification cannot be understood: each such line counts as one of the provider's own.
    package func admitsComplaint(at now: Instant) -> Bool { takeLine(bytes: 0, at: now) }

    /// Whether it is a signal from the first to the last byte. Where another field follows, that one may be what counts.
    private static func isSignal(_ body: [UInt8]) -> Bool {
        guard let tag = body.first, signalTags.contains(tag) else { return false }
        var length = 0
        // More than three bytes of length are longer than any notification.
        for (place, byte) in body.dropFirst().prefix(3).enumerated() {
            length |= Int(byte & 0x7F) << (7 * place)
            if byte < 0x80 { return body.count == 2 + place + length }
        }
        return false
    }

    private func takeLine(bytes: Int, at now: Instant) -> Bool {
        state.withLock { state in
            if let last = state.lastLog {
                let refill = (now - last) / .seconds(1) * Self.logsPerSecond
                state.logAllowance = min(Self.logBurst, state.logAllowance + refill)
            }
            state.lastLog = now
            let cost = max(1, (Double(bytes) / Double(Self.logLineBytes)).rounded(.up))
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
