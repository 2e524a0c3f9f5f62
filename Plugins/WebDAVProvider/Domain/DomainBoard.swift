internal import Synchronization

/// What people are told of the domain: how may be written to it, and how much room the server has.
final class DomainBoard: Sendable {
    /// How long what the server has said of its room is good enough.
    private static let patience = Duration.seconds(600)

    private struct State {
        var writing = ""
        /// Whether somebody may lose something.
        var isUnsafe = false
        var quota = Quota()
        /// When the server was asked last.
        var asked: ContinuousClock.Instant?
        var told = ""

        var text: String { [writing, quota.sentence ?? ""].filter { !$0.isEmpty }.joined(separator: " ") }
    }

    private let state = Mutex(State())
    private let timing: Timing
    private let note: @Sendable (String, Bool) -> Void

    /// - Parameter note: tells people, in place of what was told before, and whether it is a warning.
    init(timing: Timing = Timing(), note: @escaping @Sendable (String, Bool) -> Void) {
        self.timing = timing
        self.note = note
    }

    func tell(writing: String, isUnsafe: Bool = false) {
        change { ($0.writing, $0.isUnsafe) = (writing, isUnsafe) }
    }

    func tell(_ quota: Quota) { change { $0.quota = quota } }

    /// Whether the server is to be asked for its room; whoever is told so asks.
    func isQuotaDue() -> Bool {
        let now = timing.now()
        return state.withLock { state in
            if let asked = state.asked, now - asked < Self.patience { return false }
            state.asked = now
            return true
        }
    }

    private func change(_ body: (inout State) -> Void) {
        // Under the lock: what is told last is what is so.
        state.withLock { state in
            body(&state)
            guard state.text != state.told else { return }
            state.told = state.text
            note(state.text, state.isUnsafe)
        }
    }
}
