package import DocumentModel

/// The domains that are configured.
extension IndexTransaction {
    package func addDomain(_ domain: DomainRecord) throws {
        guard try self.domain(domain.name) == nil else {
            throw DocumentError(
                .destinationExists, "There is a domain “\(domain.name)” already: choose another name, or remove it.")
        }
        try sql.run(
            "INSERT INTO domain (name, provider, root_id, anchor, sign_in) VALUES (?, ?, ?, ?, ?)",
            .text(domain.name.rawValue), .text(domain.provider.rawValue), .text(domain.rootID.rawValue),
            SQLValue(domain.anchor?.bytes), .int(Int64(domain.signIn.rawValue)))
        let number = sql.lastInsertedRow
        try makeRoot(domain.rootID, of: number)
        try setSettings(domain.settings, of: number)
    }

    private func makeRoot(_ id: ItemIdentifier, of domain: Int64) throws {
        try sql.run(
            """
            INSERT INTO item (domain, id, name, name_key, kind, type, modified, modified_ns, created, created_ns,
                content, metadata, capabilities)
            VALUES (?, ?, '', '', 1, ?, 0, 0, 0, 0, x'', x'', ?)
            """, .int(domain), .text(id.rawValue), .text(ContentType.folder.identifier),
            .int(Int64(ItemCapabilities.all.rawValue)))
        try sql.run("UPDATE domain SET root = ? WHERE number = ?", .int(sql.lastInsertedRow), .int(domain))
        forgetReference()
    }

    /// Provider, top folder, settings, anchor and sign-in.
    package func updateDomain(_ domain: DomainRecord) throws {
        let own = try reference(to: domain.name)
        try sql.run(
            "UPDATE domain SET provider = ?, root_id = ?, anchor = ?, sign_in = ? WHERE number = ?",
            .text(domain.provider.rawValue), .text(domain.rootID.rawValue), SQLValue(domain.anchor?.bytes),
            .int(Int64(domain.signIn.rawValue)), .int(own.number))
        if let row = try row(of: domain.rootID, own), row != own.root {
            throw DocumentError(
                .contractBroken,
                "The provider of \(domain.name) names an item as its top folder that it told of as an item within: “\(domain.rootID)”."
            )
        }
        try sql.run("UPDATE item SET id = ? WHERE row = ?", .text(domain.rootID.rawValue), .int(own.root))
        forgetReference()
        try sql.run("DELETE FROM domain_setting WHERE domain = ?", .int(own.number))
        try setSettings(domain.settings, of: own.number)
    }

    private func setSettings(_ settings: [String: String], of domain: Int64) throws {
        for (name, value) in settings {
            try sql.run("INSERT INTO domain_setting VALUES (?, ?, ?)", .int(domain), .text(name), .text(value))
        }
    }

    package func setSignIn(_ signIn: DomainRecord.SignIn, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("UPDATE domain SET sign_in = ? WHERE number = ?", .int(Int64(signIn.rawValue)), .int(own.number))
    }

    /// All its items, entries and conflicts go. The domain stays, with its settings, rules and bookmarks.
    package func emptyDomain(_ name: DomainName) throws {
        let own = try reference(to: name)
        guard let domain = try domain(name) else { return }
        let tables = [
            "journal", "conflict", "kept_version", "own_side", "remote_side", "removal_watch", "arrived", "partial",
            "trash", "remote_quota", "open_page", "item",
        ]
        for table in tables {
            try sql.run("DELETE FROM \(table) WHERE domain = ?", .int(own.number))
        }
        try sql.run("UPDATE domain SET anchor = NULL, documents = 0, folders = 0 WHERE number = ?", .int(own.number))
        try makeRoot(domain.rootID, of: own.number)
    }

    /// With all its items, entries and conflicts.
    package func removeDomain(_ name: DomainName) throws {
        let own = try reference(to: name)
        try sql.run("DELETE FROM item WHERE domain = ?", .int(own.number))
        try sql.run("DELETE FROM domain WHERE number = ?", .int(own.number))
        forgetReference()
    }

    package func setAnchor(_ anchor: SyncAnchor?, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("UPDATE domain SET anchor = ? WHERE number = ?", SQLValue(anchor?.bytes), .int(own.number))
    }

    /// The same for whoever has read on from a point in the feed: an anchor that was set back meanwhile stays there.
    ///
    /// - Returns: whether it was still the one that is expected.
    package func setAnchor(
        _ anchor: SyncAnchor?, of domain: DomainName, ifStill expected: SyncAnchor?
    ) throws -> Bool {
        guard try self.domain(domain)?.anchor == expected else { return false }
        try setAnchor(anchor, of: domain)
        return true
    }
}
