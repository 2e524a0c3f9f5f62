import DocumentModel

/// The picker's screen from its state. Pure.
package struct PickerRenderer: Sendable {
    package var glyphs: PickerGlyphs

    package init(glyphs: PickerGlyphs = .unicode) {
        self.glyphs = glyphs
    }

    package func screen(_ model: PickerModel) -> Screen {
        let layout = PickerLayout(model)
        var screen = Screen(
            lines: Array(repeating: ScreenLine(), count: layout.height), width: layout.width)
        func put(_ line: ScreenLine, at index: Int) {
            if screen.lines.indices.contains(index) { screen.lines[index] = line }
        }
        put(title(model, layout), at: 0)
        let (input, cursor) = input(model, layout)
        put(input, at: 1)
        var next = 2
        if layout.showsMessage {
            var line = ScreenLine()
            let message = TerminalText.safe(
                PickerWords.message(model.level).replacing("\n", with: " "))
            line.add(
                TerminalText.cut(message, to: layout.width - 3, ellipsis: glyphs.ellipsis), at: 2,
                TextStyle(color: .yellow))
            put(line, at: next)
            next += 1
        }
        if layout.showsTitles {
            put(titles(model, layout), at: next)
            next += 1
        }
        for (index, line) in list(model, layout).enumerated() where next + index < layout.statusLine {
            put(line, at: next + index)
        }
        // On the smallest of screens what is typed and what went wrong come first.
        put(status(model, layout), at: max(layout.statusLine, min(2, layout.height - 1)))
        if layout.showsHelp { put(help(model, layout), at: layout.height - 1) }
        if let cursor, layout.height > 1 { screen.cursor = (min(cursor, layout.width - 1), 1) }
        return screen
    }

    // MARK: Above the list

    private func title(_ model: PickerModel, _ layout: PickerLayout) -> ScreenLine {
        var line = ScreenLine()
        let title = PickerWords.title(model)
        let place = PickerWords.place(model)
        let room = layout.width - 2
        if place.isEmpty {
            line.add(TerminalText.cut(title, to: room, ellipsis: glyphs.ellipsis), at: 1, .bold)
            return line
        }
        // The place matters more; its end most of all.
        let shown = TerminalText.cutStart(place, to: room, ellipsis: glyphs.ellipsis)
        let left = room - shown.displayWidth - 2
        if left >= 6 {
            line.add(TerminalText.cut(title, to: left, ellipsis: glyphs.ellipsis), at: 1, .bold)
            line.add(shown, at: layout.width - 1 - shown.displayWidth, TextStyle(color: .cyan))
        } else {
            line.add(shown, at: 1, TextStyle(isBold: true, color: .cyan))
        }
        return line
    }

    /// The filter, or what is asked.
    private func input(_ model: PickerModel, _ layout: PickerLayout) -> (line: ScreenLine, cursor: Int?) {
        var line = ScreenLine()
        switch model.prompt {
        case .newFolder(let field): return self.field("New folder: ", field, layout)
        case .name(let field): return self.field("Name: ", field, layout)
        case .replace(let name):
            let question = "“\(TerminalText.safe(name))” is there already. Replace it? (y/n)"
            line.add(
                TerminalText.cutMiddle(question, to: layout.width - 2, ellipsis: glyphs.ellipsis), at: 1,
                TextStyle(isBold: true, color: .yellow))
            return (line, nil)
        case nil: break
        }
        let level = model.level
        var count = ""
        if level.isLoading { count = glyphs.spinner[model.time % glyphs.spinner.count] + " " }
        let shown = level.rows.count(where: \.isItem)
        if !model.marked.isEmpty { count += "\(model.marked.count) marked  " }
        if level.filter.isEmpty {
            count += level.isLoading && shown == 0 ? "loading" : "\(shown)"
        } else {
            count += "\(shown) of \(level.count)"
        }
        line.add(glyphs.pointer, at: 1, TextStyle(isBold: true, color: .cyan))
        let room = max(1, layout.width - 5 - count.displayWidth - 1)
        let filter = TerminalText.cutStart(level.filter, to: room, ellipsis: glyphs.ellipsis)
        if filter.isEmpty {
            line.add(TerminalText.cut("type to filter", to: room, ellipsis: glyphs.ellipsis), at: 3, .dim)
        } else {
            line.add(filter, at: 3)
        }
        if layout.width > count.displayWidth + 6 {
            line.add(count, at: layout.width - 1 - count.displayWidth, .dim)
        }
        return (line, model.work == nil ? 3 + filter.displayWidth : nil)
    }

    private func field(_ label: String, _ field: TextField, _ layout: PickerLayout) -> (ScreenLine, Int?) {
        var line = ScreenLine()
        let label = TerminalText.cut(label, to: layout.width / 2, ellipsis: glyphs.ellipsis)
        line.add(label, at: 1, TextStyle(isBold: true, color: .cyan))
        let start = 1 + label.displayWidth
        let room = max(2, layout.width - start - 1)
        // Up to the cursor it is cut at its beginning, behind it at its end.
        let before = TerminalText.cutStart(
            String(field.characters[..<field.cursor]), to: room - 1, ellipsis: glyphs.ellipsis)
        let after = TerminalText.cut(
            String(field.characters[field.cursor...]), to: room - before.displayWidth, ellipsis: glyphs.ellipsis)
        line.add(TerminalText.safe(before + after), at: start)
        return (line, start + before.displayWidth)
    }

    private func titles(_ model: PickerModel, _ layout: PickerLayout) -> ScreenLine {
        var line = ScreenLine()
        let isDomains = model.level.id == nil && model.level.search == nil
        line.add(isDomains ? "Domain" : "Name", at: PickerLayout.nameStart, .dim)
        for column in layout.columns {
            let title =
                switch column.kind {
                case .size: "Size"
                case .modified: "Modified"
                case .created: "Made"
                case .type: isDomains ? "Provider" : "Type"
                case .state: isDomains ? "" : "State"
                }
            let isRight = column.kind == .size
            line.add(isRight ? title.rightAligned(to: column.width) : title, at: column.start, .dim)
        }
        return line
    }

    // MARK: The list

    private func list(_ model: PickerModel, _ layout: PickerLayout) -> [ScreenLine] {
        let level = model.level
        guard !level.rows.isEmpty else {
            var line = ScreenLine()
            line.add(
                TerminalText.cut(
                    PickerWords.emptiness(model), to: layout.width - PickerLayout.nameStart - 1,
                    ellipsis: glyphs.ellipsis), at: PickerLayout.nameStart,
                level.problem == nil ? .dim : TextStyle(color: .red))
            return [line]
        }
        let shown = level.rows.indices.dropFirst(level.top).prefix(layout.listHeight)
        return shown.map { row(level.rows[$0], isSelected: $0 == level.selection, model, layout) }
    }

    private func row(
        _ row: PickerRow, isSelected: Bool, _ model: PickerModel, _ layout: PickerLayout
    ) -> ScreenLine {
        var line = ScreenLine()
        if isSelected {
            line.background = TextStyle(isReversed: true)
            line.add(glyphs.pointer, at: 0, .bold)
        }
        if model.isMarked(row) { line.add(glyphs.marked, at: 1, TextStyle(isBold: true, color: .green)) }
        var style = TextStyle.plain
        var name = row.name
        switch row.content {
        case .domain: name += "/"
        case .place: style = TextStyle(isBold: true, color: .blue)
        case .here: style = TextStyle(isBold: true, color: .green)
        case .entry(let entry):
            if row.folder != nil {
                name += "/"
                style = TextStyle(isBold: true, color: .blue)
            } else {
                line.add(
                    PickerWords.mark(entry.status.state, glyphs), at: 2,
                    TextStyle(color: Self.color(of: entry.status)))
                if !entry.isSelectable { style = .dim }
            }
        }
        line.add(
            TerminalText.cutMiddle(name, to: layout.nameWidth, ellipsis: glyphs.ellipsis), at: PickerLayout.nameStart,
            style)
        for column in layout.columns {
            let text = cell(row, column.kind)
            let cut = TerminalText.cut(text, to: column.width, ellipsis: glyphs.ellipsis)
            let isRight = column.kind == .size
            line.add(
                isRight ? cut.rightAligned(to: column.width) : cut, at: column.start,
                style.isDim || column.kind == .modified || column.kind == .created ? .dim : .plain)
        }
        return line
    }

    private static func color(of status: ItemStatus) -> TextStyle.Color? {
        if status.problem != nil { return .red }
        switch status.state {
        case .materialised: return .green
        case .materialising, .changed, .sending, .outdated: return .yellow
        case .conflict, .nameClash: return .red
        case .placeholder: return nil
        }
    }

    private func cell(_ row: PickerRow, _ column: PickerColumn) -> String {
        switch row.content {
        case .domain(let root):
            switch column {
            case .type: return TerminalText.safe(root.providerName)
            case .state: return PickerWords.state(root)
            case .size, .modified, .created: return ""
            }
        case .place, .here: return ""
        case .entry(let entry):
            let item = entry.status.item
            switch column {
            case .size: return item.kind.isFolder ? "" : item.size.map { Words.size($0) } ?? "?"
            case .modified: return item.modified == .zero ? "" : Words.time(item.modified)
            case .created: return item.created == .zero ? "" : Words.time(item.created)
            case .type: return item.contentType.identifier
            case .state: return PickerWords.state(entry.status)
            }
        }
    }

    // MARK: Below the list

    private func status(_ model: PickerModel, _ layout: PickerLayout) -> ScreenLine {
        var line = ScreenLine()
        let room = layout.width - 2
        func say(_ text: String, _ style: TextStyle) {
            let one = text.replacing("\n", with: " ")
            line.add(TerminalText.cut(one, to: room, ellipsis: glyphs.ellipsis), at: 1, style)
        }
        if let notice = model.notice {
            say(TerminalText.safe(notice), TextStyle(isBold: true, color: .red))
            return line
        }
        switch model.work {
        case .checking: say("One moment\(glyphs.ellipsis)", .dim)
        case .transferring(let progress): bar(progress, room, &line)
        case nil: say(PickerWords.remark(model), TextStyle(color: .yellow))
        }
        return line
    }

    private func bar(_ progress: TransferProgress, _ room: Int, _ line: inout ScreenLine) {
        guard let expected = progress.expected, expected > 0 else {
            line.add(TerminalText.cut(Words.size(progress.done), to: room, ellipsis: glyphs.ellipsis), at: 1)
            return
        }
        let part = min(1, Double(progress.done) / Double(expected))
        let figures = "\(Int(part * 100)) %  \(Words.size(progress.done)) of \(Words.size(expected))"
        let barWidth = min(40, room - figures.displayWidth - 2)
        guard barWidth >= 5 else {
            line.add(TerminalText.cut(figures, to: room, ellipsis: glyphs.ellipsis), at: 1)
            return
        }
        let filled = Int(part * Double(barWidth))
        line.add(String(repeating: glyphs.filled, count: filled), at: 1, TextStyle(color: .green))
        line.add(String(repeating: glyphs.unfilled, count: barWidth - filled), at: 1 + filled, .dim)
        line.add(figures, at: 1 + barWidth + 2)
    }

    private func help(_ model: PickerModel, _ layout: PickerLayout) -> ScreenLine {
        var line = ScreenLine()
        var column = 1
        for hint in PickerWords.help(model, glyphs) {
            guard column + hint.displayWidth < layout.width else { break }
            line.add(hint, at: column, .dim)
            column += hint.displayWidth + 3
        }
        return line
    }
}
