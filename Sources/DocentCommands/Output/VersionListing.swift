package import DocumentModel

/// What lists of versions look like.
package enum VersionListing {
    package static func text(_ versions: [DocumentVersion]) -> String {
        var table = Table([
            Table.Column("VERSION"), Table.Column("KIND"), Table.Column("MODIFIED"), Table.Column("SIZE"),
            Table.Column("SAVED BY"), Table.Column("FILE"),
        ])
        for version in versions {
            table.add(
                version.id, version.kind.rawValue, Words.time(version.modified),
                version.size.map { Words.size(UInt64(max($0, 0))) } ?? "",
                version.device.map(TerminalText.safe) ?? "", version.path ?? "not here")
        }
        return table.text()
    }

    package static func text(ofConflicts conflicts: [(ItemStatus, [DocumentVersion])]) -> String {
        if conflicts.isEmpty { return "Nothing is in conflict.\n" }
        return conflicts.map { item, versions in
            let others = versions.filter { [.current, .conflict].contains($0.kind) && !$0.isInPlace }
            let sides = versions.filter { ![.older, .remote].contains($0.kind) }.map { version in
                let place = place(of: version, item, isFirst: version.id == others.first?.id)
                let device = version.device.map { ", saved by \(TerminalText.safe($0))" } ?? ""
                let wins = version.kind == .current ? ", wins" : ""
                return "  \(place)\(wins): \(version.path ?? "not here") (\(Words.time(version.modified))\(device))\n"
            }
            return "\(item.location)\n" + sides.joined()
                + "  \(choice(of: item.location))\n"
        }.joined()
    }

    /// How somebody ends a conflict.
    static func choice(of location: Location) -> String {
        "Choose with: docent resolve \(ShellWord.quoted(location.description)) --keep local|remote|both, or --merge"
    }

    private static func place(of version: DocumentVersion, _ item: ItemStatus, isFirst: Bool) -> String {
        if version.isInPlace, item.state == .outdated { return "the remote's, of which older contents are here" }
        if version.isInPlace { return "here" }
        if version.kind == .base { return "what both began from" }
        guard item.state == .conflict else { return "kept on the remote" }
        // The remote's own comes before what else it keeps.
        return isFirst ? "the remote's" : "another side"
    }
}

extension DocumentVersion {
    package var json: JSON {
        .object([
            ("id", .string(id)),
            ("kind", .string(kind.rawValue)),
            ("path", JSON(path)),
            ("size", JSON(size)),
            ("modified", .string(Words.instant(modified))),
            ("inPlace", .boolean(isInPlace)),
            ("device", JSON(device)),
            ("thumbnail", .boolean(hasThumbnail)),
            ("reason", JSON(reason)),
        ])
    }
}
