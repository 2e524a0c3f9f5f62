import DocumentClient
import DocumentModel
import Foundation

extension AttackQuestion {
    /// So many folders are gone down, each in the one before.
    private static let depth = 40

    /// Goes down as far as the provider has folders. Where there can be none it is told so; nobody is led about in a circle.
    func descend(_ client: DocumentClient) async throws {
        var place = top
        var seen: Set<ItemIdentifier> = []
        for _ in 0..<Self.depth {
            var folders: [(name: ItemName, id: ItemIdentifier)] = []
            do {
                for try await item in client.items(in: place, refresh: true) where item.item.kind == .folder {
                    if let name = item.item.name { folders.append((name, item.item.id)) }
                }
            } catch {
                guard error.code == .contractBroken || error.code == .noSuchItem else { throw error }
                return try ErrorClarity.check(error)
            }
            guard let next = folders.first else { return }
            guard seen.insert(next.id).inserted else {
                throw CheckFailure("A folder lies below itself.", detail: "\(place.appending(next.name))")
            }
            place = place.appending(next.name)
        }
    }

    private static let newer = Data("newer\n".utf8)

    /// What a feed has not told is found by the next listing at the latest, and by whoever opens it.
    func refreshAndRead(_ client: DocumentClient) async throws {
        try await list(client)
        try await client.refresh(top)
        try await list(client)
        let target = top.appending(try ItemName("target.txt"))
        let contents = try await client.coordinate(readingItemAt: target) { path, _ in
            try Data(contentsOf: URL(fileURLWithPath: path.string))
        }
        guard contents == Self.newer else {
            throw CheckFailure(
                "A change that the provider's feed has passed over is never found.", detail: "\(contents.count) bytes")
        }
    }
}
