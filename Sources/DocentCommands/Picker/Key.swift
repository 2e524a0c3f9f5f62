/// What somebody pressed.
package enum Key: Hashable, Sendable {
    case character(Character)
    case enter, escape, tab, backspace, delete
    case up, down, left, right, pageUp, pageDown, home, end
    case control(Character)
    /// Text that was pasted: it types, and presses nothing.
    case paste(String)
}

/// Keys from the bytes that a terminal sends. Pure: the clock that tells an escape from the beginning of a sequence is
/// the caller's.
package struct KeyDecoder: Sendable {
    private var pending: [UInt8] = []
    private var pasted: [UInt8]?

    /// More than this is not pasted into a name.
    private static let longestPaste = 4_096
    /// Longer sequences are none.
    private static let longestSequence = 32
    private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

    package init() {}

    /// Whether bytes wait for more: when none come soon, call ``flush()``.
    package var isWaiting: Bool { !pending.isEmpty && pasted == nil }

    package mutating func take(_ bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            if pasted != nil {
                if let key = takePasted(byte) { keys.append(key) }
                continue
            }
            pending.append(byte)
            if let key = decode() { keys += key }
        }
        return keys
    }

    /// Nothing more came: an escape was an escape.
    package mutating func flush() -> [Key] {
        defer { pending = [] }
        guard pending.first == 0x1B else { return [] }
        return pending.count == 1 ? [.escape] : []
    }

    private mutating func takePasted(_ byte: UInt8) -> Key? {
        guard var text = pasted else { return nil }
        text.append(byte)
        if text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
            pasted = nil
            return .paste(String(decoding: text.dropLast(Self.pasteEnd.count).prefix(Self.longestPaste), as: UTF8.self))
        }
        // What is too long is dropped from the middle, so that its end is still found.
        if text.count > Self.longestPaste + 64 { text.remove(at: Self.longestPaste) }
        pasted = text
        return nil
    }

    /// The keys that the pending bytes are; nil when more may come.
    private mutating func decode() -> [Key]? {
        guard let first = pending.first else { return nil }
        if first == 0x1B { return decodeEscape() }
        if first < 0x20 || first == 0x7F {
            pending = []
            return Self.control(first).map { [$0] } ?? []
        }
        return decodeText(first)
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x0D, 0x0A: .enter
        case 0x09: .tab
        case 0x7F, 0x08: .backspace
        case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
        default: nil
        }
    }

    private mutating func decodeText(_ first: UInt8) -> [Key]? {
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0
        guard length > 0 else {
            pending = []
            return []
        }
        if pending.count > 1, let last = pending.last, !(0x80...0xBF).contains(last) {
            // A character that was cut off; its successor counts.
            pending = [last]
            return decode()
        }
        guard pending.count >= length else { return nil }
        defer { pending = [] }
        guard let text = String(validating: pending, as: UTF8.self), let character = text.first else { return [] }
        return [.character(character)]
    }

    private mutating func decodeEscape() -> [Key]? {
        guard pending.count > 1 else { return nil }
        switch pending[1] {
        case UInt8(ascii: "["): return decodeSequence()
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return nil }
            defer { pending = [] }
            return Self.letter(pending[2]).map { [$0] } ?? []
        case 0x1B:
            // Twice escape: the first was one.
            pending = [0x1B]
            return [.escape]
        default:
            // With Alt: not for us.
            pending = []
            return []
        }
    }

    /// `ESC [ parameters letter`.
    private mutating func decodeSequence() -> [Key]? {
        guard pending.count > 2, let last = pending.last else { return nil }
        guard (0x40...0x7E).contains(last) else {
            if pending.count > Self.longestSequence || last < 0x20 { pending = [] }
            return pending.isEmpty ? [] : nil
        }
        let parameters = String(decoding: pending[2..<(pending.count - 1)], as: UTF8.self)
        pending = []
        guard last == UInt8(ascii: "~") else { return Self.letter(last).map { [$0] } ?? [] }
        switch parameters.split(separator: ";").first {
        case "1", "7": return [.home]
        case "3": return [.delete]
        case "4", "8": return [.end]
        case "5": return [.pageUp]
        case "6": return [.pageDown]
        case "200":
            pasted = []
            return []
        default: return []
        }
    }

    private static func letter(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "M"): .enter
        default: nil
        }
    }
}
