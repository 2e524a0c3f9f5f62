/// How a piece of text looks.
package struct TextStyle: Hashable, Sendable {
    package enum Color: Int, Sendable {
        case red = 31, green = 32, yellow = 33, blue = 34, cyan = 36
    }

    package var isBold = false
    package var isDim = false
    package var isReversed = false
    package var color: Color?

    package static let plain = TextStyle()
    package static let bold = TextStyle(isBold: true)
    package static let dim = TextStyle(isDim: true)

    package init(isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false, color: Color? = nil) {
        self.isBold = isBold
        self.isDim = isDim
        self.isReversed = isReversed
        self.color = color
    }

    /// `ESC[…m`, from the plain look; empty for it.
    ///
    /// - Parameter colors: without them the rest stays (NO_COLOR).
    func sequence(colors: Bool) -> String {
        var codes: [Int] = []
        if isBold { codes.append(1) }
        if isDim { codes.append(2) }
        if isReversed { codes.append(7) }
        if colors, let color { codes.append(color.rawValue) }
        return codes.isEmpty ? "" : "\u{1B}[" + codes.map(String.init).joined(separator: ";") + "m"
    }
}

/// One line of the screen: pieces of text, each at its own column, so that a terminal that measures a character in
/// another way than we do cannot shift what follows.
package struct ScreenLine: Hashable, Sendable {
    package struct Piece: Hashable, Sendable {
        /// Counted from 0.
        package var column: Int
        package var text: String
        package var style: TextStyle
    }

    package private(set) var pieces: [Piece] = []
    /// Of the whole line, where it is marked.
    package var background: TextStyle?

    package init() {}

    package mutating func add(_ text: String, at column: Int, _ style: TextStyle = .plain) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(column: column, text: text, style: style))
    }

    /// The line as plain text, as a terminal would show it.
    package var text: String {
        var line = ""
        for piece in pieces.sorted(by: { $0.column < $1.column }) {
            line = line.padded(to: piece.column) + piece.text
        }
        return line
    }

    /// What draws it, from its first column on.
    func sequence(width: Int, colors: Bool) -> String {
        var text = ""
        if let background {
            text += background.sequence(colors: colors) + String(repeating: " ", count: width) + "\u{1B}[0m"
        }
        for piece in pieces {
            var style = piece.style
            if background?.isReversed == true { style.isReversed = true }
            text += "\u{1B}[\(piece.column + 1)G" + style.sequence(colors: colors) + piece.text + "\u{1B}[0m"
        }
        return text
    }
}

/// A whole screen.
package struct Screen: Hashable, Sendable {
    package var lines: [ScreenLine]
    package var width: Int
    /// Where text is typed, counted from 0; nil hides the cursor.
    package var cursor: (column: Int, line: Int)? {
        get { cursorColumn.map { ($0, cursorLine) } }
        set {
            cursorColumn = newValue?.column
            cursorLine = newValue?.line ?? 0
        }
    }
    private var cursorColumn: Int?
    private var cursorLine = 0

    package init(lines: [ScreenLine], width: Int) {
        self.lines = lines
        self.width = width
    }

    package var text: String { lines.map(\.text).joined(separator: "\n") }

    /// What turns one screen into this one.
    ///
    /// - Parameter old: nil when nothing is known of what is shown.
    package func sequence(from old: Screen?, colors: Bool) -> String {
        var text = "\u{1B}[?25l"
        if old == nil { text += "\u{1B}[2J" }
        let known = old.flatMap { $0.width == width && $0.lines.count == lines.count ? $0.lines : nil }
        for (index, line) in lines.enumerated() where known.map({ $0[index] != line }) ?? true {
            text += "\u{1B}[\(index + 1);1H\u{1B}[2K" + line.sequence(width: width, colors: colors)
        }
        if let cursor { text += "\u{1B}[\(cursor.line + 1);\(cursor.column + 1)H\u{1B}[?25h" }
        return text
    }
}
