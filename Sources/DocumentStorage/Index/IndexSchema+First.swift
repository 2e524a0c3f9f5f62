/// The first ten versions.
extension IndexSchema {
    static let version1 = """
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

    /// Times are seconds since 1970. A bookmark ends with its domain, and with that of the document that it is bound to;
    /// not with its item, which may come back.
    static let version2 = """
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

    static let version3 = """
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

    /// In which folders contents are, and which files those are.
    static let version4 = "CREATE INDEX item_here ON item (parent) WHERE local_inode IS NOT NULL;"

    /// `role`: 0 for what an unsent edit began from, 1 for older contents.
    static let version5 = """
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

    /// What people have said about items (`pinned` has all ways of keeping them by now), when documents were last used (in
    /// seconds since 1970), and where something is to be told of.
    static let version6 = """
        ALTER TABLE item ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE item ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX item_marked ON item (domain) WHERE pinned <> 0 OR paused <> 0;
        CREATE INDEX item_used ON item (used, row, domain, local_size) WHERE local_inode IS NOT NULL;
        CREATE INDEX item_unsettled ON item (domain, row) WHERE state NOT IN (0, 2) OR problem_code IS NOT NULL;
        """

    /// `side`: 0 for what the provider says is gone, 1 for what somebody here wants removed. `recent`: seconds since 1970
    /// and how many, in words.
    static let version7 = """
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

    /// What items that were made here are called at their providers by now, for whoever knows them by the identifier that
    /// they had before: while a host runs, no longer.
    static let version8 = """
        CREATE TABLE arrived (
            domain INTEGER NOT NULL REFERENCES domain (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            item TEXT NOT NULL,
            PRIMARY KEY (domain, id)
        ) STRICT, WITHOUT ROWID;
        """

    /// Which device has saved the other side of a conflict, and older contents; empty where that is not known.
    static let version9 = """
        ALTER TABLE conflict ADD COLUMN device TEXT NOT NULL DEFAULT '';
        ALTER TABLE kept_version ADD COLUMN device TEXT NOT NULL DEFAULT '';
        """

    /// How a domain's sign-in is: a number of ``DomainRecord/SignIn``.
    static let version10 = "ALTER TABLE domain ADD COLUMN sign_in INTEGER NOT NULL DEFAULT 0;"
}
