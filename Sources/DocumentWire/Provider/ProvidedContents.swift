package import DocumentModel

/// What a provider says of the contents that it has written to a staging file.
package struct ProvidedContents: Hashable, Sendable {
    /// The item in exactly the version that was written.
    package var item: Item
    /// The contents' SHA-256 as the remote keeps them, 32 bytes; nil where the provider does not know it.
    package var sha256: [UInt8]?

    package init(_ item: Item, sha256: [UInt8]? = nil) {
        self.item = item
        self.sha256 = sha256
    }
}

extension ProvidedContents {
    /// - Throws: `invalidArgument` for an item that cannot be, and for a digest of another length.
    init(_ answer: WireProviderItemAnswer) throws(DocumentError) {
        let digest = Array(answer.sha256)
        guard digest.isEmpty || digest.count == 32 else {
            throw DocumentError(
                .invalidArgument, "A SHA-256 has 32 bytes, or is left out: \(digest.count) bytes are none.")
        }
        self.init(try Item(answer.item), sha256: digest.isEmpty ? nil : digest)
    }
}
