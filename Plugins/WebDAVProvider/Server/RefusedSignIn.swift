internal import Synchronization

/// Whether the server has refused what Docent signs in with. It is not sent once more then, by nobody: accounts are locked
/// for less (PROV-22). Another sign-in is another process of the provider.
final class RefusedSignIn: Sendable {
    private struct State {
        var refusal: ServerFailure?
        var isBeingMadeSure = false
        /// Until one that asked first has an answer, nobody else sends it.
        var first = First.nobody
        /// How often it was accepted.
        var accepted: UInt64 = 0
    }

    private enum First {
        case nobody, asks, isAnswered
    }

    private enum Way {
        case goes, leads, waits
    }

    private let state = Mutex(State())

    /// Waits while another request is the first one that is sent with it.
    ///
    /// - Returns: whether this is the first one, and ``firstEnded()`` has to be called.
    /// - Throws: `ServerFailure` when it was refused, or `CancellationError`.
    func enter() async throws -> Bool {
        while true {
            let way = try state.withLock { state in
                if let refusal = state.refusal { throw refusal }
                switch state.first {
                case .isAnswered: return Way.goes
                case .asks: return .waits
                case .nobody:
                    state.first = .asks
                    return .leads
                }
            }
            guard way == .waits else { return way == .leads }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Who waits asks now, or is refused.
    ///
    /// - Parameter hasVerdict: whether the server has said anything about it; else one of those who wait is the first one.
    func firstEnded(hasVerdict: Bool) {
        state.withLock { if $0.first == .asks { $0.first = hasVerdict ? .isAnswered : .nobody } }
    }

    /// The server let somebody in.
    func wasAccepted() {
        state.withLock { state in
            state.accepted += 1
            state.first = .isAnswered
        }
    }

    /// Something was refused: that may be about it alone, or for a moment, so it is made sure of once.
    ///
    /// - Parameter isRefused: asks for what everybody may see who is signed in.
    func makeSure(after failure: ServerFailure, isRefused: () async -> Bool) async {
        let before = state.withLock { state -> UInt64? in
            guard state.refusal == nil, !state.isBeingMadeSure else { return nil }
            state.isBeingMadeSure = true
            return state.accepted
        }
        guard let before else { return }
        let refused = await isRefused()
        state.withLock { state in
            state.isBeingMadeSure = false
            // What was let in meanwhile was let in with the same.
            if refused, state.accepted == before { state.refusal = failure }
        }
    }
}
