package import DocumentModel

/// What a transaction did to an item.
package struct ItemChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case appeared
        case changed
        case moved(from: Location)
        case removed(from: Location)
    }

    package var domain: DomainName
    package var id: ItemIdentifier
    package var kind: Kind

    package init(domain: DomainName, id: ItemIdentifier, kind: Kind) {
        self.domain = domain
        self.id = id
        self.kind = kind
    }
}

/// The writing connection's own note of which rows a transaction touches, made by triggers: whoever changes the table, and
/// however, it is noted. They exist only while somebody wants to know, and cost nothing else.
enum ChangeLog {
    static let begin = """
        CREATE TEMP TABLE item_change (
            number INTEGER PRIMARY KEY, kind INTEGER, row INTEGER, domain INTEGER, id TEXT, parent INTEGER, name TEXT
        );
        CREATE TEMP TRIGGER item_appeared AFTER INSERT ON main.item BEGIN
            INSERT INTO item_change (kind, row, domain, id, parent, name)
            VALUES (0, new.row, new.domain, new.id, new.parent, new.name);
        END;
        CREATE TEMP TRIGGER item_changed AFTER UPDATE OF id, size, modified, content, metadata, capabilities, state, gone,
            pinned, paused, local_inode, local_size, problem_code, problem ON main.item
        WHEN old.id IS NOT new.id OR old.size IS NOT new.size OR old.modified IS NOT new.modified
            OR old.content IS NOT new.content OR old.metadata IS NOT new.metadata
            OR old.capabilities IS NOT new.capabilities OR old.state IS NOT new.state OR old.gone IS NOT new.gone
            OR old.pinned IS NOT new.pinned OR old.paused IS NOT new.paused OR old.local_inode IS NOT new.local_inode
            OR old.local_size IS NOT new.local_size OR old.problem_code IS NOT new.problem_code
            OR old.problem IS NOT new.problem
        BEGIN
            INSERT INTO item_change (kind, row, domain, id, parent, name)
            VALUES (1, new.row, new.domain, new.id, new.parent, new.name);
        END;
        CREATE TEMP TRIGGER item_moved AFTER UPDATE OF parent, name ON main.item
        WHEN old.parent IS NOT new.parent OR old.name IS NOT new.name
        BEGIN
            INSERT INTO item_change (kind, row, domain, id, parent, name)
            VALUES (2, new.row, new.domain, new.id, old.parent, old.name);
        END;
        CREATE TEMP TRIGGER item_removed AFTER DELETE ON main.item BEGIN
            INSERT INTO item_change (kind, row, domain, id, parent, name)
            VALUES (3, old.row, old.domain, old.id, old.parent, old.name);
        END;
        """

    static let end = """
        DROP TRIGGER IF EXISTS temp.item_appeared;
        DROP TRIGGER IF EXISTS temp.item_changed;
        DROP TRIGGER IF EXISTS temp.item_moved;
        DROP TRIGGER IF EXISTS temp.item_removed;
        DROP TABLE IF EXISTS temp.item_change;
        """

    private struct Note {
        var kind: Int64
        var row: Int64
        var domain: Int64
        var id: String
        var parent: Int64?
        var name: String
    }

    /// What the transaction has noted so far, in its order; it is forgotten with that.
    static func take(from index: IndexReader) throws -> [ItemChange] {
        let notes = try index.sql.all(
            "SELECT kind, row, domain, id, parent, name FROM temp.item_change ORDER BY number"
        ) {
            Note(
                kind: $0.int(0), row: $0.int(1), domain: $0.int(2), id: $0.text(3), parent: $0.optionalInt(4),
                name: $0.text(5))
        }
        guard !notes.isEmpty else { return [] }
        try index.sql.run("DELETE FROM temp.item_change")
        let names = try index.sql.all("SELECT number, name FROM domain") { ($0.int(0), try DomainName($0.text(1))) }
        let domains = Dictionary(names) { first, _ in first }
        let removed = Dictionary(notes.filter { $0.kind == 3 }.map { ($0.row, $0) }) { _, last in last }
        // Of a domain that went with its items only that is told.
        return try notes.compactMap { note in
            guard let domain = domains[note.domain] else { return nil }
            let kind: ItemChange.Kind
            switch note.kind {
            case 0: kind = .appeared
            case 1: kind = .changed
            default:
                guard let place = try place(of: note, domain, removed, index) else { return nil }
                kind = note.kind == 2 ? .moved(from: place) : .removed(from: place)
            }
            return ItemChange(domain: domain, id: try ItemIdentifier(note.id), kind: kind)
        }
    }

    /// Where something was: in a folder that is still there, or went with it.
    private static func place(
        of note: Note, _ domain: DomainName, _ removed: [Int64: Note], _ index: IndexReader
    ) throws -> Location? {
        guard let name = try? ItemName(note.name) else { return nil }
        var names = [name]
        var next = note.parent
        while let row = next, let folder = removed[row], names.count < IndexReader.maximumDepth {
            guard folder.parent != nil, let name = try? ItemName(folder.name) else { break }
            names.append(name)
            next = folder.parent
        }
        // One that is not shown because of its name has no place for others.
        let around = next.flatMap { try? index.place(of: $0) } ?? []
        return Location(domain: domain, components: around + names.reversed())
    }
}
