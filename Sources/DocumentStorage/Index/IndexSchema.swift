internal import DocumentModel
internal import GRDB

/// The tables, and how they came to be what they are. Old versions are brought up to date when the index is opened;
/// newer ones are refused.
enum IndexSchema {
    /// “Dcnt”: what `file` and other programs may tell the database by.
    private static let applicationID: Int64 = 0x4463_6E74

    static func migrate(_ connection: SQLConnection, path: String) throws {
        let identifier = try connection.first("PRAGMA application_id") { $0.int(0) } ?? 0
        let version = Int(try connection.first("PRAGMA user_version") { $0.int(0) } ?? 0)
        let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.int(0) } ?? 0
        guard identifier == applicationID || (identifier == 0 && version == 0 && tables == 0) else {
            throw DocumentError(
                .localStorage, "\(path) is a database of another program: move it away, and a new index is made.")
        }
        guard version <= steps.count else {
            throw DocumentError(
                .localStorage,
                "\(path) was written by a newer Docent (schema \(version), this one knows \(steps.count)): update Docent."
            )
        }
        for step in steps[version...] { try connection.database.execute(sql: step) }
        try connection.database.execute(
            sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(steps.count)")
    }

    /// One a version; never changed once released.
    private static let steps = [version1]

    private static let version1 = """
        CREATE TABLE domain (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            provider TEXT NOT NULL,
            root_id TEXT NOT NULL,
            root INTEGER,
            anchor BLOB,
            documents INTEGER NOT NULL DEFAULT 0,
            folders INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE domain_setting (
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (domain, name)
        ) STRICT, WITHOUT ROWID;

        -- The remote tree (parent to capabilities: as the provider last told, at the place that it has here), what
        -- both sides agreed on (synced_*), and what was seen on disk (local_*).
        CREATE TABLE item (
            row INTEGER PRIMARY KEY,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            parent INTEGER REFERENCES item (row),
            name TEXT NOT NULL,
            name_key TEXT NOT NULL,
            kind INTEGER NOT NULL,
            type TEXT NOT NULL,
            size INTEGER,
            modified INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            created INTEGER NOT NULL,
            created_ns INTEGER NOT NULL,
            content BLOB NOT NULL,
            metadata BLOB NOT NULL,
            capabilities INTEGER NOT NULL,
            generation INTEGER NOT NULL DEFAULT 0,
            state INTEGER NOT NULL DEFAULT 0,
            gone INTEGER NOT NULL DEFAULT 0,
            pinned INTEGER NOT NULL DEFAULT 0,
            synced_content BLOB,
            synced_metadata BLOB,
            local_inode INTEGER,
            local_size INTEGER,
            local_modified INTEGER,
            local_modified_ns INTEGER,
            local_changed INTEGER,
            local_changed_ns INTEGER,
            wanted_parent INTEGER,
            wanted_name TEXT,
            wanted_key TEXT,
            problem_code INTEGER,
            problem TEXT
        ) STRICT;
        CREATE UNIQUE INDEX item_id ON item (domain, id);
        CREATE INDEX item_children ON item (parent, name_key);
        CREATE INDEX item_present ON item (domain, row, state) WHERE state <> 0;
        CREATE INDEX item_wanted ON item (wanted_parent, wanted_key) WHERE wanted_key IS NOT NULL;

        CREATE TABLE listing (
            folder INTEGER PRIMARY KEY REFERENCES item (row) ON DELETE CASCADE,
            generation INTEGER NOT NULL,
            under_way INTEGER NOT NULL,
            complete INTEGER NOT NULL,
            next BLOB
        ) STRICT;

        CREATE TABLE journal (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            action TEXT NOT NULL,
            step TEXT NOT NULL,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            item TEXT,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE INDEX journal_domain ON journal (domain);

        CREATE TABLE conflict (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            item TEXT NOT NULL,
            remote_content BLOB NOT NULL,
            remote_metadata BLOB NOT NULL,
            base_content BLOB,
            base_metadata BLOB,
            kept TEXT NOT NULL,
            reason TEXT NOT NULL
        ) STRICT;
        CREATE INDEX conflict_item ON conflict (domain, item);
        """
}
