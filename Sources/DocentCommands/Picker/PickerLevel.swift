package import DocumentModel

/// One folder of the picker, the list of domains, or what a search has found: its rows, and where one is in them.
package struct PickerLevel: Sendable {
    /// What is looked for, and where.
    package struct Search: Hashable, Sendable {
        package let query: PickerQuery
        package let folder: PickerEntryID
        /// The folder's.
        let location: Location
    }

    /// Nil for the list of domains, and for what was found.
    package let id: PickerEntryID?
    /// Nil for what is no search.
    package let search: Search?
    /// Of a search: folders were passed that nobody has looked into.
    package private(set) var isIncomplete = false
    /// Nil until it has been listed once.
    package private(set) var listing: PickerListing?
    package private(set) var isLoading: Bool
    /// Why it cannot be listed.
    package private(set) var problem: String?
    package private(set) var filter = ""
    /// What is shown: those rows that the filter lets through.
    package private(set) var rows: [PickerRow] = []
    /// Which of them is chosen; 0 when there are none.
    package private(set) var selection = 0
    /// The first one on the screen.
    package private(set) var top = 0

    private var special: [PickerRow] = []
    private var folders: [PickerRow] = []
    private var others: [PickerRow] = []
    /// Somebody has moved: from then on the selection follows its item, not its place.
    private var hasMoved = false

    /// More than this is not kept.
    package static let mostRows = 100_000

    /// The list of domains.
    package init(domains: [PickerRoot]) {
        id = nil
        search = nil
        isLoading = false
        folders = domains.map { PickerRow(.domain($0)) }
        filterRows()
    }

    /// A folder that is to be listed.
    package init(id: PickerEntryID) {
        self.id = id
        search = nil
        isLoading = true
    }

    /// What is still to be found.
    init(_ search: Search) {
        id = nil
        self.search = search
        isLoading = true
    }

    package var selected: PickerRow? { rows.indices.contains(selection) ? rows[selection] : nil }
    /// How many items there are, filtered out or not.
    package var count: Int { folders.count + others.count }
    package var isFull: Bool { count >= Self.mostRows }

    /// Takes a page.
    ///
    /// - Parameters:
    ///   - special: what comes before the items.
    package mutating func take(_ page: PickerListing, isFirst: Bool, special: [PickerRow]) {
        problem = nil
        listing = page
        isLoading = page.isLoading || page.next != nil
        if isFirst {
            self.special = special
            folders = []
            others = []
        }
        var added: [PickerRow] = []
        for entry in page.entries where count + added.count < Self.mostRows { added.append(PickerRow(.entry(entry))) }
        let new = added.filter { $0.folder != nil }
        folders += new
        others += added.filter { $0.folder == nil }
        if !isFirst, new.isEmpty, filter.isEmpty {
            // As a rule, and then what is there stays where it is.
            rows += added
        } else {
            keepingSelection { $0.filterRows() }
        }
    }

    /// Takes a page of what was found.
    package mutating func take(_ page: PickerFindings, isFirst: Bool) {
        guard let search else { return }
        problem = nil
        isLoading = page.next != nil
        if isFirst { (folders, others, isIncomplete) = ([], [], false) }
        isIncomplete = isIncomplete || page.isLoading
        for entry in page.entries where count < Self.mostRows {
            // By the way from the folder that one looked in: the same name may be in many.
            let way = entry.status.location.components.dropFirst(search.location.components.count)
            let row = PickerRow(.entry(entry), title: way.map(\.rawValue).joined(separator: "/"))
            if row.folder == nil { others.append(row) } else { folders.append(row) }
        }
        keepingSelection { $0.filterRows() }
    }

    package mutating func fail(_ problem: String) {
        self.problem = problem
        isLoading = false
    }

    package mutating func reload() {
        problem = nil
        isLoading = true
    }

    /// A folder that was just made: it is there, and chosen.
    package mutating func add(_ entry: PickerEntry) {
        let row = PickerRow(.entry(entry))
        folders.removeAll { $0.identity == row.identity }
        folders.append(row)
        filter = ""
        filterRows()
        select(row.identity)
    }

    package mutating func select(_ identity: PickerRow.Identity) {
        guard let index = rows.firstIndex(where: { $0.identity == identity }) else { return }
        selection = index
        hasMoved = true
    }

    package mutating func setFilter(_ text: String) {
        let old = selected?.identity
        filter = text
        filterRows()
        // The best match is the first; without a filter one is back where one was.
        selection = 0
        if text.isEmpty, let old { select(old) }
        top = 0
    }

    package mutating func move(by count: Int) {
        hasMoved = true
        selection = min(max(selection + count, 0), max(rows.count - 1, 0))
    }

    /// Keeps the selection on a screen of so many rows.
    package mutating func scroll(height: Int) {
        let height = max(height, 1)
        top = min(max(top, selection - height + 1), selection)
        top = max(0, min(top, rows.count - height))
    }

    private mutating func keepingSelection(_ change: (inout PickerLevel) -> Void) {
        let old = hasMoved ? selected?.identity : nil
        change(&self)
        if let old, let index = rows.firstIndex(where: { $0.identity == old }) {
            selection = index
        } else {
            selection = min(selection, max(rows.count - 1, 0))
        }
    }

    private mutating func filterRows() {
        let words = filter.lowercased().split(separator: " ").map(String.init)
        rows = words.isEmpty ? special + folders + others : (folders + others).filter { $0.matches(words) }
    }
}
