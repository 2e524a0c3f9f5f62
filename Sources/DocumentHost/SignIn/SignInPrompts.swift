public import DocumentModel
import Synchronization

extension DocumentHost {
    /// Asks whoever signs in. Throws when there is no answer.
    ///
    /// - Parameters:
    ///   - prompt: what a provider wants to know, fit to be shown.
    ///   - provider: who asks, for people.
    public typealias PromptHandler =
        @Sendable (_ prompt: Prompt, _ provider: String) async throws(DocumentError) -> [String: String]
}

/// Who signs in to which domain just now, and may be asked by its provider.
final class SignInPrompts: Sendable {
    private struct SignIn {
        let handler: DocumentHost.PromptHandler
        var asked = 0
        var isAsking = false
    }

    /// A provider that never has enough is not let go on for ever.
    private static let most = 20
    private let signIns = Mutex<[DomainName: SignIn]>([:])

    func begin(_ domain: DomainName, _ handler: @escaping DocumentHost.PromptHandler) {
        signIns.withLock { $0[domain] = SignIn(handler: handler) }
    }

    func end(_ domain: DomainName) {
        signIns.withLock { $0[domain] = nil }
    }

    /// - Parameter provider: who asks, for people.
    /// - Returns: a value for each field.
    /// - Throws: `notAuthenticated` when nobody is signing in, or nobody answers; `busy` for a second prompt at once, and for
    ///   one too many.
    func ask(
        _ prompt: Prompt, of domain: DomainName, for provider: String
    ) async throws(DocumentError) -> [String: String] {
        let handler = try take(domain)
        defer { signIns.withLock { $0[domain]?.isAsking = false } }
        let values: [String: String]
        do throws(DocumentError) {
            values = try await handler(prompt, provider)
        } catch {
            throw DocumentError(
                .notAuthenticated, "What was asked for the sign-in to “\(domain)” was not answered.",
                causes: [error.message])
        }
        // What was not asked for is nobody's business.
        return values.filter { value in prompt.fields.contains { $0.key == value.key } }
    }

    private func take(_ domain: DomainName) throws(DocumentError) -> DocumentHost.PromptHandler {
        let (handler, error) = signIns.withLock { signIns -> (DocumentHost.PromptHandler?, DocumentError?) in
            guard var signIn = signIns[domain] else {
                return (nil, SignInState.signingInNobody(domain))
            }
            guard !signIn.isAsking, signIn.asked < Self.most else {
                return (
                    nil,
                    DocumentError(
                        .busy,
                        signIn.isAsking
                            ? "Something is asked already: one prompt at a time."
                            : "\(Self.most) prompts are enough for a sign-in.")
                )
            }
            signIn.asked += 1
            signIn.isAsking = true
            signIns[domain] = signIn
            return (signIn.handler, nil)
        }
        if let error { throw error }
        guard let handler else { throw SignInState.signingInNobody(domain) }
        return handler
    }
}
