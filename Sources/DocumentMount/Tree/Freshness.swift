package import DocumentModel
import Synchronization

/// How long the kernel may keep what it is told: long, while the host tells of what happens; and not at all when something has
/// happened to it between the look and the answer. The kernel may have been told of that before it had what it is to let go of.
package final class Freshness: Sendable {
    /// When somebody looked at what the kernel is told.
    package struct Look: Sendable {
        fileprivate let happenings: UInt64
    }

    private struct State {
        /// How many there were.
        var happenings: UInt64 = 0
        /// Where the last of them were, the oldest first; nil: anywhere.
        var places: [Location?] = []
        var isTold = false

        mutating func happened(at places: [Location?]) {
            happenings += UInt64(places.count)
            self.places += places
            guard self.places.count > 2 * Freshness.remembered else { return }
            self.places.removeFirst(self.places.count - Freshness.remembered)
        }

        func isStill(_ look: Look, of location: Location?) -> Bool {
            let since = happenings - look.happenings
            guard since > 0 else { return true }
            guard let location, since <= UInt64(places.count) else { return false }
            return places.suffix(Int(since)).allSatisfy { $0.map { !$0.concerns(location) } ?? false }
        }
    }

    /// In seconds. A bound for what nobody tells: what a program writes to a document's file without a pause.
    package static let longest = 60.0
    /// In seconds, while nobody tells what happens.
    package static let short = 1.0
    /// So many happenings there may at least be before an answer about something else is not kept.
    package static let remembered = 128

    private let state = Mutex(State())

    package init() {}

    /// To be had before one looks.
    package func look() -> Look { state.withLock { Look(happenings: $0.happenings) } }

    /// Something has happened: before the kernel is told of it.
    ///
    /// - Parameters:
    ///   - places: where; nil: anywhere.
    ///   - isTold: whether what happens from now on is told, too.
    package func happened(at places: [Location]?, isTold: Bool) {
        state.withLock { state in
            state.happened(at: places ?? [nil])
            state.isTold = isTold
        }
    }

    /// A program has changed something: what was looked at before is not to be kept.
    package func changed() { state.withLock { $0.happened(at: [nil]) } }

    /// Whether nothing has happened since to what is at a location, or in it, or to what it is in.
    package func isStill(_ look: Look, of location: Location) -> Bool {
        state.withLock { $0.isStill(look, of: location) }
    }

    /// Answers the kernel; nothing happens meanwhile.
    ///
    /// - Parameters:
    ///   - location: of what it is told; nil: whatever happens concerns it.
    ///   - body: gets how long the kernel may keep the answer, in seconds. It does not wait.
    package func answer<Value>(
        _ look: Look, of location: Location?, _ body: (_ lifetime: Double) -> Value
    ) -> Value {
        state.withLock { state in
            body(!state.isStill(look, of: location) ? 0 : state.isTold ? Self.longest : Self.short)
        }
    }
}

extension Location {
    /// Whether one of both is the other, or in it.
    fileprivate func concerns(_ other: Location) -> Bool {
        domain == other.domain && zip(components, other.components).allSatisfy(==)
    }
}
