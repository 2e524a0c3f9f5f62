import DocumentModel
import DocumentWire
import ProviderLauncher

/// Asks a provider while somebody signs in, who may have to answer prompts before it can.
struct SignInTrial: ProviderCalling {
    let supervisor: ProviderSupervisor

    var provider: String { supervisor.provider }

    func call(
        _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> ProviderReply {
        try await supervisor.call(call, isForSignIn: true, onProgress: onProgress)
    }

    func noteBroken(_ finding: DocumentError) { supervisor.noteBroken(finding) }
}
