package import DocumentModel

/// Dry runs, in words.
package enum PreviewListing {
    package static func text(_ preview: SyncPreview, of location: Location) -> String {
        guard !preview.steps.isEmpty else { return "Nothing is to be done for \(location).\n" }
        var table = Table([Table.Column(""), Table.Column(""), Table.Column("")])
        for step in preview.steps {
            var place = step.location.description
            if let destination = step.destination { place += " → \(destination)" }
            table.add(words(step.kind), place, details(step))
        }
        var text = table.text(showsTitles: false)
        if preview.more > 0 { text += "… and \(preview.more) more.\n" }
        return text
    }

    package static func words(_ kind: PlannedStep.Kind) -> String {
        switch kind {
        case .sendNew: "send, new"
        case .makeFolder: "make on the remote"
        case .send: "send"
        case .sendAgain: "send again"
        case .compare: "compare, keep both"
        case .keepBoth: "keep both"
        case .bring: "bring"
        case .moveThere: "move on the remote"
        case .removeThere: "remove on the remote"
        case .removeHere: "remove here"
        }
    }

    private static func details(_ step: PlannedStep) -> String {
        var parts: [String] = []
        if step.items > 1 { parts.append(Words.count(step.items, "item", "items")) }
        if let size = step.size { parts.append(Words.size(size)) }
        if step.needsApproval { parts.append("waits for your yes: docent domain deletions \(step.location.domain)") }
        if let rule = step.ignoredBy {
            parts.append("kept here by the ignore rule “\(rule)”")
        } else if let wait = step.wait {
            parts.append("waits \(TransferText.words(wait))")
        }
        if let problem = step.problem { parts.append(problem.message) }
        return parts.joined(separator: ", ")
    }

    package static func text(_ preview: RemovalPreview) -> String {
        let folders = preview.folders > 0 ? " and \(Words.count(preview.folders, "folder", "folders"))" : ""
        var text =
            "\(preview.location): \(preview.isComplete ? "" : "at least ")\(Words.count(preview.documents, "document", "documents"))\(folders) would go, \(Words.size(preview.bytes)), \(preview.here) of them with contents here.\n"
        if preview.unsent > 0 {
            text += "  \(Words.count(preview.unsent, "document", "documents")) of it were not sent yet.\n"
        }
        if !preview.isComplete {
            text += "  Not all of it is known here: folders are listed before they are removed.\n"
        }
        if preview.needsApproval { text += "  So much would wait for your yes.\n" }
        if let refusal = preview.refusal { text += "  It would be refused: \(ErrorText.visible(refusal.message))\n" }
        return text
    }
}

extension SyncPreview {
    package var json: JSON {
        .object([("steps", .array(steps.map(\.json))), ("more", JSON(more))])
    }
}

extension PlannedStep {
    package var json: JSON {
        .object([
            ("kind", .string(kind.rawValue)),
            ("location", .string(location.description)),
            ("destination", JSON(destination?.description)),
            ("items", JSON(items)),
            ("size", JSON(size)),
            ("waitsFor", JSON(wait?.rawValue)),
            ("needsYes", .boolean(needsApproval)),
            ("ignoredBy", JSON(ignoredBy?.text)),
            ("problem", problem.map(\.json) ?? .null),
        ])
    }
}

extension RemovalPreview {
    package var json: JSON {
        .object([
            ("location", .string(location.description)),
            ("documents", JSON(documents)),
            ("folders", JSON(folders)),
            ("bytes", JSON(bytes)),
            ("here", JSON(here)),
            ("unsent", JSON(unsent)),
            ("isComplete", .boolean(isComplete)),
            ("needsYes", .boolean(needsApproval)),
            ("refusal", refusal.map(\.json) ?? .null),
        ])
    }
}
