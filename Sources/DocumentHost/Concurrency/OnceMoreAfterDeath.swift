import DocumentModel

/// Asks a provider, and once more when it dies over it: the same call with the same operation's name, so that it is not
/// done twice.
///
/// - Parameter isUnanswered: is set when it has died over it: whatever is said the second time, it may be done.
func onceMoreAfterDeath<Answer: Sendable>(
    noting isUnanswered: Flag? = nil, _ ask: () async throws(DocumentError) -> Answer
) async throws(DocumentError) -> Answer {
    do throws(DocumentError) {
        return try await ask()
    } catch {
        guard error.code == .providerDied else { throw error }
        isUnanswered?.set()
        guard !Task.isCancelled else { throw error }
        return try await ask()
    }
}
