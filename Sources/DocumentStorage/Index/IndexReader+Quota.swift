package import DocumentModel

/// What remotes have said of their room (CONT-13).
extension IndexReader {
    /// Nil when a domain's remote has said nothing.
    package func quota(of domain: DomainName) throws -> ToldQuota? {
        let own = try reference(to: domain)
        return try sql.first(
            "SELECT total, used, available, asked FROM remote_quota WHERE domain = ?", .int(own.number)
        ) { row in
            let bytes = [0, 1, 2].map { column in row.optionalInt(column).flatMap { UInt64(exactly: $0) } }
            return ToldQuota(
                try RemoteQuota(total: bytes[0], used: bytes[1], available: bytes[2]),
                asOf: Timestamp(seconds: row.int(3)))
        }
    }
}

extension IndexTransaction {
    /// - Parameter told: nil: the remote says nothing.
    package func setQuota(_ told: ToldQuota?, of domain: DomainName) throws {
        let own = try reference(to: domain)
        try sql.run("DELETE FROM remote_quota WHERE domain = ?", .int(own.number))
        guard let told else { return }
        let sizes = [told.quota.total, told.quota.used, told.quota.available].map { size in
            SQLValue(size.map { Int64(clamping: $0) })
        }
        try sql.run(
            "INSERT INTO remote_quota (domain, total, used, available, asked) VALUES (?, ?, ?, ?, ?)", .int(own.number),
            sizes[0], sizes[1], sizes[2], .int(told.asOf.seconds))
    }
}
