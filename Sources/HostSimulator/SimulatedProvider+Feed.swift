import DocumentModel
import DocumentProvider

/// A provider that tells what has changed.
protocol SimulatedFeedProvider: SimulatedProvider, ChangeFeedProvider {}

extension SimulatedFeedProvider {
    func currentAnchor() async throws -> SyncAnchor {
        try await call("anchor") { try Self.anchor(remote.changes.count) }
    }

    func changes(since anchor: SyncAnchor, suggestedCount: Int) async throws -> ItemChanges {
        try await call("changes") {
            let oldest = simulation.scenario.memory.map { remote.changes.count - $0 } ?? 0
            guard var from = Int(String(decoding: anchor.bytes, as: UTF8.self)),
                from >= oldest || remote.mistake == .forgetsChanges
            else { throw DocumentError(.anchorExpired, "That is too long ago.") }
            from = max(from, oldest)
            let page = remote.changes[from...].prefix(5)
            var seen: Set<ItemIdentifier> = []
            let ids = page.filter { seen.insert($0).inserted }
            for id in ids { simulation.note("\(context.deviceName) hears of \(id): \(remote.path(of: id))") }
            return ItemChanges(
                updated: try ids.filter { remote.entries[$0] != nil && remote.isTold($0) }.map(remote.item),
                deleted: remote.mistake == .forgetsDeletions ? [] : ids.filter { remote.entries[$0] == nil },
                anchor: try Self.anchor(from + page.count),
                more: from + page.count < remote.changes.count)
        }
    }

    private static func anchor(_ place: Int) throws -> SyncAnchor { try SyncAnchor(Array("\(place)".utf8)) }
}

/// A provider that has no feed: what is new is found where folders are listed, and what is at a path is asked for.
protocol SimulatedListedProvider: SimulatedProvider {}

extension SimulatedListedProvider {
    func persistentIdentifier(forItemAt path: String) async throws -> ItemIdentifier? {
        try await call("identifier of /\(path)") { try remote.id(at: path) }
    }

    func path(for id: ItemIdentifier) async throws -> String? {
        try await call("path of \(id)") { () -> String? in
            if id == .root { return "" }
            return remote.entries[id] == nil ? nil : String(remote.path(of: id).dropFirst())
        }
    }
}
