/// Text of others, made fit for a terminal.
package enum TerminalText {
    /// The text without anything that could move the cursor, change colours, or write backwards: what could is shown
    /// as `�`.
    package static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isUnsafe($0) ? "\u{FFFD}" : $0 }))
    }

    /// Controls, line and paragraph separators, and what is invisible and has a meaning: directions, tags. Joiners stay,
    /// since names are written with them.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}" && scalar != "\u{AD}"
        default: false
        }
    }

    /// The text cut to a width, with an ellipsis for what is left out.
    package static func cut(_ text: String, to width: Int, ellipsis: String = "…") -> String {
        guard width > 0 else { return "" }
        guard text.displayWidth > width else { return text }
        var result = ""
        var used = 0
        let room = width - ellipsis.displayWidth
        guard room >= 0 else { return String(repeating: ".", count: width) }
        for character in text {
            let size = String(character).displayWidth
            guard used + size <= room else { break }
            result.append(character)
            used += size
        }
        return result + ellipsis
    }

    /// The text cut in its middle, so that its end, as a rule an extension, stays.
    package static func cutMiddle(_ text: String, to width: Int, ellipsis: String = "…") -> String {
        guard text.displayWidth > width, width > 8 else { return cut(text, to: width, ellipsis: ellipsis) }
        let tail = min(width / 3, 10)
        var end = ""
        var used = 0
        for character in text.reversed() {
            let size = String(character).displayWidth
            guard used + size <= tail else { break }
            end = String(character) + end
            used += size
        }
        return cut(text, to: width - used, ellipsis: ellipsis) + end
    }

    /// The end of a text, cut at its beginning.
    package static func cutStart(_ text: String, to width: Int, ellipsis: String = "…") -> String {
        guard text.displayWidth > width else { return text }
        var end = ""
        var used = ellipsis.displayWidth
        guard used <= width else { return "" }
        for character in text.reversed() {
            let size = String(character).displayWidth
            guard used + size <= width else { break }
            end = String(character) + end
            used += size
        }
        return ellipsis + end
    }
}
