package import DocumentModel

/// A page of a provider's feed that is worked into the index, while its provider is still to be asked for some of what it tells.
/// Whoever is interrupted there reads it once more.
extension IndexReader {
    package func hasOpenPage(of domain: DomainName) throws -> Bool {
        let own = try reference(to: domain)
        let found = try sql.first("SELECT 1 FROM open_page WHERE domain = ?", .int(own.number)) { _ in true }
        return found ?? false
    }
}

extension IndexTransaction {
    /// - Parameters:
    ///   - anchor: the one that the page leads to.
    ///   - since: the one that it follows.
    func openPage(to anchor: SyncAnchor, since: SyncAnchor, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run(
            "INSERT OR REPLACE INTO open_page (domain, since, anchor) VALUES (?, ?, ?)", .int(own.number),
            .blob(since.bytes), .blob(anchor.bytes))
    }

    /// All that the page tells was followed.
    package func closePage(to anchor: SyncAnchor, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("DELETE FROM open_page WHERE domain = ? AND anchor = ?", .int(own.number), .blob(anchor.bytes))
    }

    /// The page is to be read once more, if there is one; an anchor that was set back meanwhile stays there.
    package func reopenPage(of domain: DomainName) throws {
        let own = try reference(to: domain)
        let page = try sql.first("SELECT since, anchor FROM open_page WHERE domain = ?", .int(own.number)) { row in
            (since: try SyncAnchor(row.blob(0)), anchor: try SyncAnchor(row.blob(1)))
        }
        guard let page else { return }
        _ = try setAnchor(page.since, of: domain, ifStill: page.anchor)
        try sql.run("DELETE FROM open_page WHERE domain = ?", .int(own.number))
    }
}

extension ApplyOutcome {
    /// Whether the provider has to be asked for some of what it told.
    package var leavesOpen: Bool { !rejected.isEmpty || !leftOut.isEmpty }
}
