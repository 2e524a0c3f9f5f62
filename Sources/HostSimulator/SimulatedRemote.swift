import DocumentModel

/// What the provider keeps: documents and folders, all changes of them in their order, and what it was asked before.
final class SimulatedRemote {
    struct Entry {
        var parent: ItemIdentifier
        var name: ItemName
        /// Nil: a folder.
        var contents: [UInt8]?
        var contentVersion = 1
        var version = 1
        var modified: Timestamp
        var savedBy: String?
    }

    private(set) var entries: [ItemIdentifier: Entry] = [:]
    private(set) var changes: [ItemIdentifier] = []
    private var answered: [String: ItemIdentifier] = [:]
    private var last = 0
    /// Is told of each change.
    var onChange: () -> Void = {}

    // MARK: Looking

    func item(_ id: ItemIdentifier) throws -> Item {
        if id == .root { return .root }
        guard let entry = entries[id] else { throw DocumentError(.noSuchItem, "There is no item \(id).") }
        return Item(
            id: id, parentID: entry.parent, name: entry.name, kind: entry.contents == nil ? .folder : .document,
            size: Int64(entry.contents?.count ?? 0), modified: entry.modified,
            version: try ItemVersion(
                content: entry.contents == nil ? [] : Array("c\(entry.contentVersion)".utf8),
                metadata: Array("m\(entry.version)".utf8)),
            savedBy: entry.savedBy)
    }

    func children(of folder: ItemIdentifier) -> [ItemIdentifier] {
        entries.filter { $0.value.parent == folder }.map(\.key).sorted()
    }

    func child(_ name: ItemName, of folder: ItemIdentifier) -> ItemIdentifier? {
        children(of: folder).first { entries[$0]?.name == name }
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

    // MARK: Changing

    func answer(to operation: String) -> ItemIdentifier? { answered[operation].flatMap { entries[$0] == nil ? nil : $0 } }

    func create(
        _ name: ItemName, in parent: ItemIdentifier, contents: [UInt8]?, modified: Timestamp, savedBy: String?,
        operation: String?
    ) throws -> ItemIdentifier {
        if let operation, let id = answered[operation] {
            guard entries[id] != nil else { throw DocumentError(.noSuchItem, "What was made is gone.") }
            return id
        }
        guard parent == .root || entries[parent].map({ $0.contents == nil }) == true else {
            throw DocumentError(.noSuchItem, "There is no folder \(parent).")
        }
        guard child(name, of: parent) == nil else { throw DocumentError(.nameCollision, "“\(name)” is there.") }
        last += 1
        let id = try ItemIdentifier("i\(last)")
        entries[id] = Entry(parent: parent, name: name, contents: contents, modified: modified, savedBy: savedBy)
        finish(id, operation)
        return id
    }

    func modify(
        _ id: ItemIdentifier, base: ItemVersion, contents: [UInt8]? = nil, name: ItemName? = nil,
        parent: ItemIdentifier? = nil, modified: Timestamp? = nil, savedBy: String? = nil, operation: String? = nil
    ) throws {
        if let operation, answered[operation] == id, entries[id] != nil { return }
        guard try item(id).version.satisfies(base), var entry = entries[id] else {
            throw DocumentError(.versionNoLongerAvailable, "“\(id)” was changed meanwhile.")
        }
        entry.name = name ?? entry.name
        entry.parent = parent ?? entry.parent
        guard entry.parent == .root || entries[entry.parent].map({ $0.contents == nil }) == true else {
            throw DocumentError(.noSuchItem, "There is no folder \(entry.parent).")
        }
        guard !isInside(entry.parent, id) else { throw DocumentError(.invalidArgument, "It would lie in itself.") }
        if let there = child(entry.name, of: entry.parent), there != id {
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
        finish(id, operation)
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
        finish(id, nil)
    }

    private func finish(_ id: ItemIdentifier, _ operation: String?) {
        if let operation { answered[operation] = id }
        changes.append(id)
        onChange()
    }
}
