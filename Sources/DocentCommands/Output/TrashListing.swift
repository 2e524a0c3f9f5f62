package import DocumentModel

/// What lists of the trash look like.
package enum TrashListing {
    package static func text(_ documents: [TrashedDocument]) -> String {
        if documents.isEmpty { return "Nothing is in the trash.\n" }
        var table = Table([
            Table.Column("REMOVED"), Table.Column("SIZE"), Table.Column("WHERE IT WAS"), Table.Column("IDENTIFIER"),
        ])
        for document in documents {
            table.add(
                Words.time(Timestamp(seconds: document.removed)), Words.size(document.size),
                TerminalText.safe("\(document.location)"), document.id)
        }
        return table.text() + "docent trash restore brings one back, by where it was or by its identifier.\n"
    }

    package static func text(_ status: TrashStatus) -> String {
        let here = "\(Words.count(status.documents, "document", "documents")), \(Words.size(status.bytes))"
        guard status.limits.keepsAnything else {
            return "In the trash: \(here). Nothing that is removed is kept.\n"
        }
        let days = Words.count(status.limits.days, "day", "days")
        return "In the trash: \(here). Kept for \(days), and at most \(Words.size(status.limits.bytes)).\n"
    }
}

extension TrashedDocument {
    package var json: JSON {
        .object([
            ("id", .string(id)), ("location", .string("\(location)")), ("size", JSON(size)),
            ("modified", .string(Words.instant(modified))),
            ("removed", .string(Words.instant(Timestamp(seconds: removed)))),
        ])
    }
}

extension TrashStatus {
    package var json: JSON {
        .object([
            ("documents", JSON(documents)), ("bytes", JSON(bytes)), ("limit", JSON(limits.bytes)),
            ("days", JSON(limits.days)),
        ])
    }
}
