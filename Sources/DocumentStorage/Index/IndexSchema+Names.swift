extension IndexSchema {
    /// What contents are called for as long as they are kept (VER-8): of what is kept beside a document, and of the other side of
    /// a conflict, where that is not the name of their place; and of what was sent of a document last, by the version that its
    /// provider calls it.
    static let version29 = """
        ALTER TABLE kept_version ADD COLUMN name TEXT NOT NULL DEFAULT '';
        ALTER TABLE conflict ADD COLUMN name TEXT NOT NULL DEFAULT '';

        CREATE TABLE contents_name (
            item INTEGER PRIMARY KEY REFERENCES item (row) ON DELETE CASCADE,
            content BLOB NOT NULL,
            name TEXT NOT NULL
        ) STRICT;
        """
}
