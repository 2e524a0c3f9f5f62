package import DocumentModel
package import DocumentSync

/// A provider and the store behind it: conditional writes, names for operations, and a feed of changes.
package struct SimulatedProvider {
    package enum Call: Hashable {
        case create(SyncPlace, ItemKind, contents: UInt64?, VersionStamp, name: String, replacing: Bool)
        /// No base: whatever is there is replaced.
        case send(ItemIdentifier, base: [UInt8]?, contents: UInt64, VersionStamp, name: String)
        case relocate(ItemIdentifier, from: SyncPlace, to: SyncPlace)
        case delete(ItemIdentifier, base: [UInt8], recursive: Bool)
        case fetch(ItemIdentifier, version: [UInt8])
        case look(ItemIdentifier)
        case changes(since: Int)
        case list
    }

    package enum Reply: Hashable {
        case item(ItemIdentifier, SyncTrees.Remote, contents: UInt64?)
        case deleted
        case changes([Change], anchor: Int, isComplete: Bool)
        case failure(DocumentError.Code)
    }

    package struct Change: Hashable {
        var id: ItemIdentifier
        var sighting: SyncTrees.Sighting<SyncTrees.Remote>

        package init(id: ItemIdentifier, sighting: SyncTrees.Sighting<SyncTrees.Remote>) {
            self.id = id
            self.sighting = sighting
        }
    }

    /// A version of one item: some servers call versions of several items the same.
    private struct VersionKey: Hashable {
        var id: ItemIdentifier
        var version: [UInt8]
    }

    struct Stored: Hashable {
        var remote: SyncTrees.Remote
        var contents: UInt64?
        var sequence: Int
        /// What it was called when it was made.
        var firstName: ItemName
        /// A document that somebody made at the provider's own place, and no machine.
        var isMadeThere: Bool
    }

    let root: ItemIdentifier = .root
    let allowsClashes: Bool
    private(set) var items: [ItemIdentifier: Stored] = [:]
    private(set) var tombstones: [ItemIdentifier: Int] = [:]
    private(set) var sequence = 0
    private var contentsOfVersion: [VersionKey: UInt64] = [:]
    private var stampOfVersion: [VersionKey: VersionStamp] = [:]
    /// Answers by the operations' names.
    private var answers: [String: Reply] = [:]
    /// What must not happen here, and did.
    private(set) var complaint: String?

    static let pageSize = 4

    package init(allowsClashes: Bool) { self.allowsClashes = allowsClashes }

    package var identifiers: [ItemIdentifier] { items.keys.sorted() }

    func contents(of id: ItemIdentifier, version: [UInt8]) -> UInt64? {
        contentsOfVersion[VersionKey(id: id, version: version)]
    }

    func stamp(of id: ItemIdentifier, version: [UInt8]) -> VersionStamp? {
        stampOfVersion[VersionKey(id: id, version: version)]
    }

    mutating func answer(_ call: Call) -> Reply {
        switch call {
        case .create(let place, let kind, let contents, let stamp, let name, let replacing):
            if let known = answers[name] { return stillThere(known) }
            let reply = create(place, kind, contents, stamp, replacing: replacing)
            if case .item = reply { answers[name] = reply }
            return reply
        case .send(let id, let base, let contents, let stamp, let name):
            if let known = answers[name] { return stillThere(known) }
            guard let item = items[id] else { return .failure(.noSuchItem) }
            guard base == nil || base == item.remote.version else { return .failure(.versionNoLongerAvailable) }
            // VER-12: whoever wrote this had seen what it replaces.
            if stamp <= item.remote.stamp { complain("\(id) got contents with an earlier stamp than it had") }
            let reply = write(id, contents, stamp)
            answers[name] = reply
            return reply
        case .relocate(let id, let from, let place):
            guard let item = items[id] else { return .failure(.noSuchItem) }
            if item.remote.place == place { return reply(id) }
            guard item.remote.place == from else { return .failure(.versionNoLongerAvailable) }
            return move(id, to: place)
        case .delete(let id, let base, let recursive):
            guard let item = items[id] else { return .failure(.noSuchItem) }
            guard item.remote.version == base else { return .failure(.versionNoLongerAvailable) }
            let children = identifiers.filter { items[$0]?.remote.place.parentID == id }
            guard recursive || children.isEmpty else { return .failure(.directoryNotEmpty) }
            delete(id)
            return .deleted
        case .fetch(let id, let version):
            guard let item = items[id] else { return .failure(.noSuchItem) }
            guard version.isEmpty || item.remote.version == version else {
                return .failure(.versionNoLongerAvailable)
            }
            return reply(id)
        case .look(let id): return items[id] == nil ? .failure(.noSuchItem) : reply(id)
        case .changes(let anchor): return changes(since: anchor)
        case .list:
            let all = identifiers.compactMap { id in
                items[id].map { Change(id: id, sighting: .present($0.remote)) }
            }
            return .changes(all, anchor: sequence, isComplete: true)
        }
    }

    private func changes(since anchor: Int) -> Reply {
        var news: [(Int, Change)] = []
        for (id, item) in items where item.sequence > anchor {
            news.append((item.sequence, Change(id: id, sighting: .present(item.remote))))
        }
        for (id, sequence) in tombstones where sequence > anchor {
            news.append((sequence, Change(id: id, sighting: .gone)))
        }
        news.sort { $0.0 < $1.0 }
        let page = news.prefix(Self.pageSize)
        return .changes(page.map(\.1), anchor: page.last?.0 ?? anchor, isComplete: page.count == news.count)
    }

    private func reply(_ id: ItemIdentifier) -> Reply {
        guard let item = items[id] else { return .failure(.noSuchItem) }
        return .item(id, item.remote, contents: item.contents)
    }

    /// What was answered once, unless the item is gone since.
    private func stillThere(_ reply: Reply) -> Reply {
        guard case .item(let id, _, _) = reply, items[id] == nil else { return reply }
        return .failure(.noSuchItem)
    }

    // MARK: A server's likeness

    /// A document of a server is seen to have a version.
    package mutating func mirror(_ id: ItemIdentifier, _ remote: SyncTrees.Remote, contents: UInt64) {
        note(id, version: remote.version, contents, remote.stamp)
        items[id] = Stored(
            remote: remote, contents: contents, sequence: 0, firstName: remote.place.name, isMadeThere: false)
    }

    /// A document of a server is seen to be gone.
    package mutating func mirrorRemoval(_ id: ItemIdentifier) { items[id] = nil }

    // MARK: What is done

    mutating func create(
        _ place: SyncPlace, _ kind: ItemKind, _ contents: UInt64?, _ stamp: VersionStamp, replacing: Bool = false
    ) -> Reply {
        guard isFolder(place.parentID) else { return .failure(.noSuchItem) }
        if let other = holder(of: place) {
            guard replacing, kind != .folder, items[other]?.remote.kind == kind, let contents else {
                return .failure(.nameCollision)
            }
            return write(other, contents, stamp)
        }
        guard let id = try? ItemIdentifier("p\(sequence + 1)") else { return .failure(.internal) }
        items[id] = Stored(
            remote: .init(place: place, kind: kind, version: [], stamp: stamp), sequence: 0,
            firstName: place.name, isMadeThere: stamp.device == 0 && kind != .folder)
        if let contents { return write(id, contents, stamp) }
        touch(id)
        return reply(id)
    }

    @discardableResult mutating func write(_ id: ItemIdentifier, _ contents: UInt64, _ stamp: VersionStamp) -> Reply {
        if contents & Ledger.damage != 0 { complain("the provider was given damaged contents for \(id)") }
        touch(id)
        let version = PlannerCase.bytes(UInt64(sequence))
        note(id, version: version, contents, stamp)
        items[id]?.contents = contents
        items[id]?.remote.version = version
        items[id]?.remote.stamp = stamp
        return reply(id)
    }

    @discardableResult mutating func move(_ id: ItemIdentifier, to place: SyncPlace) -> Reply {
        guard isFolder(place.parentID) else { return .failure(.noSuchItem) }
        if let other = holder(of: place), other != id { return .failure(.nameCollision) }
        var next = place.parentID
        while next != root {
            guard next != id, let above = items[next]?.remote.place.parentID else { return .failure(.invalidArgument) }
            next = above
        }
        items[id]?.remote.place = place
        touch(id)
        return reply(id)
    }

    /// With everything below.
    mutating func delete(_ id: ItemIdentifier) {
        for child in identifiers where items[child]?.remote.place.parentID == id { delete(child) }
        items[id] = nil
        sequence += 1
        tombstones[id] = sequence
    }

    private mutating func note(_ id: ItemIdentifier, version: [UInt8], _ contents: UInt64, _ stamp: VersionStamp) {
        contentsOfVersion[VersionKey(id: id, version: version)] = contents
        stampOfVersion[VersionKey(id: id, version: version)] = stamp
    }

    private mutating func touch(_ id: ItemIdentifier) {
        sequence += 1
        items[id]?.sequence = sequence
    }

    private mutating func complain(_ text: String) { complaint = complaint ?? text }

    func isFolder(_ id: ItemIdentifier) -> Bool { id == root || items[id]?.remote.kind == .folder }

    func holder(of place: SyncPlace) -> ItemIdentifier? {
        identifiers.first { id in
            guard let other = items[id]?.remote.place, other.parentID == place.parentID else { return false }
            if allowsClashes { return other.name == place.name }
            return PlannerCase.folded(other.name) == PlannerCase.folded(place.name)
        }
    }
}
