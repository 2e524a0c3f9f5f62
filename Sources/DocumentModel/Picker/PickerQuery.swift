/// What is looked for in a picker session: items whose names have all of the words in them, whatever their case.
public struct PickerQuery: Hashable, Sendable {
    /// In bytes.
    public static let maximumLength = 256

    /// As it was typed.
    public let text: String

    /// - Throws: ``DocumentError`` with the code `invalidArgument` when there is no word in it, or it is longer than
    ///   ``maximumLength``.
    public init(_ text: String) throws(DocumentError) {
        guard text.utf8.count <= Self.maximumLength, text.contains(where: { $0 != " " }) else {
            throw DocumentError(
                .invalidArgument,
                "What is looked for must be one word or more, of \(Self.maximumLength) bytes in all: this has \(text.utf8.count)."
            )
        }
        self.text = text
    }

    /// Folded as names are.
    package var words: [String] {
        text.split(separator: " ").map { FoldedName(text: String($0)).text }
    }
}

/// A page of what was found in a picker session.
public struct PickerFindings: Hashable, Sendable {
    /// In no order to rely on. Perhaps none, also when there is a next page.
    public var entries: [PickerEntry]
    /// Nil at the last page.
    public var next: PageToken?
    /// Something that this page looked through was never listed: what is in there is not known yet, and not found. Browse it.
    public var isLoading: Bool

    public init(entries: [PickerEntry], next: PageToken? = nil, isLoading: Bool = false) {
        self.entries = entries
        self.next = next
        self.isLoading = isLoading
    }
}
