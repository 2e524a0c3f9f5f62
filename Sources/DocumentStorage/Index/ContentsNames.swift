package import DocumentModel

/// What the contents of a document are called: the same while they are the current ones, beside others in a conflict, and as an
/// older version (VER-8).
///
/// What came from the provider, or is still to come, is named by its version. What was written here is named by its file, until
/// the provider has it and for as long as it is kept then: the version that it became says nothing of the name that it had.
extension IndexReader {
    /// What contents are called that the provider has, or had.
    package func contentsName(of version: ItemVersion, of item: IndexedItem) throws -> String {
        let sent = try sql.first(
            "SELECT name FROM contents_name WHERE item = ? AND content = ?", .int(item.row), .blob(version.content)
        ) { $0.text(0) }
        return sent ?? KeptVersion.identifier(of: version, of: item.id)
    }

    /// What the contents are called that a document has; where none are here, those that it would have.
    package func currentName(of item: IndexedItem) throws -> String {
        let version = item.synced ?? item.item.version
        // All contents of a provider that tells no versions would have one name.
        if let local = item.local, item.isUnsent || version.content.isEmpty { return try writtenName(of: local, item) }
        return try contentsName(of: version, of: item)
    }

    /// What contents are called that were written here, and that the provider has not.
    ///
    /// - Parameter file: which has them, or had.
    func writtenName(of file: FileIdentity, _ item: IndexedItem) throws -> String {
        let name = file.contentsName(of: item)
        guard let base = item.synced, !base.content.isEmpty else { return name }
        // A program has written others into a file that was sent, of the same size, and has set its time back.
        let isAnothers =
            try contentsName(of: base, of: item) == name
            || keptVersions(of: item.id, in: item.domain).contains { kept in
                !kept.version.content.isEmpty && kept.identifier == name
            }
        return isAnothers ? file.contentsName(of: item, over: base) : name
    }
}

extension IndexTransaction {
    /// What was sent of a document has this version at its provider from now on, and keeps its name.
    func keepName(_ name: String, of version: ItemVersion, of item: IndexedItem) throws {
        guard !version.content.isEmpty else { return }
        try sql.run(
            "INSERT OR REPLACE INTO contents_name (item, content, name) VALUES (?, ?, ?)", .int(item.row),
            .blob(version.content), .text(name))
    }
}

extension FileIdentity {
    /// What contents of a document are called that were written here: 32 hexadecimal digits. Of what tells one state of the file
    /// from another (``hasSameContents(as:)``), so that another name does not change it.
    ///
    /// - Parameter base: what they were written over, where that was in the same state of the file.
    fileprivate func contentsName(of item: IndexedItem, over base: ItemVersion? = nil) -> String {
        var digest = Digest()
        digest.add(Array("written".utf8) + [0])
        digest.add(Array("\(item.row) \(inode) \(size) \(modified.seconds) \(modified.nanoseconds)".utf8))
        if let base { digest.add([0] + base.content) }
        return RandomName.hex(digest.finish().prefix(16))
    }
}
