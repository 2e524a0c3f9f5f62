/// Rows of text in columns that line up by what a terminal shows.
package struct Table {
    package enum Alignment: Sendable {
        case left, right
    }

    package struct Column: Sendable {
        package var title: String
        package var alignment: Alignment
        /// At least so wide, so that several tables of one listing line up.
        package var minimumWidth: Int

        package init(_ title: String, _ alignment: Alignment = .left, minimumWidth: Int = 0) {
            self.title = title
            self.alignment = alignment
            self.minimumWidth = minimumWidth
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// - Parameter cells: also texts of others: what a terminal could take for more than text is made visible.
    package mutating func add(_ cells: String...) {
        rows.append(cells.map(ErrorText.visible))
    }

    /// The lines, each with its line break. The last column is not padded.
    package func text(showsTitles: Bool = true) -> String {
        let lines = (showsTitles ? [columns.map(\.title)] : []) + rows
        let widths = columns.indices.map { column in
            lines.reduce(columns[column].minimumWidth) { max($0, column < $1.count ? $1[column].displayWidth : 0) }
        }
        return lines.map { line in
            var text = ""
            for (index, cell) in line.enumerated() {
                let isLast = index == line.count - 1
                switch columns[index].alignment {
                case .left: text += isLast ? cell : cell.padded(to: widths[index])
                case .right: text += cell.rightAligned(to: widths[index])
                }
                if !isLast { text += "  " }
            }
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}
