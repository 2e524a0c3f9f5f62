package import DocumentModel

/// How much room a remote has, as people read it.
package enum QuotaText {
    /// `8 GB left of 20 GB, 12 GB used, as of 2026-11-27 10:32`. What is left is never told to be more than it is.
    package static func line(_ told: ToldQuota) -> String {
        [numbers(told.quota), "as of \(Words.time(told.asOf))"].joined(separator: ", ")
    }

    private static func numbers(_ quota: RemoteQuota) -> String {
        var parts: [String] = []
        switch (quota.room, quota.total) {
        case (0?, let total?): parts.append("nothing left of \(Words.size(total))")
        case (0?, nil): parts.append("nothing left")
        case (let room?, let total?): parts.append("\(Words.size(room)) left of \(Words.size(total))")
        case (let room?, nil): parts.append("\(Words.size(room)) left")
        case (nil, let total?): parts.append("\(Words.size(total)) in all")
        case (nil, nil): break
        }
        if let used = quota.used { parts.append("\(Words.size(used)) used") }
        return parts.isEmpty ? "not told" : parts.joined(separator: ", ")
    }
}

extension ToldQuota {
    package var json: JSON {
        .object([
            ("total", JSON(quota.total)),
            ("used", JSON(quota.used)),
            ("available", JSON(quota.available)),
            ("asOf", .string(Words.instant(asOf))),
        ])
    }
}
