package import DocumentModel

/// What is known of items' contents here.
extension IndexTransaction {
    package func setState(_ state: ItemState, of id: ItemIdentifier, in domain: DomainName) throws {
        try update("state = ?", .int(ItemRow.number(of: state)), of: id, in: domain)
    }

    /// The contents of a version are here; what was wrong before is over.
    ///
    /// - Parameter digest: of the version's contents, where somebody has read them.
    package func setMaterialised(
        _ id: ItemIdentifier, in domain: DomainName, version: ItemVersion, file: FileIdentity, state: ItemState,
        digest: [UInt8]? = nil
    ) throws {
        try notePresence(of: id, in: domain, isHere: true)
        let proven = state == .materialised || state == .outdated ? file.changed : nil
        try update(
            Self.fileColumns + """
                , state = ?, synced_content = ?, synced_metadata = ?, problem_code = NULL, problem = NULL, digest = ?,
                proven = ?, proven_ns = ?
                """,
            Self.values(of: file) + [
                .int(ItemRow.number(of: state)), .blob(version.content), .blob(version.metadata), SQLValue(digest),
                SQLValue(proven?.seconds), SQLValue(proven.map { Int64($0.nanoseconds) }),
            ], of: id, in: domain)
    }

    /// A file, as it was seen, has the contents of the version that both sides agreed on.
    func setProven(_ file: FileIdentity, of id: ItemIdentifier, in domain: DomainName) throws {
        try recordFile(file, of: id, in: domain)
        try update(
            "proven = ?, proven_ns = ?", .int(file.changed.seconds), .int(Int64(file.changed.nanoseconds)), of: id,
            in: domain)
    }

    /// Somebody has read the contents of that version.
    func setDigest(_ digest: [UInt8], of id: ItemIdentifier, in domain: DomainName) throws {
        try update("digest = ?", .blob(digest), of: id, in: domain)
    }

    /// A file turns out to be an item's contents, of some version.
    func adopt(_ file: FileIdentity, of item: IndexedItem, version: [UInt8], isChanged: Bool) throws {
        let isCurrent = version == item.item.version.content
        try setMaterialised(
            item.id, in: item.domain, version: isCurrent ? item.item.version : try ItemVersion(content: version),
            file: file, state: isChanged ? .changed : isCurrent ? .materialised : .outdated)
    }

    /// The contents are gone.
    package func setPlaceholder(_ id: ItemIdentifier, in domain: DomainName) throws {
        try notePresence(of: id, in: domain, isHere: false)
        try update(
            """
            state = 0, synced_content = NULL, synced_metadata = NULL, local_inode = NULL, local_size = NULL,
            local_modified = NULL, local_modified_ns = NULL, local_changed = NULL, local_changed_ns = NULL,
            digest = NULL, proven = NULL, proven_ns = NULL
            """, of: id, in: domain)
    }

    /// A document's file has got another name. That changes the inode's time only: what is recorded of the contents stays.
    ///
    /// - Parameter before: what it was when it was given that name; nil where nobody knows, as when a program did. What had
    ///   been done to it by then is for the next look, which reads it.
    func setRenamed(
        _ file: FileIdentity, from before: FileIdentity?, of id: ItemIdentifier, in domain: DomainName
    ) throws {
        guard let item = try item(id, in: domain), var known = item.local, known.inode == file.inode else { return }
        let wasUntouched = before?.isUntouched(since: known) == true
        // Without a digest nobody could tell, where it is not known either what it was before.
        let isUnknown = item.proof.digest == nil && before == nil
        if wasUntouched || item.isUnsent || isUnknown { known.changed = file.changed }
        try setFile(known, of: id, in: domain)
    }

    /// The file was seen on disk.
    package func setFile(_ file: FileIdentity, of id: ItemIdentifier, in domain: DomainName) throws {
        try notePresence(of: id, in: domain, isHere: true)
        try recordFile(file, of: id, in: domain)
    }

    private func recordFile(_ file: FileIdentity, of id: ItemIdentifier, in domain: DomainName) throws {
        try update(Self.fileColumns, Self.values(of: file), of: id, in: domain)
    }

    private static let fileColumns = """
        local_inode = ?, local_size = ?, local_modified = ?, local_modified_ns = ?, local_changed = ?,
        local_changed_ns = ?
        """

    private static func values(of file: FileIdentity) -> [SQLValue] {
        [
            .int(Int64(bitPattern: file.inode)), .int(file.size), .int(file.modified.seconds),
            .int(Int64(file.modified.nanoseconds)), .int(file.changed.seconds), .int(Int64(file.changed.nanoseconds)),
        ]
    }

    /// To be called before the row is written: mostly the item was looked up just now.
    private func notePresence(of id: ItemIdentifier, in domain: DomainName, isHere: Bool) throws {
        if let folder = try item(id, in: domain)?.item.parentID {
            note(PresenceNews(domain: domain, folder: folder, isHere: isHere))
        }
    }

    package func setPinned(_ pinned: Bool, of id: ItemIdentifier, in domain: DomainName) throws {
        try update("pinned = ?", .int(pinned ? 1 : 0), of: id, in: domain)
    }

    /// What went wrong with it last; nil when nothing is wrong any more.
    package func setProblem(_ error: DocumentError?, of id: ItemIdentifier, in domain: DomainName) throws {
        try update(
            "problem_code = ?, problem = ?", SQLValue(error.map { Int64($0.code.rawValue) }),
            SQLValue(error?.message), of: id, in: domain)
    }

    func update(_ what: String, _ values: SQLValue..., of id: ItemIdentifier, in domain: DomainName) throws {
        try update(what, values, of: id, in: domain)
    }

    private func update(
        _ what: String, _ values: [SQLValue], of id: ItemIdentifier, in domain: DomainName
    ) throws {
        let own = try reference(to: domain)
        let statement = try sql.statement("UPDATE item SET \(what) WHERE domain = ? AND id = ?")
        try statement.bind(values + [.int(own.number), .text(try known(id, own).rawValue)])
        while try statement.step() {}
        guard sql.changesCount == 1 else { throw Self.unknown(id, domain) }
    }
}
