import DocumentModel
import DocumentStorage

/// Which bookmarks each tool has started, how often, and what they allow meanwhile (BOOK-2). Without I/O.
struct BookmarkAccesses {
    /// A tool that has started as many without stopping them has lost sight of them.
    static let mostOfOneTool = 1_000

    /// What a started bookmark allows.
    struct Scope: Hashable {
        var item: ItemKey
        var rights: BookmarkRights
        /// Seconds since 1970; nil for never.
        var expires: Int64?
        /// The bookmark that was started: what is made because of it ends with it.
        var origin: BookmarkIdentifier?
    }

    enum Start: Equatable {
        case granted
        /// Too many were not stopped. The tool gets no more until its connection ends.
        case leaking(open: Int)
    }

    private struct Entry {
        var scope: Scope
        /// The tool's own, which it has to stop.
        var starts = 0
        /// Of accesses, which end by themselves.
        var uses = 0
        /// It still counts, since the tool has still to stop it; it allows nothing.
        var isRevoked = false
    }

    private struct ToolState {
        var entries: [BookmarkIdentifier: Entry] = [:]
        var open = 0
        var isLeaking = false
    }

    private var tools: [UInt64: ToolState] = [:]

    /// - Parameter isForAccess: it ends with an access, and the tool has nothing to stop.
    mutating func start(
        _ id: BookmarkIdentifier, _ scope: Scope, by tool: UInt64, isForAccess: Bool = false
    ) -> Start {
        var state = tools[tool] ?? ToolState()
        if state.open >= Self.mostOfOneTool, !isForAccess { state.isLeaking = true }
        defer { tools[tool] = state }
        guard !state.isLeaking else { return .leaking(open: state.open) }
        // What it allows is as of now: an item that was made anew has another identifier.
        var entry = Entry(scope: scope)
        (entry.starts, entry.uses) = state.entries[id].map { ($0.starts, $0.uses) } ?? (0, 0)
        if isForAccess {
            entry.uses += 1
        } else {
            entry.starts += 1
            state.open += 1
        }
        state.entries[id] = entry
        return .granted
    }

    /// - Returns: whether it was started more often than it was stopped.
    mutating func stop(_ id: BookmarkIdentifier, by tool: UInt64, isForAccess: Bool = false) -> Bool {
        guard var entry = tools[tool]?.entries[id], (isForAccess ? entry.uses : entry.starts) > 0 else { return false }
        if isForAccess {
            entry.uses -= 1
        } else {
            entry.starts -= 1
            tools[tool]?.open -= 1
        }
        tools[tool]?.entries[id] = entry.starts + entry.uses > 0 ? entry : nil
        return true
    }

    /// For every tool, at once.
    mutating func revoke(_ id: BookmarkIdentifier) {
        for tool in tools.keys { tools[tool]?.entries[id]?.isRevoked = true }
    }

    /// - Returns: how many the tool had not stopped.
    mutating func end(_ tool: UInt64) -> Int {
        tools.removeValue(forKey: tool)?.open ?? 0
    }

    /// What one started bookmark allows; nil when it allows nothing.
    func scope(_ id: BookmarkIdentifier, of tool: UInt64, at now: Int64) -> Scope? {
        guard let entry = tools[tool]?.entries[id] else { return nil }
        return Self.allowed(entry, now)
    }

    /// What a tool's started bookmarks allow together.
    func scopes(of tool: UInt64, at now: Int64) -> [Scope] {
        tools[tool]?.entries.values.compactMap { Self.allowed($0, now) } ?? []
    }

    private static func allowed(_ entry: Entry, _ now: Int64) -> Scope? {
        guard !entry.isRevoked, entry.scope.expires.map({ now < $0 }) ?? true else { return nil }
        return entry.scope
    }
}
