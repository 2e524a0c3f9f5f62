/// The versions since.
extension IndexSchema {
    /// Who made a bookmark that is bound to no tool, and the one by which that may be: it ends with that. Those that were made
    /// before are the user's.
    static let version11 = """
        ALTER TABLE bookmark ADD COLUMN maker TEXT;
        ALTER TABLE bookmark ADD COLUMN origin INTEGER;
        CREATE INDEX bookmark_origin ON bookmark (origin) WHERE origin IS NOT NULL;
        """

    /// At most one row: from which item on placeholders may be missing.
    static let version12 = """
        CREATE TABLE due_placeholder (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            first INTEGER NOT NULL
        ) STRICT;
        """

    /// Contents of which some parts have come. `used`: when they were last gone on with, in seconds since 1970.
    static let version13 = """
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

    /// Small values of tools. They stay when nobody is registered any more who names their identifier, as documents do.
    static let version14 = """
        CREATE TABLE key_value (
            identifier TEXT NOT NULL,
            key TEXT NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (identifier, key)
        ) STRICT, WITHOUT ROWID;
        """

    /// The user's own ignore rules, in the order in which they count; and the places of what the remote has, or had, that were
    /// left here and that a rule is about: what is made there anew is no scratch file (CONT-13).
    static let version15 = """
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

    /// Contents that were here when their documents were removed (CONT-13). `path`: from the domain's top folder; `removed`:
    /// seconds since 1970.
    static let version16 = """
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

    /// What shows that a file has the contents of the version that was agreed on: their digest (SHA-256), where somebody has
    /// read them, and the time of the inode's change of the file that was known to have them.
    static let version17 = """
        ALTER TABLE item ADD COLUMN digest BLOB;
        ALTER TABLE item ADD COLUMN proven INTEGER;
        ALTER TABLE item ADD COLUMN proven_ns INTEGER;
        UPDATE item SET proven = local_changed, proven_ns = local_changed_ns
            WHERE state IN (2, 3) AND local_inode IS NOT NULL;
        """

    /// Contents that a provider was given and has not answered for: the version that they were sent over, and their digest
    /// (SHA-256).
    static let version18 = """
        CREATE TABLE unanswered (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            item INTEGER NOT NULL REFERENCES item (row) ON DELETE CASCADE,
            base BLOB NOT NULL,
            digest BLOB NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX unanswered_contents ON unanswered (item, base, digest);
        """

    /// What somebody has asked to have brought and that has not come yet.
    static let version19 = """
        CREATE TABLE download_request (
            item INTEGER PRIMARY KEY REFERENCES item (row) ON DELETE CASCADE
        ) STRICT;
        """

    /// A `role` of 2 in `kept_version`: what the remote had when somebody had it fetched. Older programs do not know it.
    static let version20 = "UPDATE kept_version SET role = role WHERE role = 2;"

    /// How many sides of conflicts the remote keeps of an item, and in which version of its metadata they were listed last;
    /// what it was given to keep from here (`version` is null until it has answered), and what it keeps of others.
    /// A `role` of 3 in `kept_version`: contents of the latter that were fetched.
    static let version21 = """
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

    /// A `pinned` of 5 in `item`: contents that are here no longer than they are current. Older programs do not know it.
    static let version22 = "UPDATE item SET pinned = pinned WHERE pinned = 5;"

    /// What a domain's remote has said of its room, in bytes; NULL where it says nothing. `asked`: when, in seconds since 1970.
    static let version23 = """
        CREATE TABLE remote_quota (
            domain INTEGER PRIMARY KEY REFERENCES domain (number) ON DELETE CASCADE,
            total INTEGER,
            used INTEGER,
            available INTEGER,
            asked INTEGER NOT NULL
        ) STRICT;
        """

    /// Of an item: what its provider was asked for last under an operation's name and has not answered for, as the journal has it.
    static let version24 = """
        CREATE TABLE outstanding (
            item INTEGER PRIMARY KEY REFERENCES item (row) ON DELETE CASCADE,
            payload BLOB NOT NULL
        ) STRICT;
        """

    /// Of what the remote keeps of others: the SHA-256 that it has listed; NULL where it has listed none.
    static let version25 = "ALTER TABLE remote_side ADD COLUMN digest BLOB;"

    /// What a removal that waits for a yes was asked for with: all that was shown below `held` then, and itself, each in the version
    /// that was known.
    static let version26 = """
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

    /// When what the remote keeps of this device's counts as written, as it has said; NULL where it has not.
    static let version27 = """
        ALTER TABLE own_side ADD COLUMN written INTEGER;
        ALTER TABLE own_side ADD COLUMN written_ns INTEGER;
        """

    /// At most one row a domain: a page of its feed, by the anchors before and after it, that is here, while its provider is still
    /// to be asked for some of what it tells.
    static let version28 = """
        CREATE TABLE open_page (
            domain INTEGER PRIMARY KEY REFERENCES domain (number) ON DELETE CASCADE,
            since BLOB NOT NULL,
            anchor BLOB NOT NULL
        ) STRICT;
        """
}
