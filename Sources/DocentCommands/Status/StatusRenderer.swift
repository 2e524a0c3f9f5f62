/// The status screen from its state. Pure.
package struct StatusRenderer: Sendable {
    package var glyphs: PickerGlyphs

    package init(glyphs: PickerGlyphs = .unicode) {
        self.glyphs = glyphs
    }

    package func screen(_ model: StatusModel) -> Screen {
        let (width, height) = (max(model.size.columns, 1), max(model.size.rows, 1))
        var screen = Screen(lines: Array(repeating: ScreenLine(), count: height), width: width)
        func put(_ text: String, at line: Int, _ style: TextStyle = .plain) {
            guard screen.lines.indices.contains(line) else { return }
            screen.lines[line].add(
                TerminalText.cut(TerminalText.safe(text), to: width - 2, ellipsis: glyphs.ellipsis), at: 1, style)
        }
        let title = model.summary.isEmpty ? "Docent" : "Docent: \(model.summary)"
        put(model.problem ?? title, at: 0, model.problem == nil ? .bold : TextStyle(isBold: true, color: .red))
        // On the smallest of screens only that.
        guard height > 2 else { return screen }
        let shown = model.lines.dropFirst(model.top).prefix(model.room)
        for (offset, line) in shown.enumerated() {
            let isTitle = line.first?.isWhitespace == false && (line.hasSuffix(":") || line.hasPrefix("DOMAIN"))
            put(line, at: 1 + offset, isTitle ? .bold : .plain)
        }
        let below = model.lines.count - model.top - shown.count
        put("q ends" + (model.top > 0 || below > 0 ? ", arrow keys scroll, \(below) more" : ""), at: height - 1, .dim)
        return screen
    }
}
