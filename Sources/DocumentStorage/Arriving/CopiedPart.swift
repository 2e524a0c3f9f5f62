package import DocumentModel

/// One part of what was copied into the storage root, or out of it: a document, or a folder.
package struct CopiedPart: Hashable, Sendable {
    /// Below the whole that was copied; empty for that itself.
    package var path: [ItemName]
    /// The file, as it was when it was copied; nil for a folder.
    package var file: FileIdentity?

    package init(path: [ItemName], file: FileIdentity?) {
        self.path = path
        self.file = file
    }

    package var kind: ItemKind { file == nil ? .folder : .document }
}

extension CopiedPart {
    /// The file's numbers and a colon, where it is one; then the path.
    var text: String {
        let place = path.map(\.rawValue).joined(separator: "/")
        return file.map { "\(JournalPayload.text($0)):\(place)" } ?? ":\(place)"
    }

    init(_ text: String) throws {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let numbers = String(parts[0]), let place = String(parts[1]) else { throw Self.broken }
        file = JournalPayload.file(numbers)
        guard file != nil || numbers.isEmpty else { throw Self.broken }
        path = try place.utf8.split(separator: UInt8(ascii: "/")).map { try ItemName(String(Substring($0))) }
    }

    private static var broken: DocumentError {
        DocumentError(.localStorage, "The index holds a journal entry that cannot be read.")
    }
}
