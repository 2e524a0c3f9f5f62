package import DocumentModel

/// The terminal picker without a terminal: what happened in, what is to be shown and done out. Pure.
package struct PickerModel: Sendable {
    /// What happened.
    package enum Event: Sendable {
        case key(Key)
        case resized(TerminalSize)
        case listed(PickerEntryID, PickerListing, isFirst: Bool)
        case notListed(PickerEntryID, String)
        case found(PickerLevel.Search, PickerFindings, isFirst: Bool)
        case notFound(PickerLevel.Search, String)
        case madeFolder(PickerEntry, in: PickerEntryID)
        /// What was asked for was refused; one may go on.
        case refused(String)
        /// The name of what is chosen, or of what is put, is taken already.
        case exists(String)
        case progress(TransferProgress)
        /// Time has passed.
        case tick
    }

    /// What is to be done about it.
    package enum Action: Hashable, Sendable {
        case list(PickerEntryID, page: PageToken?, refresh: Bool)
        /// After a moment: the provider still tells what is in it.
        case listSoon(PickerEntryID)
        case search(PickerLevel.Search, page: PageToken?)
        case makeFolder(ItemName, in: PickerEntryID)
        case choose([PickerEntry], replacing: Bool)
        case put(ItemName, in: PickerEntryID, replacing: Bool)
        case cancel
    }

    /// What is asked in the filter's place.
    package enum Prompt: Hashable, Sendable {
        case newFolder(TextField)
        case name(TextField)
        case replace(String)
    }

    /// What is done with a choice just now.
    package enum Work: Hashable, Sendable {
        case checking
        case transferring(TransferProgress)
    }

    package let mode: PickerMode
    /// The local document's name, in export and move.
    package let originalName: String?
    /// Several items may be marked, and chosen together (PICK-21).
    package let allowsSeveral: Bool
    /// In the order in which they were marked, whatever folder they are in.
    package private(set) var marked: [PickerEntry] = []
    package private(set) var size: TerminalSize
    package private(set) var levels: [PickerLevel]
    package private(set) var prompt: Prompt?
    package private(set) var work: Work?
    /// A sentence about what went wrong.
    package private(set) var notice: String?
    /// Counts the ticks.
    package private(set) var time = 0

    private var lastChoice: Action?

    package init(
        mode: PickerMode, originalName: String? = nil, allowsSeveral: Bool = false, roots: [PickerRoot],
        size: TerminalSize
    ) {
        self.mode = mode
        self.allowsSeveral = allowsSeveral
        self.originalName = originalName
        self.size = size
        levels = [PickerLevel(domains: roots)]
    }

    package var level: PickerLevel { levels[levels.count - 1] }

    /// What is to be done first: with a single domain one begins in it.
    package mutating func begin() -> [Action] {
        guard levels[0].rows.count == 1, let only = levels[0].rows.first?.folder else { return [] }
        return enter(only)
    }

    package mutating func handle(_ event: Event) -> [Action] {
        defer { scroll() }
        switch event {
        case .key(let key): return handle(key)
        case .resized(let size):
            self.size = size
            return []
        case .listed(let id, let page, let isFirst): return take(page, of: id, isFirst)
        case .notListed(let id, let problem):
            change(id) { $0.fail(problem) }
            return []
        case .found(let search, let page, let isFirst): return take(page, of: search, isFirst)
        case .notFound(let search, let problem):
            if let index = levels.firstIndex(where: { $0.search == search }) { levels[index].fail(problem) }
            return []
        case .madeFolder(let entry, let parent):
            work = nil
            change(parent) { $0.add(entry) }
            return []
        case .refused(let sentence):
            work = nil
            notice = sentence
            return []
        case .exists(let name):
            work = nil
            prompt = .replace(name)
            return []
        case .progress(let progress):
            if work != nil { work = .transferring(progress) }
            return []
        case .tick:
            time += 1
            return []
        }
    }

    // MARK: Listings

    private mutating func take(_ page: PickerListing, of id: PickerEntryID, _ isFirst: Bool) -> [Action] {
        guard let index = levels.firstIndex(where: { $0.id == id }) else { return [] }
        let isNew = levels[index].listing == nil
        levels[index].take(page, isFirst: isFirst, special: special(page))
        if page.isLoading { return [.listSoon(id)] }
        // The provider would like to begin somewhere else than in its top folder.
        if isNew, index == 1, let start = page.shape.start, start != id, levels.count == 2 {
            let next: [Action] = page.next.map { [.list(id, page: $0, refresh: false)] } ?? []
            return next + enter(start)
        }
        guard let next = page.next, !levels[index].isFull else { return [] }
        return [.list(id, page: next, refresh: false)]
    }

    private mutating func take(_ page: PickerFindings, of search: PickerLevel.Search, _ isFirst: Bool) -> [Action] {
        guard let index = levels.firstIndex(where: { $0.search == search }) else { return [] }
        levels[index].take(page, isFirst: isFirst)
        guard let next = page.next, !levels[index].isFull else { return [] }
        return [.search(search, page: next)]
    }

    private func special(_ page: PickerListing) -> [PickerRow] {
        var rows: [PickerRow] = []
        if let originalName, page.folder.isSelectable {
            rows.append(PickerRow(.here("Put “\(TerminalText.safe(originalName))” here")))
        } else if mode == .open, page.folder.isSelectable, page.parent != nil {
            rows.append(PickerRow(.here("Choose this folder")))
        }
        if page.parent == nil { rows += page.shape.places.map { PickerRow(.place($0)) } }
        return rows
    }

    private mutating func change(_ id: PickerEntryID, _ body: (inout PickerLevel) -> Void) {
        guard let index = levels.firstIndex(where: { $0.id == id }) else { return }
        body(&levels[index])
    }

    private mutating func scroll() {
        let height = PickerLayout(self).listHeight
        levels[levels.count - 1].scroll(height: height)
    }

    // MARK: Keys

    private mutating func handle(_ key: Key) -> [Action] {
        notice = nil
        if key == .control("c") { return [.cancel] }
        if work != nil { return key == .escape ? [.cancel] : [] }
        if let prompt { return answer(prompt, key) }
        let last = levels.count - 1
        switch key {
        case .escape: return [.cancel]
        case .up: levels[last].move(by: -1)
        case .down: levels[last].move(by: 1)
        case .pageUp: levels[last].move(by: 1 - PickerLayout(self).listHeight)
        case .pageDown: levels[last].move(by: PickerLayout(self).listHeight - 1)
        case .home: levels[last].move(by: -PickerLevel.mostRows)
        case .end: levels[last].move(by: PickerLevel.mostRows)
        case .right: if let folder = level.selected?.folder { return enter(folder) }
        case .left: return leave()
        case .enter: return activate()
        case .backspace:
            if level.filter.isEmpty { return leave() }
            levels[last].setFilter(String(level.filter.dropLast()))
        case .control("u"): levels[last].setFilter("")
        case .control("w"):
            let words = level.filter.split(separator: " ", omittingEmptySubsequences: true)
            levels[last].setFilter(words.dropLast().joined(separator: " "))
        case .control("f"): return startSearch()
        case .control("r"):
            if let search = level.search {
                levels[last].reload()
                return [.search(search, page: nil)]
            }
            guard let id = level.id else { return [] }
            levels[last].reload()
            return [.list(id, page: nil, refresh: true)]
        case .control("n"): startNewFolder()
        case .control("s"):
            if mode.choosesDocuments, !marked.isEmpty { return begin(.choose(marked, replacing: false)) }
            startNaming(originalName)
        case .tab: mark()
        case .character(let character): levels[last].setFilter(level.filter + String(character))
        case .paste(let text): levels[last].setFilter(level.filter + TerminalText.safe(text))
        case .delete, .control: break
        }
        return []
    }

    private mutating func enter(_ folder: PickerEntryID) -> [Action] {
        levels.append(PickerLevel(id: folder))
        return [.list(folder, page: nil, refresh: false)]
    }

    private mutating func leave() -> [Action] {
        guard levels.count > 1 else { return [] }
        let left = levels.removeLast()
        guard let parent = left.listing?.parent else {
            // Out of a domain, also when one came into it by a shortcut.
            if left.listing != nil { levels.removeLast(levels.count - 1) }
            return []
        }
        if level.search != nil {
            // Back to what was found.
            if let id = left.id { levels[levels.count - 1].select(.entry(id)) }
            return []
        }
        if level.id == parent {
            if let id = left.id { levels[levels.count - 1].select(.entry(id)) }
            return []
        }
        // One came here by a shortcut: the way out is the folder around.
        return enter(parent)
    }

    /// Below where one is, for what is typed.
    private mutating func startSearch() -> [Action] {
        // Once more, and for something else: in the same place.
        let place =
            level.search.map { ($0.folder, $0.location) }
            ?? level.listing.flatMap { listing in
                listing.folder.actions.contains(.search) ? (listing.folder.id, listing.folder.status.location) : nil
            }
        guard let (folder, location) = place else {
            notice = "Nothing can be looked for here: go into a folder first."
            return []
        }
        do throws(DocumentError) {
            let search = PickerLevel.Search(query: try PickerQuery(level.filter), folder: folder, location: location)
            if level.search != nil { levels.removeLast() } else { levels[levels.count - 1].setFilter("") }
            levels.append(PickerLevel(search))
            return [.search(search, page: nil)]
        } catch {
            notice = "Type what to look for, and press ^F then."
            return []
        }
    }

    private mutating func activate() -> [Action] {
        guard let row = level.selected else { return [] }
        switch row.content {
        case .domain, .place: return row.folder.map { enter($0) } ?? []
        case .here:
            guard let folder = level.listing?.folder else { return [] }
            if mode.choosesDocuments { return begin(.choose([folder], replacing: false)) }
            startNaming(originalName)
        case .entry(let entry):
            if let folder = row.folder { return enter(folder) }
            if !mode.choosesDocuments {
                startNaming(entry.status.item.name?.rawValue)
            } else if entry.isSelectable {
                return begin(.choose(marked.isEmpty ? [entry] : marked, replacing: false))
            } else {
                notice = PickerWords.whyNot(entry)
            }
        }
        return []
    }

    private mutating func begin(_ action: Action) -> [Action] {
        work = .checking
        lastChoice = action
        return [action]
    }

    package func isMarked(_ row: PickerRow) -> Bool {
        guard !marked.isEmpty, case .entry(let entry) = row.content else { return false }
        return marked.contains { $0.id == entry.id }
    }

    /// Marks what one is at, or takes the mark away.
    private mutating func mark() {
        guard allowsSeveral, case .entry(let entry) = level.selected?.content else { return }
        if let index = marked.firstIndex(where: { $0.id == entry.id }) {
            marked.remove(at: index)
        } else if !entry.isSelectable {
            notice = PickerWords.whyNot(entry)
            return
        } else if marked.count >= PickerSelection.mostItems {
            notice = "\(PickerSelection.mostItems) are marked, and more cannot be chosen at once."
            return
        } else {
            marked.append(entry)
        }
        levels[levels.count - 1].move(by: 1)
    }

    // MARK: Prompts

    private mutating func startNewFolder() {
        guard !mode.choosesDocuments else { return }
        guard canMakeFolder else {
            notice = "A folder cannot be made here: go into one first."
            return
        }
        prompt = .newFolder(TextField())
    }

    /// Whether folders can be made where one is (PICK-20).
    package var canMakeFolder: Bool {
        !mode.choosesDocuments && level.id != nil && level.listing?.folder.actions.contains(.create) == true
    }

    private mutating func startNaming(_ name: String?) {
        guard !mode.choosesDocuments else { return }
        guard level.id != nil, level.listing?.folder.isSelectable == true else {
            notice = "Nothing can be put here: go into a folder first."
            return
        }
        prompt = .name(TextField(name ?? ""))
    }

    private mutating func answer(_ asked: Prompt, _ key: Key) -> [Action] {
        if key == .escape {
            prompt = nil
            return []
        }
        switch asked {
        case .newFolder(var field):
            guard key == .enter else {
                if !field.handle(key), key == .backspace, field.isEmpty {
                    prompt = nil
                } else {
                    prompt = .newFolder(field)
                }
                return []
            }
            guard let id = level.id, let name = checked(field) else { return [] }
            prompt = nil
            work = .checking
            return [.makeFolder(name, in: id)]
        case .name(var field):
            guard key == .enter else {
                if !field.handle(key), key == .backspace, field.isEmpty { prompt = nil } else { prompt = .name(field) }
                return []
            }
            guard let id = level.id, let name = checked(field) else { return [] }
            prompt = nil
            return begin(.put(name, in: id, replacing: false))
        case .replace: return answerReplace(key)
        }
    }

    private mutating func answerReplace(_ key: Key) -> [Action] {
        switch key {
        case .character("y"), .character("Y"):
            prompt = nil
            switch lastChoice {
            case .choose(let entries, _): return begin(.choose(entries, replacing: true))
            case .put(let name, let id, _): return begin(.put(name, in: id, replacing: true))
            default: return []
            }
        case .character("n"), .character("N"), .enter:
            // No: another name, where one can be given.
            prompt = nil
            if case .put(let name, _, _) = lastChoice { startNaming(name.rawValue) }
        default: break
        }
        return []
    }

    private mutating func checked(_ field: TextField) -> ItemName? {
        do throws(DocumentError) {
            return try ItemName(field.text)
        } catch {
            notice = TerminalText.safe(error.message)
            return nil
        }
    }
}
