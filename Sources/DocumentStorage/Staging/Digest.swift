internal import CLibCrypto
internal import DocumentModel

/// SHA-256, fed piece by piece.
struct Digest: ~Copyable {
    private let context: OpaquePointer?

    init() {
        context = EVP_MD_CTX_new()
        if let context { EVP_DigestInit_ex(context, EVP_sha256(), nil) }
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { add($0) }
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard let context, let base = bytes.baseAddress else { return }
        EVP_DigestUpdate(context, base, bytes.count)
    }

    /// 32 bytes; empty when memory ran out, which equals no digest.
    consuming func finish() -> [UInt8] {
        var length: UInt32 = 0
        var value = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        guard let context, EVP_DigestFinal_ex(context, &value, &length) == 1 else { return [] }
        return Array(value.prefix(Int(length)))
    }
}
