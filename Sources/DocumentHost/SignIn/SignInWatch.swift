import DocumentModel
import DocumentWire
import ProviderLauncher
import Synchronization

/// Asks a domain's provider, and notes whether it says that it needs a sign-in, whether it reaches its remote, and that it answers
/// at all.
struct SignInWatch: ProviderCalling {
    let domain: Domain

    var provider: String { domain.supervisor.provider }

    func call(
        _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> ProviderReply {
        let failures = domain.failures?.count
        do throws(DocumentError) {
            let reply = try await domain.supervisor.call(call, onProgress: onProgress)
            domain.signIn.accepted()
            if call.asksTheRemote {
                domain.reach.answered()
                if let failures { domain.failures?.answered(domain.name, askedAfter: failures) }
            }
            return reply
        } catch {
            if call.asksTheRemote { domain.reach.refused(error) }
            guard error.code == .notAuthenticated else { throw error }
            let hinted = SignInState.hinting(error, domain.name)
            domain.signIn.refused(hinted)
            throw hinted
        }
    }

    func noteBroken(_ finding: DocumentError) { domain.supervisor.noteBroken(finding) }
}

extension ProviderCall {
    /// Whether the remote could be reached where it is answered: other things providers know by themselves.
    fileprivate var asksTheRemote: Bool {
        switch self {
        case .item, .enumerate, .startProviding, .provideRange, .changesSince, .create, .modify, .delete: true
        default: false
        }
    }
}

/// Whether a domain's provider is signed in, as far as its last answers tell.
final class SignInState: Sendable {
    private let isRefused = Atomic(false)
    private let refusal = Mutex<DocumentError?>(nil)
    private let changed: @Sendable () -> Void

    /// - Parameter changed: called when it is refused, or accepted after that. Must not block.
    init(changed: @escaping @Sendable () -> Void) {
        self.changed = changed
    }

    /// What the provider said; nil when it is signed in, or was not asked yet.
    var problem: DocumentError? {
        guard isRefused.load(ordering: .acquiring) else { return nil }
        return refusal.withLock { $0 }
    }

    func refused(_ error: DocumentError) {
        let isNew = refusal.withLock { refusal in
            defer { refusal = error }
            isRefused.store(true, ordering: .releasing)
            return refusal == nil
        }
        if isNew { changed() }
    }

    /// Something was answered; or the provider says that it is signed in.
    func accepted() {
        guard isRefused.load(ordering: .acquiring) else { return }
        let isNew = refusal.withLock { refusal in
            defer { refusal = nil }
            isRefused.store(false, ordering: .releasing)
            return refusal != nil
        }
        if isNew { changed() }
    }

    /// With the way out (PROV-22).
    static func hinting(_ error: DocumentError, _ domain: DomainName) -> DocumentError {
        var error = error
        let hint = "Sign in with: docent login \(domain)"
        if !error.message.hasSuffix(hint) { error.message += " " + hint }
        return error
    }

    /// What a provider is told that wants to ask somebody when nobody is there.
    static func signingInNobody(_ domain: DomainName) -> DocumentError {
        hinting(DocumentError(.notAuthenticated, "Nobody is signing in to “\(domain)” just now."), domain)
    }

    /// What everything about a domain fails with that nobody is signed in to (AUTH-4).
    static func signedOut(_ domain: DomainName) -> DocumentError {
        hinting(DocumentError(.notAuthenticated, "Nobody is signed in to “\(domain)”."), domain)
    }
}
