import DocumentModel

/// Asks a provider, and once more when it dies over it: the same call with the same operation's name, so that it is not
/// done twice.
func onceMoreAfterDeath<Answer: Sendable>(
    _ ask: () async throws(DocumentError) -> Answer
) async throws(DocumentError) -> Answer {
    do throws(DocumentError) {
        return try await ask()
    } catch {
        guard error.code == .providerDied, !Task.isCancelled else { throw error }
        return try await ask()
    }
}
