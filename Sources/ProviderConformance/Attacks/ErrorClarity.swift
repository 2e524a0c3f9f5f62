import DocumentModel

/// Whether an error is fit for the person who gets it.
enum ErrorClarity {
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
