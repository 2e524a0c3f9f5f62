import DocumentModel
import Glibc

/// A provider's prompt at the terminal, while somebody signs in.
struct SignInPrompt {
    private let prompt: Prompt
    private let provider: String

    /// - Parameter provider: whose words they are.
    init(_ prompt: Prompt, of provider: String) {
        self.prompt = prompt
        self.provider = provider
    }

    /// What is shown before anything is typed.
    var text: String {
        var lines = ["\(ErrorText.visible(provider)) asks:"]
        lines += prompt.message.split(separator: "\n", omittingEmptySubsequences: false).map {
            "  \(ErrorText.visible(String($0)))"
        }
        if let url = prompt.url { lines.append("  Go to: \(ErrorText.visible(url))") }
        return lines.joined(separator: "\n")
    }

    /// Blocks until it is answered.
    ///
    /// - Throws: `cancelled` where there is no terminal to ask at, or it was given up.
    func answered() throws(DocumentError) -> [String: String] {
        guard isatty(STDIN_FILENO) == 1 else {
            throw DocumentError(
                .cancelled, "\(provider) asks for something, and there is no terminal to answer at: sign in at one.")
        }
        Console.complain(text)
        var values: [String: String] = [:]
        do {
            for field in prompt.fields {
                let label = ErrorText.visible(field.label)
                values[field.key] =
                    field.isSecret
                    ? try SecretInput.typed(label) : try SecretInput.typedOpenly(label, current: nil)
            }
            if prompt.fields.isEmpty {
                _ = try SecretInput.typedOpenly("Press Enter when that is done", current: nil)
            }
        } catch {
            throw DocumentError(.cancelled, "The sign-in was given up.")
        }
        return values
    }
}
