import DocumentModel

/// Whether an error is fit for the person who gets it.
enum ErrorClarity {
    /// What a caller is told with these codes is of the provider's doing.
    private static let ofProvider: Set<DocumentError.Code> = [
        .contractBroken, .protocolViolation, .frameTooLarge, .deadlineExceeded, .providerDied, .providerUnavailable,
        .unimplemented,
    ]
    /// What a person can do about it.
    private static let actions = ["Report this to the provider's author", "try again", "docent provider show"]

    /// The same as ``check(_:)``; and an error that is the provider's fault names the provider, and what to do.
    ///
    /// - Parameter words: what it has to say beside that.
    static func check(_ error: DocumentError, naming provider: String, saying words: [String] = []) throws {
        try check(error)
        if let missing = words.first(where: { !error.message.contains($0) }) {
            throw CheckFailure("The error does not say “\(missing)”, which is the true cause.", detail: "\(error)")
        }
        guard ofProvider.contains(error.code) else { return }
        guard error.message.contains(provider) else {
            throw CheckFailure("The error does not say which provider is at fault.", detail: "\(error)")
        }
        guard actions.contains(where: error.message.contains) else {
            throw CheckFailure("The error does not say what to do about it.", detail: "\(error)")
        }
    }

    static func check(_ error: DocumentError) throws {
        guard error.message.contains(" "), error.message.utf8.count < 16_384 else {
            throw CheckFailure("The error says nothing, or too much.", detail: "\(error.message.utf8.count) bytes")
        }
        for text in [error.message, error.detail] + error.causes where text.unicodeScalars.contains(where: isUnfit) {
            throw CheckFailure(
                "The error carries characters of the provider that change what a terminal shows.",
                detail: String(reflecting: text))
        }
    }

    /// Controls but for line breaks and tabs, and what turns the direction of writing.
    static func isUnfit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
