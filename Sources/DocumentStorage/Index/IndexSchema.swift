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
    private static let steps = [
        version1, version2, version3, version4, version5, version6, version7, version8,
        version9, version10, version11, version12, version13, version14, version15,
        version16, version17, version18, version19, version20,
        version21, version22, version23, version24, version25,
        version26, version27, version28, version29,
    ]

    /// How many sides of conflicts the remote keeps of an item, and in which version of its metadata they were listed last;
    /// what it was given to keep from here (`version` is null until it has answered), and what it keeps of others.
    /// A `role` of 3 in `kept_version`: contents of the latter that were fetched.
    private static let version21 = """
        ALTER TABLE item ADD COLUMN conflict_versions INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE item ADD COLUMN sides_listed BLOB;
        CREATE INDEX item_sides ON item (domain, row) WHERE conflict_versions > 0;
        DROP INDEX item_unsettled;
        CREATE INDEX item_unsettled ON item (domain, row)
            WHERE state NOT IN (0, 2) OR problem_code IS NOT NULL OR conflict_versions > 0;

        CREATE TABLE own_side (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            item TEXT NOT NULL,
            operation TEXT NOT NULL,
            version TEXT,
            digest BLOB NOT NULL,
            inode INTEGER NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            seen INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX own_side_item ON own_side (domain, item);

        CREATE TABLE remote_side (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            item TEXT NOT NULL,
            version TEXT NOT NULL,
            size INTEGER,
            modified INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            device TEXT NOT NULL,
            settled INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE UNIQUE INDEX remote_side_version ON remote_side (domain, item, version);
        """

    /// Of an item: what its provider was asked for last under an operation's name and has not answered for, as the journal has it.
    private static let version24 = """
        CREATE TABLE outstanding (
            item INTEGER PRIMARY KEY REFERENCES item (row) ON DELETE CASCADE,
            payload BLOB NOT NULL
        ) STRICT;
        """

    /// At most one row a domain: a page of its feed, by the anchors before and after it, that is here, while its provider is still
    /// to be asked for some of what it tells.
    private static let version28 = """
        CREATE TABLE open_page (
            domain INTEGER PRIMARY KEY REFERENCES domain (number) ON DELETE CASCADE,
            since BLOB NOT NULL,
            anchor BLOB NOT NULL
        ) STRICT;
        """

    /// When what the remote keeps of this device's counts as written, as it has said; NULL where it has not.
    private static let version27 = """
        ALTER TABLE own_side ADD COLUMN written INTEGER;
        ALTER TABLE own_side ADD COLUMN written_ns INTEGER;
        """

    /// What a removal that waits for a yes was asked for with: all that was shown below `held` then, and itself, each in the version
    /// that was known.
    private static let version26 = """
        CREATE TABLE held_content (
            held INTEGER NOT NULL REFERENCES item (row) ON DELETE CASCADE,
            row INTEGER NOT NULL REFERENCES item (row) ON DELETE CASCADE,
            content BLOB NOT NULL,
            PRIMARY KEY (held, row)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX held_content_row ON held_content (row);
        INSERT INTO held_content
            WITH RECURSIVE sub (held, row) AS (
                SELECT row, row FROM held_removal WHERE side = 1
                UNION SELECT sub.held, item.row FROM sub JOIN item AS around ON around.row = sub.row
                    JOIN item ON item.parent = sub.row WHERE around.state <> 7
            )
            SELECT sub.held, sub.row, item.content FROM sub JOIN item ON item.row = sub.row;
        """

    /// Of what the remote keeps of others: the SHA-256 that it has listed; NULL where it has listed none.
    private static let version25 = "ALTER TABLE remote_side ADD COLUMN digest BLOB;"

    /// What a domain's remote has said of its room, in bytes; NULL where it says nothing. `asked`: when, in seconds since 1970.
    private static let version23 = """
        CREATE TABLE remote_quota (
            domain INTEGER PRIMARY KEY REFERENCES domain (number) ON DELETE CASCADE,
            total INTEGER,
            used INTEGER,
            available INTEGER,
            asked INTEGER NOT NULL
        ) STRICT;
        """

    /// A `pinned` of 5 in `item`: contents that are here no longer than they are current. Older programs do not know it.
    private static let version22 = "UPDATE item SET pinned = pinned WHERE pinned = 5;"

    /// A `role` of 2 in `kept_version`: what the remote had when somebody had it fetched. Older programs do not know it.
    private static let version20 = "UPDATE kept_version SET role = role WHERE role = 2;"

    /// What somebody has asked to have brought and that has not come yet.
    private static let version19 = """
        CREATE TABLE download_request (
            item INTEGER PRIMARY KEY REFERENCES item (row) ON DELETE CASCADE
        ) STRICT;
        """

    /// Contents that a provider was given and has not answered for: the version that they were sent over, and their digest
    /// (SHA-256).
    private static let version18 = """
        CREATE TABLE unanswered (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            item INTEGER NOT NULL REFERENCES item (row) ON DELETE CASCADE,
            base BLOB NOT NULL,
            digest BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX unanswered_contents ON unanswered (item, base, digest);
        """

    /// What shows that a file has the contents of the version that was agreed on: their digest (SHA-256), where somebody has
    /// read them, and the time of the inode's change of the file that was known to have them.
    private static let version17 = """
        ALTER TABLE item ADD COLUMN digest BLOB;
        ALTER TABLE item ADD COLUMN proven INTEGER;
        ALTER TABLE item ADD COLUMN proven_ns INTEGER;
        UPDATE item SET proven = local_changed, proven_ns = local_changed_ns
            WHERE state IN (2, 3) AND local_inode IS NOT NULL;
        """

    /// Contents that were here when their documents were removed (CONT-13). `path`: from the domain's top folder; `removed`:
    /// seconds since 1970.
    private static let version16 = """
        CREATE TABLE trash (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            removed INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX trash_id ON trash (id, domain);
        CREATE INDEX trash_removed ON trash (removed);
        CREATE INDEX trash_domain ON trash (domain);
        """

    /// The user's own ignore rules, in the order in which they count; and the places of what the remote has, or had, that were
    /// left here and that a rule is about: what is made there anew is no scratch file (CONT-13).
    private static let version15 = """
        CREATE TABLE left_place (
            number INTEGER PRIMARY KEY,
            parent INTEGER NOT NULL REFERENCES item (row) ON DELETE CASCADE,
            name_key TEXT NOT NULL
        ) STRICT;
        CREATE INDEX left_place_name ON left_place (parent, name_key);

        CREATE TABLE ignore_pattern (
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            pattern TEXT NOT NULL,
            PRIMARY KEY (domain, position)
        ) STRICT, WITHOUT ROWID;
        """

    /// Small values of tools. They stay when nobody is registered any more who names their identifier, as documents do.
    private static let version14 = """
        CREATE TABLE key_value (
            identifier TEXT NOT NULL,
            key TEXT NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (identifier, key)
        ) STRICT, WITHOUT ROWID;
        """

    /// Contents of which some parts have come. `used`: when they were last gone on with, in seconds since 1970.
    private static let version13 = """
        CREATE TABLE partial (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            item TEXT NOT NULL,
            version BLOB NOT NULL,
            size INTEGER NOT NULL,
            part_size INTEGER NOT NULL,
            staging TEXT NOT NULL,
            inode INTEGER NOT NULL,
            boot TEXT NOT NULL,
            used INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX partial_item ON partial (domain, item);

        CREATE TABLE partial_part (
            partial INTEGER NOT NULL REFERENCES partial (number) ON DELETE CASCADE,
            part INTEGER NOT NULL,
            digest BLOB NOT NULL,
            PRIMARY KEY (partial, part)
        ) STRICT, WITHOUT ROWID;
        """

    /// At most one row: from which item on placeholders may be missing.
    private static let version12 = """
        CREATE TABLE due_placeholder (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            first INTEGER NOT NULL
        ) STRICT;
        """

    /// Who made a bookmark that is bound to no tool, and the one by which that may be: it ends with that. Those that were made
    /// before are the user's.
    private static let version11 = """
        ALTER TABLE bookmark ADD COLUMN maker TEXT;
        ALTER TABLE bookmark ADD COLUMN origin INTEGER;
        CREATE INDEX bookmark_origin ON bookmark (origin) WHERE origin IS NOT NULL;
        """

    /// How a domain's sign-in is: a number of ``DomainRecord/SignIn``.
    private static let version10 = "ALTER TABLE domain ADD COLUMN sign_in INTEGER NOT NULL DEFAULT 0;"

    /// Which device has saved the other side of a conflict, and older contents; empty where that is not known.
    private static let version9 = """
        ALTER TABLE conflict ADD COLUMN device TEXT NOT NULL DEFAULT '';
        ALTER TABLE kept_version ADD COLUMN device TEXT NOT NULL DEFAULT '';
        """

    /// What items that were made here are called at their providers by now, for whoever knows them by the identifier that
    /// they had before: while a host runs, no longer.
    private static let version8 = """
        CREATE TABLE arrived (
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            item TEXT NOT NULL,
            PRIMARY KEY (domain, id)
        ) STRICT, WITHOUT ROWID;
        """

    /// `side`: 0 for what the provider says is gone, 1 for what somebody here wants removed. `recent`: seconds since 1970
    /// and how many, in words.
    private static let version7 = """
        CREATE TABLE held_removal (
            row INTEGER NOT NULL REFERENCES item (row) ON DELETE CASCADE,
            side INTEGER NOT NULL,
            recursive INTEGER NOT NULL,
            discards_edits INTEGER NOT NULL,
            PRIMARY KEY (row, side)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE removal_watch (
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            side INTEGER NOT NULL,
            asked INTEGER,
            recent TEXT NOT NULL,
            PRIMARY KEY (domain, side)
        ) STRICT, WITHOUT ROWID;

        -- What the user has chosen for a domain, beside what its provider knows of.
        CREATE TABLE domain_rule (
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            name TEXT NOT NULL,
            value INTEGER NOT NULL,
            PRIMARY KEY (domain, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// What people have said about items (`pinned` has all ways of keeping them by now), when documents were last used (in
    /// seconds since 1970), and where something is to be told of.
    private static let version6 = """
        ALTER TABLE item ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE item ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX item_marked ON item (domain) WHERE pinned <> 0 OR paused <> 0;
        CREATE INDEX item_used ON item (used, row, domain, local_size) WHERE local_inode IS NOT NULL;
        CREATE INDEX item_unsettled ON item (domain, row) WHERE state NOT IN (0, 2) OR problem_code IS NOT NULL;
        """

    /// `role`: 0 for what an unsent edit began from, 1 for older contents.
    private static let version5 = """
        CREATE TABLE kept_version (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            item TEXT NOT NULL,
            role INTEGER NOT NULL,
            content BLOB NOT NULL,
            metadata BLOB NOT NULL,
            kept TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX kept_version_item ON kept_version (domain, item);
        """

    /// In which folders contents are, and which files those are.
    private static let version4 = "CREATE INDEX item_here ON item (parent) WHERE local_inode IS NOT NULL;"

    private static let version3 = """
        CREATE TABLE tool (
            id TEXT PRIMARY KEY,
            executable TEXT NOT NULL,
            manifest TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What the user has chosen for the whole host.
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Times are seconds since 1970. A bookmark ends with its domain, and with that of the document that it is bound to;
    /// not with its item, which may come back.
    private static let version2 = """
        CREATE TABLE bookmark (
            number INTEGER PRIMARY KEY,
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            item TEXT NOT NULL,
            made_at TEXT NOT NULL,
            writes INTEGER NOT NULL,
            tool TEXT,
            document_domain INTEGER REFERENCES domain (number) ON DELETE CASCADE,
            document TEXT,
            document_at TEXT,
            created INTEGER NOT NULL,
            expires INTEGER
        ) STRICT;
        CREATE INDEX bookmark_item ON bookmark (domain, item);
        CREATE INDEX bookmark_document ON bookmark (document_domain, document);
        """

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
