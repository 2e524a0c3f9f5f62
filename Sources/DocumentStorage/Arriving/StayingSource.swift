package import DocumentModel
package import SystemPackage

/// What was to move into a domain and stays in its old place: it is not what was copied any more, or is about to be something
/// else. The item says so for as long as something is there.
package struct StayingSource: Hashable, Sendable {
    package var path: FilePath

    package init(at path: FilePath) { self.path = path }

    /// The index keeps the sentence of what is wrong with an item, which names the place.
    ///
    /// - Returns: nil for anything else that is wrong.
    package init?(_ code: DocumentError.Code, _ message: String) {
        let (text, end) = (message.utf8, Self.sentence.utf8)
        guard code == .unsyncedEdits, text.count > end.count, text.suffix(end.count).elementsEqual(end) else {
            return nil
        }
        path = FilePath(String(decoding: text.dropLast(end.count), as: UTF8.self))
    }

    package var problem: DocumentError { DocumentError(.unsyncedEdits, "\(path)" + Self.sentence) }

    private static let sentence =
        " was changed while it was moved, is open for writing, or could not be removed: it stays there, and the item has what was copied before. Compare the two; then remove what stays, or move it in under another name."

    /// Whether nothing is left there. What cannot be looked at is taken to be there still. May block for ever.
    package var isGone: Bool {
        // Bytes that are no text: the sentence does not name the place.
        guard !path.string.contains("\u{FFFD}") else { return false }
        return OutsideTree.isGone(path)
    }
}

extension IndexedItem {
    package var stayingSource: StayingSource? { problem.flatMap { StayingSource($0.code, $0.message) } }
}

extension DocumentStore {
    /// What stayed in its old place does not any more: nothing is said of it, unless something else is wrong by now.
    package func forget(_ source: StayingSource, of id: ItemIdentifier, in domain: DomainName) throws {
        try index.write(durably: false) { index in
            guard try index.item(id, in: domain)?.stayingSource == source else { return }
            try index.setProblem(nil, of: id, in: domain)
        }
    }
}
