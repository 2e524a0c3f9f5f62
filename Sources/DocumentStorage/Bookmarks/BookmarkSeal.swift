internal import CLibCrypto
package import DocumentModel

/// Makes bookmarks, and tells those that it made from all others: HMAC with SHA-256 over the token (BOOK-5).
package struct BookmarkSeal: Sendable {
    /// In bytes.
    package static let keyLength = 32
    private static let codeLength = 32

    private let key: [UInt8]

    /// - Parameter key: ``keyLength`` bytes that nobody else knows.
    package init(key: [UInt8]) {
        self.key = key
    }

    package func bookmark(of token: BookmarkToken) throws(DocumentError) -> Bookmark {
        let body = token.encoded
        guard let code = code(of: body) else {
            throw DocumentError(.internal, "The bookmark could not be sealed: there is no memory for it; try again.")
        }
        return try Bookmark(bytes: body + code)
    }

    /// - Throws: `notPermitted` for everything that this seal has not made.
    package func token(of bookmark: Bookmark) throws(DocumentError) -> BookmarkToken {
        let body = Array(bookmark.bytes.dropLast(Self.codeLength))
        let given = Array(bookmark.bytes.suffix(Self.codeLength))
        // Nothing of it is read before it is known to be ours. The comparison takes as long wherever they differ.
        guard given.count == Self.codeLength, let code = code(of: body),
            CRYPTO_memcmp(code, given, Self.codeLength) == 0, let token = BookmarkToken(decoding: body)
        else {
            throw DocumentError(
                .notPermitted,
                "This bookmark was not made by this host, or was changed since: ask the tool or the person that it came from for a new one."
            )
        }
        return token
    }

    private func code(of body: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: Self.codeLength)
        var length = 0
        let made = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, key, key.count, body, body.count, &code, code.count, &length)
        return made != nil && length == Self.codeLength ? code : nil
    }
}
