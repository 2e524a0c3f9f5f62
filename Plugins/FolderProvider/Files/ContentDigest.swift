internal import CDocentShims
internal import CLibCrypto
internal import DocumentModel

/// Tells whether contents are the same where nothing but the time of change says that they might be others: size and time of
/// modification can be set back by any program, and the time of change is touched by all that is done to a file.
enum ContentDigest {
    /// Of larger files there is none: to read them takes too long.
    static let largest: Int64 = 16 << 20
    /// The SHA-256 of an open file: 32 bytes.
    ///
    /// - Parameters:
    ///   - size: which it has to have.
    ///   - isEnded: asked now and then whether nobody wants to know any more.
    /// - Returns: nil for one that is too large, has another size, or cannot be read.
    static func of(
        _ file: borrowing OpenFile, size: Int64, unless isEnded: () -> Bool = { false }
    ) -> [UInt8]? {
        guard (0...largest).contains(size) else { return nil }
        // What libcrypto could be configured with is not for a provider to read.
        _ = prepared
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { return nil }
        let room = 1 << 18
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 16)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return nil }
        var length: Int64 = 0
        // One byte more tells that it is larger.
        while length <= size {
            guard !isEnded() else { return nil }
            let count = docent_pread(file.descriptor, base, min(room, Int(size + 1 - length)), length)
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            // Of a part of them, others would have the same.
            guard EVP_DigestUpdate(context, base, count) == 1 else { return nil }
            length += Int64(count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard length == size, EVP_DigestFinal_ex(context, &digest, nil) == 1 else { return nil }
        return digest
    }

    private static let prepared = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
}

/// The digest of what a document's content version stands for.
struct KnownContents: Hashable, Sendable {
    var version: [UInt8]
    var sha256: [UInt8]
}
