package import DocumentModel

/// What happens, a line each.
package enum EventListing {
    package static func line(_ event: ItemEvent) -> String {
        switch event {
        case .appeared(let status): "appeared  \(text(status))"
        case .changed(let status): "changed   \(text(status))"
        case .moved(let status, let origin): "moved     \(ErrorText.visible(origin.description)) to \(text(status))"
        case .removed(let place): "removed   \(ErrorText.visible(place.description))"
        case .domain(let domain):
            "domain    \(domain.name)  \(DomainListing.state(of: domain))"
                + (domain.problem.map { ", \(ErrorText.visible($0.message))" } ?? "")
        case .domainRemoved(let name): "removed   \(name):/"
        case .lost: "lost      more may have happened than is told: look at everything anew"
        }
    }

    private static func text(_ status: ItemStatus) -> String {
        var parts = [status.item.kind.isFolder ? status.item.kind.rawValue : status.state.word]
        parts += [status.transfers.download, status.transfers.upload].compactMap { $0.map(TransferText.line) }
        parts += TransferText.marks(status.marks).map { "\($0.name.lowercased()) \($0.text)" }
        if let problem = status.problem { parts.append(ErrorText.visible(problem.message)) }
        return "\(ErrorText.visible(status.location.description))  \(parts.joined(separator: ", "))"
    }
}

extension ItemEvent {
    package var json: JSON {
        switch self {
        case .appeared(let status): record("appeared", status.location, [("item", status.json)])
        case .changed(let status): record("changed", status.location, [("item", status.json)])
        case .moved(let status, let origin):
            record("moved", status.location, [("from", .string(origin.description)), ("item", status.json)])
        case .removed(let place): record("removed", place, [])
        case .domain(let domain): record("domain", Location(domain: domain.name), [("domain", domain.json)])
        case .domainRemoved(let name): record("domainRemoved", Location(domain: name), [])
        case .lost: .object([("event", .string("lost"))])
        }
    }

    private func record(_ event: String, _ location: Location, _ more: [(String, JSON)]) -> JSON {
        .object([("event", .string(event)), ("location", .string(location.description))] + more)
    }
}
