import DocentCommands
import DocumentModel
import Testing

/// A made-up domain for the picker's tests.
enum PickerFixture {
    static func id(_ text: String) throws -> PickerEntryID { try PickerEntryID(Array(text.utf8)) }

    static func root(_ name: String, problem: DocumentError? = nil) throws -> PickerRoot {
        PickerRoot(
            id: try id("\(name):/"), domain: try DomainName(name), providerName: "Folder", problem: problem,
            actions: [.create, .search])
    }

    static func entry(
        _ location: String, _ kind: ItemKind = .document, selectable: Bool? = nil, state: ItemState = .placeholder,
        size: Int64? = 1_234
    ) throws -> PickerEntry {
        let place = try Location(location)
        let isTop = place.isRoot
        let item = Item(
            id: try ItemIdentifier(location), parentID: isTop ? nil : .root, name: place.name, kind: kind,
            size: kind == .folder ? 0 : size, modified: Timestamp(seconds: 1_780_000_000, nanoseconds: 0),
            version: try ItemVersion(content: [1]))
        return PickerEntry(
            id: try id(location), status: ItemStatus(item: item, location: place, state: state, path: "/x"),
            isSelectable: selectable ?? (kind == .document),
            actions: kind == .document ? [.copy] : selectable == true ? [.create, .search] : [.search])
    }

    static func listing(
        _ location: String, _ entries: [PickerEntry], next: PageToken? = nil, isLoading: Bool = false,
        writable: Bool = false, shape: PickerShape = PickerShape()
    ) throws -> PickerListing {
        let place = try Location(location)
        return PickerListing(
            entries: entries, next: next, isLoading: isLoading,
            folder: try entry(location, .folder, selectable: writable),
            parent: try place.parent.map { try id($0.description) }, shape: shape)
    }

    /// In the domain `work`, with two folders and three documents.
    static func work(
        mode: PickerMode = .open, several: Bool = false, size: TerminalSize = TerminalSize(columns: 80, rows: 24)
    ) throws -> PickerModel {
        let isSaving = !mode.choosesDocuments
        var model = PickerModel(
            mode: mode, originalName: isSaving ? "q3.pdf" : nil, allowsSeveral: several, roots: [try root("work")],
            size: size)
        let actions = model.begin()
        #expect(actions == [.list(try id("work:/"), page: nil, refresh: false)])
        let entries = [
            try entry("work:/Accounts", .folder, selectable: isSaving),
            try entry("work:/one.txt", selectable: !isSaving),
            try entry("work:/Letters", .folder, selectable: isSaving),
            try entry("work:/photo.png", selectable: false), try entry("work:/two.txt", selectable: !isSaving),
        ]
        _ = model.handle(.listed(try id("work:/"), try listing("work:/", entries, writable: isSaving), isFirst: true))
        return model
    }
}

extension PickerModel {
    /// Presses keys, and gives what the last one asks for.
    @discardableResult
    mutating func press(_ keys: Key...) -> [Action] {
        var actions: [Action] = []
        for key in keys { actions = handle(.key(key)) }
        return actions
    }

    @discardableResult
    mutating func type(_ text: String) -> [Action] {
        var actions: [Action] = []
        for character in text { actions = handle(.key(.character(character))) }
        return actions
    }

    var names: [String] { level.rows.map(\.name) }
    var selectedName: String? { level.selected?.name }
}
