import DocumentModel

/// One line of text that somebody edits.
package struct TextField: Hashable, Sendable {
    package private(set) var characters: [Character]
    /// Before which character the next one goes.
    package private(set) var cursor: Int

    package init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    package var text: String { String(characters) }
    package var isEmpty: Bool { characters.isEmpty }

    /// - Returns: whether the key was for the field.
    package mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let text): insert(text)
        case .backspace:
            guard cursor > 0 else { return false }
            cursor -= 1
            characters.remove(at: cursor)
        case .delete:
            guard cursor < characters.count else { return false }
            characters.remove(at: cursor)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .control("u"):
            characters.removeFirst(cursor)
            cursor = 0
        case .control("w"):
            while cursor > 0, characters[cursor - 1] == " " { removeBefore() }
            while cursor > 0, characters[cursor - 1] != " " { removeBefore() }
        default: return false
        }
        return true
    }

    private mutating func removeBefore() {
        cursor -= 1
        characters.remove(at: cursor)
    }

    /// Through a string, so that a combining mark joins the letter before it.
    private mutating func insert(_ text: String) {
        let visible = text.filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        let before = String(characters[..<cursor]) + visible
        characters = Array(before + String(characters[cursor...]))
        cursor = min(before.count, characters.count)
    }
}
