import DocumentModel

/// What the provider keeps: documents and folders, all changes of them in their order, and what it was asked before.
final class SimulatedRemote {
    struct Entry {
        var parent: ItemIdentifier
        var name: ItemName
        /// Nil: a folder.
        var contents: [UInt8]?
        /// Of a folder: it is one document.
        var isPackage = false
        var contentVersion = 1
        var version = 1
        var modified: Timestamp
        var savedBy: String?
        /// Of conflicts that nobody has resolved yet.
        var sides: [Side] = []

        var kind: ItemKind { contents != nil ? .document : isPackage ? .package : .folder }
    }

    private(set) var entries: [ItemIdentifier: Entry] = [:]
    private(set) var changes: [ItemIdentifier] = []
    /// All contents that a document ever had here, by their versions.
    private var history: [ItemIdentifier: [[UInt8]: [UInt8]]] = [:]
    /// What it answered to operations, by their names.
    private var answered: [String: Item] = [:]
    private var last = 0
    let mistake: HostMistake?
    /// Names that differ only by case or by Unicode form are the same, to it.
    private let refusesLikeNames: Bool
    /// Is told of each change.
    var onChange: () -> Void = {}

    init(mistake: HostMistake?, refusesLikeNames: Bool) {
        self.mistake = mistake
        self.refusesLikeNames = refusesLikeNames
    }

    // MARK: Looking

    func item(_ id: ItemIdentifier) throws -> Item {
        if id == .root { return .root }
        guard let entry = entries[id] else { throw DocumentError(.noSuchItem, "There is no item \(id).") }
        return Item(
            id: id, parentID: entry.parent, name: entry.name, kind: entry.kind,
            size: Int64(entry.contents?.count ?? 0), modified: entry.modified,
            version: try ItemVersion(
                content: entry.contents == nil ? [] : Self.version(entry.contentVersion),
                metadata: Array("m\(entry.version)".utf8)),
            savedBy: entry.savedBy, conflictVersions: entry.sides.count)
    }

    private static func version(_ number: Int) -> [UInt8] { Array("c\(number)".utf8) }

    /// What a version of a document stands for, also when it has other contents by now, or is gone.
    func contents(of id: ItemIdentifier, in version: ItemVersion) -> [UInt8]? { history[id]?[version.content] }

    /// Documents that ever had these contents, also those that are gone.
    func documents(thatHad contents: [UInt8]) -> [ItemIdentifier] {
        history.filter { $0.value.values.contains(contents) }.map(\.key)
    }

    func children(of folder: ItemIdentifier) -> [ItemIdentifier] {
        entries.filter { $0.value.parent == folder }.map(\.key).sorted()
    }

    func child(_ name: ItemName, of folder: ItemIdentifier) -> ItemIdentifier? {
        children(of: folder).first { entries[$0]?.name == name }
    }

    /// Who keeps others in a folder from having a name.
    private func holder(of name: ItemName, in folder: ItemIdentifier) -> ItemIdentifier? {
        guard refusesLikeNames else { return child(name, of: folder) }
        let folded = FoldedName(name)
        return children(of: folder).first { entries[$0].map { FoldedName($0.name) == folded } ?? false }
    }

    /// Of each name that several in a folder have, but for case or Unicode form, those that have it.
    var clashes: [[ItemIdentifier]] {
        let groups = Dictionary(grouping: entries.keys.sorted()) { id in
            entries[id].map { "\($0.parent)/\(FoldedName($0.name).text)" } ?? ""
        }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }

    /// Whether hosts are told of an item.
    func isTold(_ id: ItemIdentifier) -> Bool {
        guard mistake == .hidesLikeNames, let entry = entries[id] else { return true }
        let folded = FoldedName(entry.name)
        return !children(of: entry.parent).contains { other in
            other < id && entries[other].map { FoldedName($0.name) == folded } ?? false
        }
    }

    /// Nil where nothing is.
    ///
    /// - Parameter path: from the top folder, which has an empty one.
    func id(at path: String) throws -> ItemIdentifier? {
        var id = ItemIdentifier.root
        for part in path.split(separator: "/") {
            guard let next = child(try ItemName(String(part)), of: id) else { return nil }
            id = next
        }
        return id
    }

    /// Paths of all that there is.
    func tree() -> [String: Entry] {
        var tree: [String: Entry] = [:]
        for (id, entry) in entries { tree[path(of: id)] = entry }
        return tree
    }

    func path(of id: ItemIdentifier) -> String {
        guard let entry = entries[id] else { return "" }
        return path(of: entry.parent) + "/" + entry.name.rawValue
    }

    func isInside(_ id: ItemIdentifier, _ folder: ItemIdentifier) -> Bool {
        var next = id
        while next != folder {
            guard let entry = entries[next] else { return false }
            next = entry.parent
        }
        return true
    }

    /// More pages than listings of all folders have, however few items are in one.
    var pages: Int { 2 * entries.count + 1 }

    // MARK: Changing

    func create(
        _ name: ItemName, in parent: ItemIdentifier, contents: [UInt8]?, isPackage: Bool = false, modified: Timestamp,
        savedBy: String?, operation: String?
    ) throws -> Item {
        if let answer = try answer(to: operation) { return answer }
        guard parent == .root || entries[parent].map({ $0.contents == nil }) == true else {
            throw DocumentError(.noSuchItem, "There is no folder \(parent).")
        }
        guard holder(of: name, in: parent) == nil else { throw DocumentError(.nameCollision, "“\(name)” is there.") }
        last += 1
        let id = try ItemIdentifier("i\(last)")
        entries[id] = Entry(
            parent: parent, name: name, contents: contents, isPackage: isPackage, modified: modified, savedBy: savedBy)
        return try finish(id, operation)
    }

    /// What was asked for before is not done once more.
    private func answer(to operation: String?) throws -> Item? {
        guard mistake != .repeatsOperations, let operation, let answer = answered[operation] else { return nil }
        guard entries[answer.id] != nil else { throw DocumentError(.noSuchItem, "What it was about is gone.") }
        return answer
    }

    func modify(
        _ id: ItemIdentifier, base: ItemVersion, contents: [UInt8]? = nil, name: ItemName? = nil,
        parent: ItemIdentifier? = nil, modified: Timestamp? = nil, savedBy: String? = nil, operation: String? = nil
    ) throws -> Item {
        if let answer = try answer(to: operation) { return answer }
        guard try item(id).version.satisfies(base) || mistake == .ignoresBases, var entry = entries[id] else {
            throw DocumentError(.versionNoLongerAvailable, "“\(id)” was changed meanwhile.")
        }
        entry.name = name ?? entry.name
        entry.parent = parent ?? entry.parent
        guard entry.parent == .root || entries[entry.parent].map({ $0.contents == nil }) == true else {
            throw DocumentError(.noSuchItem, "There is no folder \(entry.parent).")
        }
        guard !isInside(entry.parent, id) else { throw DocumentError(.invalidArgument, "It would lie in itself.") }
        if let there = holder(of: entry.name, in: entry.parent), there != id {
            throw DocumentError(.nameCollision, "“\(entry.name)” is there.")
        }
        if let contents {
            entry.contents = contents
            entry.contentVersion += 1
            entry.savedBy = savedBy
        }
        entry.modified = modified ?? entry.modified
        entry.version += 1
        entries[id] = entry
        return try finish(id, operation)
    }

    func delete(_ id: ItemIdentifier, base: ItemVersion, recursive: Bool) throws {
        guard entries[id] != nil else { return }
        guard try item(id).version.satisfies(base) else {
            throw DocumentError(.versionNoLongerAvailable, "“\(id)” was changed meanwhile.")
        }
        let inside = children(of: id)
        guard recursive || inside.isEmpty else { throw DocumentError(.directoryNotEmpty, "“\(id)” is not empty.") }
        for child in inside { try delete(child, base: .none, recursive: true) }
        entries[id] = nil
        changes.append(id)
        onChange()
    }

    /// Sides of conflicts come and go: the item has a new version, and its contents have not.
    func setSides(_ sides: [Side], of id: ItemIdentifier) {
        entries[id]?.sides = sides
        entries[id]?.version += 1
        changes.append(id)
        onChange()
    }

    private func finish(_ id: ItemIdentifier, _ operation: String?) throws -> Item {
        changes.append(id)
        if let entry = entries[id], let contents = entry.contents {
            history[id, default: [:]][Self.version(entry.contentVersion)] = contents
        }
        onChange()
        let answer = try item(id)
        if let operation { answered[operation] = answer }
        return answer
    }
}
