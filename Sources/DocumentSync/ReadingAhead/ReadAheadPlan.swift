package import DocumentModel

/// Which documents of a domain are fetched ahead of programs that open the documents of a folder one after the other (DOWN-9): a
/// state machine without I/O.
///
/// After a few opens that had to wait, some of the next ones are fetched. Each one that is used lets the window grow by one, so
/// that it doubles when all of it is used; each open of one that was not foreseen halves it, and what was fetched for nothing
/// does not count any more. When nothing is left of it, more opens are needed the next time.
package struct ReadAheadPlan: Sendable {
    package typealias Document = ReadAheadOrder.Document

    package struct Rules: Hashable, Sendable {
        /// So many opens that wait, one after the other, say that a program goes on.
        package var opens = 2
        /// The most that are needed after guesses that were wrong.
        package var mostOpens = 64
        /// How many documents of a folder are fetched and not used yet, at first and at most.
        package var firstWindow = 4
        package var largestWindow = 64
        /// The same in bytes, of all folders.
        package var mostBytes: Int64 = 16 << 20
        /// How many come at once, of all folders; and how many while somebody waits for something else.
        package var mostAtOnce = 16
        package var fewestAtOnce = 1
        /// After so long without an open a program does not go on.
        package var patience = Duration.seconds(10)
        /// Folders that programs are in the middle of.
        package var mostFolders = 8

        package init() {}
    }

    private struct Folder: Sendable {
        /// Opens that had to wait, one after the other.
        var run = 0
        /// Nil: nothing is foreseen.
        var window: Int?
        var order: ReadAheadOrder?
        /// Those that were opened last, for who looks up the others.
        var recent: [ItemIdentifier] = []
        /// Fetched, or on their way, and not used yet: those that the window is of.
        var foreseen: Set<ItemIdentifier> = []
        var used = 0
        var openedAt: Duration

        mutating func opened(_ id: ItemIdentifier, at now: Duration) {
            openedAt = now
            order?.opened(id)
            recent = (recent + [id]).suffix(4)
        }
    }

    private struct Ahead: Sendable {
        let folder: ItemIdentifier
        let size: Int64
        var isUnderWay = true
    }

    private let rules: Rules
    private var folders: [ItemIdentifier: Folder] = [:]
    /// All that nobody has used yet.
    private var ahead: [ItemIdentifier: Ahead] = [:]
    private var bytes: Int64 = 0
    /// On their way, also those that somebody waits for by now, with the folders that they are in.
    private var underWay: [ItemIdentifier: ItemIdentifier] = [:]
    private var opensNeeded: Int
    /// Until when a folder that is new needs one open only, because the program went on in the one before it.
    private var trustedUntil = Duration.zero
    /// The order that it went in there.
    private var favourite = 0

    package init(rules: Rules = Rules()) {
        self.rules = rules
        opensNeeded = rules.opens
    }

    /// Whether nothing is remembered.
    package var isIdle: Bool { folders.isEmpty && ahead.isEmpty && underWay.isEmpty }

    /// Whether anything is foreseen anywhere.
    package var isFetching: Bool { folders.values.contains { $0.window != nil } }

    /// Whether a program opens documents of a folder one after the other, so that the next ones are foreseen.
    package func isReading(_ folder: ItemIdentifier) -> Bool { folders[folder]?.window != nil }

    /// Fetched ahead, or on its way, and used by nobody yet.
    package func isUnused(_ id: ItemIdentifier) -> Bool { ahead[id] != nil }

    package var unusedCount: Int { ahead.count }
    package var unusedBytes: Int64 { bytes }
    package var underWayCount: Int { underWay.count }

    // MARK: What programs do

    /// A program opens a document that is not here, and waits for it.
    ///
    /// - Returns: whether the documents of the folder are to be looked up, and given to ``found(_:in:)``.
    package mutating func waits(for id: ItemIdentifier, in folder: ItemIdentifier, at now: Duration) -> Bool {
        forget(at: now)
        guard !use(id, at: now) else { return false }
        var state = folders[folder] ?? Folder(openedAt: now)
        let isNear = state.order?.isNear(id) ?? false
        state.run += 1
        state.opened(id, at: now)
        if let window = state.window {
            // Just before it was its turn: the program is faster than we are.
            if !isNear { miss(window, &state) }
        } else if state.run >= (now < trustedUntil ? 1 : opensNeeded) {
            state.window = rules.firstWindow
            state.used = 0
        }
        let isWanted = state.window != nil && state.order?.contains(id) != true
        folders[folder] = state
        if folders.count > rules.mostFolders, let oldest = folders.min(by: { $0.value.openedAt < $1.value.openedAt }) {
            end(oldest.key)
        }
        return isWanted
    }

    /// A document that is here is opened.
    package mutating func opened(_ id: ItemIdentifier, at now: Duration) {
        forget(at: now)
        _ = use(id, at: now)
    }

    /// The documents of a folder, which somebody has looked up.
    package mutating func found(_ order: ReadAheadOrder, in folder: ItemIdentifier) {
        guard var state = folders[folder], state.window != nil else { return }
        var order = order
        order.favourite = favourite
        for id in ahead.keys { order.take(id) }
        for id in underWay.keys { order.take(id) }
        for id in state.recent { order.opened(id) }
        state.order = order
        folders[folder] = state
    }

    // MARK: What is fetched

    /// - Parameter yielding: whether somebody waits for something else.
    /// - Returns: what is to be fetched now; to be followed by ``ended(_:wasFetched:)`` or ``failed(_:)``.
    package mutating func next(yielding: Bool, at now: Duration) -> (document: Document, folder: ItemIdentifier)? {
        guard underWay.count < (yielding ? rules.fewestAtOnce : rules.mostAtOnce) else { return nil }
        // Where somebody was last comes first.
        for (id, folder) in folders.sorted(by: { $0.value.openedAt > $1.value.openedAt }) {
            guard let window = folder.window, folder.foreseen.count < window, now < folder.openedAt + rules.patience,
                let document = folders[id]?.order?.next()
            else { continue }
            guard bytes + document.size <= rules.mostBytes else { return nil }
            folders[id]?.foreseen.insert(document.id)
            ahead[document.id] = Ahead(folder: id, size: document.size)
            bytes += document.size
            underWay[document.id] = id
            return (document, id)
        }
        return nil
    }

    /// - Parameter wasFetched: false when it was here already, or was not to be fetched.
    package mutating func ended(_ id: ItemIdentifier, wasFetched: Bool) {
        let folder = underWay.removeValue(forKey: id)
        ahead[id]?.isUnderWay = false
        if !wasFetched || folder.map({ folders[$0] == nil }) ?? true { remove(id) }
    }

    /// It could not be fetched, nor could others, perhaps: nothing more is fetched in its folder before opens say so anew.
    package mutating func failed(_ id: ItemIdentifier) {
        let folder = underWay.removeValue(forKey: id)
        remove(id)
        if let folder { collapse(folder) }
    }

    // MARK: Right and wrong

    /// - Returns: false when it was not fetched ahead.
    private mutating func use(_ id: ItemIdentifier, at now: Duration) -> Bool {
        guard let folder = ahead[id]?.folder else { return false }
        remove(id)
        guard var state = folders[folder] else { return true }
        state.opened(id, at: now)
        state.used += 1
        if let window = state.window {
            state.window = min(window + 1, rules.largestWindow)
            if state.used >= rules.firstWindow {
                opensNeeded = rules.opens
                trustedUntil = now + rules.patience
                if let order = state.order { favourite = order.best }
            }
        }
        folders[folder] = state
        return true
    }

    /// Something else was opened than what was foreseen. While nothing is fetched yet, nothing is wrong.
    private mutating func miss(_ window: Int, _ state: inout Folder) {
        guard !state.foreseen.isEmpty else { return }
        state.foreseen = []
        guard window > 1 else { return wrong(&state) }
        state.window = window / 2
    }

    private mutating func collapse(_ folder: ItemIdentifier) {
        guard var state = folders[folder], state.window != nil else { return }
        wrong(&state)
        folders[folder] = state
    }

    private mutating func wrong(_ state: inout Folder) {
        state.window = nil
        state.run = 0
        state.order = nil
        opensNeeded = min(opensNeeded * 2, rules.mostOpens)
        trustedUntil = .zero
    }

    private mutating func remove(_ id: ItemIdentifier) {
        guard let removed = ahead.removeValue(forKey: id) else { return }
        bytes -= removed.size
        folders[removed.folder]?.foreseen.remove(id)
    }

    /// Programs that went on for a while, and do so no more.
    private mutating func forget(at now: Duration) {
        for (id, folder) in folders where now >= folder.openedAt + rules.patience {
            if folder.foreseen.count > folder.used { collapse(id) }
            end(id)
        }
    }

    /// What it has fetched stays, and whoever uses it later does so without waiting; it is no business of the plan any more.
    private mutating func end(_ folder: ItemIdentifier) {
        folders[folder] = nil
        for (id, document) in ahead where document.folder == folder && !document.isUnderWay { remove(id) }
    }
}
