internal import Synchronization

/// Whether the server has refused what Docent signs in with. It is not sent once more then, by nobody: accounts are locked
/// for less (PROV-22). Another sign-in is another process of the provider.
final class RefusedSignIn: Sendable {
    private struct State {
        var refusal: ServerFailure?
        var isBeingMadeSure = false
    }

    private let state = Mutex(State())

    /// - Throws: `ServerFailure` when it was refused.
    func check() throws(ServerFailure) {
        if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    }

    /// Something was refused: that may be about it alone, so it is made sure of once.
    ///
    /// - Parameter isRefused: asks for what everybody may see who is signed in.
    func makeSure(after failure: ServerFailure, isRefused: () async -> Bool) async {
        let isFirst = state.withLock { state in
            guard state.refusal == nil, !state.isBeingMadeSure else { return false }
            state.isBeingMadeSure = true
            return true
        }
        guard isFirst else { return }
        let refused = await isRefused()
        state.withLock { state in
            state.isBeingMadeSure = false
            if refused { state.refusal = failure }
        }
    }
}
