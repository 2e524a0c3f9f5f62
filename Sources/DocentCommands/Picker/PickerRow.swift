package import DocumentModel

/// A line of the picker's list.
package struct PickerRow: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case domain(PickerRoot)
        /// A folder that the provider put in front.
        case place(PickerPlace)
        /// “Put it here”, or “choose this folder”.
        case here(String)
        case entry(PickerEntry)
    }

    package enum Identity: Hashable, Sendable {
        case domain(DomainName)
        case place(PickerEntryID)
        case here
        case entry(PickerEntryID)
    }

    package let content: Content
    /// The name as it is shown: safe for a terminal.
    package let name: String
    /// The name as filters see it.
    private let key: String

    /// - Parameter title: what is shown for an entry's name; nil: the name.
    package init(_ content: Content, title: String? = nil) {
        self.content = content
        switch content {
        case .entry where title != nil: name = TerminalText.safe(title ?? "")
        case .domain(let root): name = TerminalText.safe(root.domain.rawValue)
        case .place(let place): name = TerminalText.safe(place.title)
        case .here(let title): name = title
        case .entry(let entry): name = TerminalText.safe(entry.status.item.name?.rawValue ?? "/")
        }
        key = name.lowercased()
    }

    package var identity: Identity {
        switch content {
        case .domain(let root): .domain(root.domain)
        case .place(let place): .place(place.id)
        case .here: .here
        case .entry(let entry): .entry(entry.id)
        }
    }

    /// The folder that one can go into.
    package var folder: PickerEntryID? {
        switch content {
        case .domain(let root): root.id
        case .place(let place): place.id
        case .here: nil
        case .entry(let entry): entry.status.item.kind == .folder ? entry.id : nil
        }
    }

    /// Whether the row is there to be found by its name, and not only to be pressed.
    package var isItem: Bool {
        switch content {
        case .domain, .entry: true
        case .place, .here: false
        }
    }

    /// Whether every word is in the name, whatever its case.
    package func matches(_ words: [String]) -> Bool { words.allSatisfy { key.contains($0) } }
}
