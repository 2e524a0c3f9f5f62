internal import CLibCrypto
package import DocumentModel
package import SystemPackage

/// The SHA-256 of a file's contents.
package enum FileDigest {
    /// Blocks while it reads.
    ///
    /// - Returns: 64 lower-case hexadecimal digits.
    /// - Throws: ``DocumentError`` with the code `localStorage`.
    static func sha256(of path: FilePath) throws(DocumentError) -> String {
        try bytes(of: path).reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    /// The same as 32 bytes.
    package static func bytes(of path: FilePath) throws(DocumentError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            throw DocumentError(.localStorage, "The digest of “\(path)” cannot be computed: libcrypto has no SHA-256.")
        }
        defer { EVP_MD_CTX_free(context) }
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
            return try file.closeAfter {
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
                defer { buffer.deallocate() }
                while case let count = try file.read(into: buffer), count > 0 {
                    EVP_DigestUpdate(context, buffer.baseAddress, count)
                }
                var digest = [UInt8](repeating: 0, count: 32)
                EVP_DigestFinal_ex(context, &digest, nil)
                return digest
            }
        } catch {
            throw DocumentError(.localStorage, "“\(path)” cannot be read: \(error).")
        }
    }
}
