/// What a server calls a version of a resource (RFC 9110, section 8.8.3).
struct EntityTag: Hashable, Sendable {
    /// Without quotation marks.
    let opaque: String
    /// A weak one says that two versions are about the same: it is never sent back as a condition (RS-2).
    let isWeak: Bool

    /// Nil for what is none. A tag without its quotation marks, as some servers send it, counts as weak.
    init?(_ text: String) {
        var rest = text.trimmed
        let hasPrefix = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if hasPrefix { rest = rest.dropFirst(2) }
        let isQuoted = rest.utf8.count >= 2 && rest.hasPrefix("\"") && rest.hasSuffix("\"")
        if isQuoted { rest = rest.dropFirst().dropLast() }
        guard !rest.isEmpty, rest.utf8.count <= 1024,
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") })
        else { return nil }
        opaque = String(rest)
        isWeak = hasPrefix || !isQuoted
    }

    /// As it goes into If-Match and If-Range; nil when it may not.
    var condition: String? { isWeak ? nil : "\"\(opaque)\"" }
}

extension StringProtocol {
    /// Without blanks at both ends.
    var trimmed: SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
