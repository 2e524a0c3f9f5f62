import DocumentModel

/// What the picker says.
enum PickerWords {
    static func title(_ model: PickerModel) -> String {
        switch model.mode {
        case .import: model.allowsSeveral ? "Import documents" : "Import a document"
        case .open: model.allowsSeveral ? "Open documents" : "Open a document"
        case .export: "Export “\(TerminalText.safe(model.originalName ?? ""))”"
        case .move: "Move “\(TerminalText.safe(model.originalName ?? ""))”"
        }
    }

    /// In one character.
    static func mark(_ state: ItemState, _ glyphs: PickerGlyphs) -> String {
        switch state {
        case .placeholder: glyphs.away
        case .materialising: glyphs.coming
        case .materialised: glyphs.here
        case .outdated: glyphs.outdated
        case .changed, .sending: glyphs.going
        case .conflict, .nameClash: glyphs.trouble
        }
    }

    static func state(_ status: ItemStatus) -> String {
        if status.item.kind.isFolder { return status.problem == nil ? "" : "problem" }
        let percent = status.progress.flatMap { progress in
            progress.expected.map { $0 > 0 ? " \(min(100, progress.done * 100 / $0)) %" : "" }
        }
        switch status.state {
        case .placeholder: return status.problem == nil ? "elsewhere" : "problem"
        case .materialising: return "coming\(percent ?? "")"
        case .materialised: return "here"
        case .outdated: return "outdated"
        case .changed: return status.problem == nil ? "not sent" : "problem"
        case .sending: return "sending\(percent ?? "")"
        case .conflict: return "conflict"
        case .nameClash: return "name clash"
        }
    }

    static func state(_ root: PickerRoot) -> String {
        if root.problem != nil { return "problem" }
        if root.isDropBox { return "drop box" }
        return root.capabilities.contains(.write) ? "" : "read-only"
    }

    static func whyNot(_ entry: PickerEntry) -> String {
        let name = TerminalText.safe(entry.status.item.name?.rawValue ?? "")
        if entry.status.state == .nameClash {
            return "“\(name)” cannot be chosen: another name here is the same but for case."
        }
        if entry.status.item.kind == .folder { return "“\(name)” is a folder, and folders are not asked for." }
        if entry.status.item.kind == .package {
            return
                "“\(name)” is a folder that is one document (\(entry.status.item.contentType)), which is not asked for."
        }
        return "“\(name)” is of the type \(entry.status.item.contentType), which is not asked for."
    }

    /// What there is to say of the row that one is at.
    static func remark(_ model: PickerModel) -> String {
        switch model.level.selected?.content {
        case .domain(let root): return root.problem.map { TerminalText.safe($0.message) } ?? ""
        case .entry(let entry):
            if let problem = entry.status.problem { return TerminalText.safe(problem.message) }
            let isDocument = entry.status.item.kind != .folder
            return isDocument && !entry.isSelectable && model.mode.choosesDocuments ? whyNot(entry) : ""
        case .place, .here, nil: return ""
        }
    }

    /// Where one is.
    static func place(_ model: PickerModel) -> String {
        if let search = model.level.search {
            return TerminalText.safe("“\(search.query.text)” below \(search.location)")
        }
        return model.level.listing.map { TerminalText.safe($0.folder.status.location.description) } ?? ""
    }

    /// A sentence above the items; empty for none.
    static func message(_ level: PickerLevel) -> String {
        if level.isIncomplete { return "Folders that nobody has looked into yet are left out." }
        return level.listing?.shape.message ?? ""
    }

    /// Why there is nothing in the list.
    static func emptiness(_ model: PickerModel) -> String {
        let level = model.level
        if let problem = level.problem { return TerminalText.safe(problem) }
        if level.isLoading { return "Loading…" }
        if !level.filter.isEmpty { return "Nothing matches “\(level.filter)”." }
        if level.search != nil { return "Nothing was found." }
        return level.id == nil ? "There is no domain." : "Nothing is here."
    }

    static func help(_ model: PickerModel, _ glyphs: PickerGlyphs) -> [String] {
        if model.work != nil { return ["Esc cancel"] }
        switch model.prompt {
        case .newFolder: return ["\(glyphs.enter) make it", "Esc back"]
        case .name: return ["\(glyphs.enter) put it here", "Esc back"]
        case .replace: return ["y replace", "n another name", "Esc back"]
        case nil: break
        }
        let choice = model.marked.isEmpty ? "choose" : "choose \(model.marked.count)"
        var hints = ["Esc cancel", "\(glyphs.enter) \(choice)"]
        if model.allowsSeveral { hints.append("Tab mark") }
        if model.levels.count > 1 { hints.append("\(glyphs.left) back") }
        hints.append("\(glyphs.right) into")
        if !model.mode.choosesDocuments, model.levels.count > 1 {
            hints.append("^S name")
            if model.canMakeFolder { hints.append("^N new folder") }
        }
        if !model.level.filter.isEmpty, model.level.id != nil || model.level.search != nil {
            hints.append("^F search below")
        }
        hints += ["\(glyphs.upDown) move", "^R refresh"]
        return hints
    }
}

/// The characters of the picker that not every terminal can show.
package struct PickerGlyphs: Hashable, Sendable {
    var pointer, marked, here, away, coming, going, outdated, trouble, enter, left, right, upDown, ellipsis, filled,
        unfilled: String
    var spinner: [String]

    package static let unicode = PickerGlyphs(
        pointer: "❯", marked: "✓", here: "●", away: "○", coming: "↓", going: "↑", outdated: "◐", trouble: "!",
        enter: "⏎", left: "←",
        right: "→", upDown: "↑↓", ellipsis: "…", filled: "█", unfilled: "░", spinner: ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"])

    package static let ascii = PickerGlyphs(
        pointer: ">", marked: "+", here: "*", away: "-", coming: "v", going: "^", outdated: "~", trouble: "!",
        enter: "Enter",
        left: "Left", right: "Right", upDown: "Up/Down", ellipsis: "...", filled: "#", unfilled: ".",
        spinner: ["|", "/", "-", "\\"])
}
