package import DocumentModel

/// Where everything of the picker is on a screen of a size.
package struct PickerLayout: Hashable, Sendable {
    /// A column beside the names: where it begins, counted from 0, and how wide it is.
    package struct Column: Hashable, Sendable {
        package var kind: PickerColumn
        package var start: Int
        package var width: Int
    }

    /// What the name has before it: the pointer and the mark of the state.
    package static let nameStart = 4
    private static let leastName = 16
    private static let gap = 2

    package let width: Int
    package let height: Int
    package let showsMessage: Bool
    package let showsTitles: Bool
    package let showsHelp: Bool
    package let columns: [Column]
    package let nameWidth: Int

    package init(_ model: PickerModel) {
        width = max(model.size.columns, 1)
        height = max(model.size.rows, 1)
        showsMessage = height >= 8 && !PickerWords.message(model.level).isEmpty
        showsTitles = height >= 12
        showsHelp = height >= 6
        let isDomains = model.level.id == nil && model.level.search == nil
        let wished = model.level.listing?.shape.columns ?? []
        let kinds: [PickerColumn] =
            isDomains ? [.type, .state] : wished.isEmpty ? [.size, .modified, .state] : Self.once(wished)
        var taken: [Column] = []
        var room = width - Self.nameStart - 1
        // The first ones matter most; what does not fit is left out.
        for kind in kinds {
            let size = Self.width(of: kind, isDomains: isDomains)
            guard room - size - Self.gap >= Self.leastName else { continue }
            room -= size + Self.gap
            taken.append(Column(kind: kind, start: 0, width: size))
        }
        nameWidth = max(room, 1)
        var start = Self.nameStart + nameWidth + Self.gap
        for index in taken.indices {
            taken[index].start = start
            start += taken[index].width + Self.gap
        }
        columns = taken
    }

    /// The lines above the list: the title, the filter, and what the provider and the columns have to say.
    package var listTop: Int { 2 + (showsMessage ? 1 : 0) + (showsTitles ? 1 : 0) }
    /// The line that says what is wrong, or how far it is.
    package var statusLine: Int { height - (showsHelp ? 2 : 1) }
    package var listHeight: Int { max(1, statusLine - listTop) }

    private static func once(_ columns: [PickerColumn]) -> [PickerColumn] {
        columns.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func width(of column: PickerColumn, isDomains: Bool) -> Int {
        switch column {
        case .size: 8
        case .modified, .created: 16
        case .type: isDomains ? 20 : 24
        case .state: 10
        }
    }
}
