package import DocumentModel

/// What shows that a document's file has the contents that the provider has in the version that both sides agreed on: before
/// it may be taken away (XFER-13), and when somebody has touched it and may have changed nothing but its attributes.
package struct ContentsProof: Hashable, Sendable {
    /// Of those contents (SHA-256); nil where nobody has read them yet.
    package var digest: [UInt8]?
    /// When the inode of the file had last changed that was known to have them; nil when none was.
    package var changed: Timestamp?

    /// What is larger is not read but to be compared: that would take longer than what it may spare.
    static let mostRead: Int64 = 1 << 30

    package init(digest: [UInt8]? = nil, changed: Timestamp? = nil) {
        self.digest = digest
        self.changed = changed
    }

    /// Whether a file in this state need not be read: nothing has happened to it since it was known to have them. No program can
    /// set the time of an inode's change.
    package func holds(for file: FileIdentity) -> Bool { changed == file.changed }
}

extension IndexedItem {
    /// Whether its contents, which the provider has, are to be read for their digest.
    package var lacksDigest: Bool {
        guard let local, !isUnsent, state != .materialising else { return false }
        return proof.digest == nil && local.size <= ContentsProof.mostRead
    }
}
