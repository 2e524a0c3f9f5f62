package import DocumentModel
import DocumentStorage
import DocumentWire
import FileCoordination

extension DocumentHost {
    /// From when it returns, what happens at or below a location is kept until the tool asks for it.
    package func watch(_ location: Location?, for tool: Tool) async throws(DocumentError) -> UInt64 {
        if let location { try domains.domain(location.domain).requireVisible() }
        return try await events.begin(location, for: tool.owner)
    }

    package func endWatch(_ number: UInt64, for tool: Tool) { events.end(number, for: tool.owner) }

    /// What has happened since the call before; waits until something has.
    package func nextEvents(_ number: UInt64, for tool: Tool) async throws(DocumentError) -> [ItemEvent] {
        while true {
            let entries = try await events.next(number, for: tool.owner)
            let scope = try events.scope(of: number, for: tool.owner)
            // It may have lost the right to know meanwhile.
            try authorise(.transfers(.watch(scope)), for: tool)
            let statuses = try statuses(of: entries.compactMap(\.item), in: scope)
            var told: [ItemEvent] = []
            for entry in entries {
                if let event = try event(entry, statuses, in: scope, for: tool) { told.append(event) }
            }
            if !told.isEmpty { return told }
        }
    }

    /// Nil for what is none of the tool's business, or has no place by now.
    private func event(
        _ entry: EventBuffer.Entry, _ statuses: [ItemKey: ItemStatus], in scope: Location?, for tool: Tool
    ) throws(DocumentError) -> ItemEvent? {
        switch entry {
        case .lost: return .lost
        case .domain(let name):
            guard let record = try storage.read({ try $0.domain(name) }) else { return nil }
            return try reduced([describe(record)], for: tool).first.map(ItemEvent.domain)
        case .domainRemoved(let name): return .domainRemoved(name)
        case .removed(let key, let place):
            guard isVisible(key.domain), Self.isInside(place, scope) else { return nil }
            return .removed(place)
        case .appeared(let key):
            return statuses[key].map(ItemEvent.appeared)
        case .changed(let key):
            return statuses[key].map(ItemEvent.changed)
        case .moved(let key, let origin):
            let isFromInside = isVisible(key.domain) && Self.isInside(origin, scope)
            guard let status = statuses[key] else {
                return isFromInside ? .removed(origin) : nil
            }
            return isFromInside ? .moved(status, from: origin) : .appeared(status)
        }
    }

    /// Of those that there are, in one look: what happens together is told together.
    private func statuses(
        of keys: [ItemKey], in scope: Location?
    ) throws(DocumentError) -> [ItemKey: ItemStatus] {
        let visible = keys.filter { isVisible($0.domain) }
        if visible.isEmpty { return [:] }
        return try storage.read { index in
            var statuses: [ItemKey: ItemStatus] = [:]
            for key in visible {
                guard let item = try index.item(key.id, in: key.domain), item.exists,
                    case let folders = try index.folders(around: item),
                    // In a folder that is not shown because of its name.
                    let place = try? index.shownLocation(of: item, inside: folders), Self.isInside(place, scope)
                else { continue }
                statuses[key] = try self.status(
                    of: item, at: place, onDisk: try index.diskLocations(in: key.domain)(place), index)
            }
            return statuses
        }
    }

    /// Of a drop box nothing is told (PICK-13).
    private func isVisible(_ name: DomainName) -> Bool { domains.find(name)?.isDropBox != true }

    private static func isInside(_ place: Location, _ scope: Location?) -> Bool {
        guard let scope else { return true }
        return place.domain == scope.domain && place.components.starts(with: scope.components)
    }
}

extension EventBuffer.Entry {
    /// The item whose state is told with it.
    fileprivate var item: EventBuffer.Key? {
        switch self {
        case .appeared(let key), .changed(let key), .moved(let key, _): key
        case .lost, .removed, .domain, .domainRemoved: nil
        }
    }
}
