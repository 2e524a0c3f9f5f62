import DocumentModel
import Testing

@testable import DocumentHost

/// The removal of a folder that its provider says is not empty, though nothing is known to be in it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FolderRemoverTests {
    private let place: Location

    init() throws {
        place = try Location("d:/F")
    }

    private func withHost(_ body: (DocumentHost, CrowdedFolder) async throws -> Void) async throws {
        let folder = try CrowdedFolder()
        let gated = try GatedHost(count: 0, crowded: folder)
        defer { gated.end() }
        try await gated.run { host in
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            try await body(host, folder)
        }
    }

    @Test("VER-15: what its provider tells nobody of goes with a folder")
    func untold() async throws {
        try await withHost { host, folder in
            try await host.remove(place, recursive: true, discardingUnsent: false)
            #expect(!folder.isThere)
        }
    }

    @Test("VER-15: what its provider tells of in a folder keeps that there, also where it cannot be taken up here")
    func unusable() async throws {
        try await withHost { host, folder in
            folder.put(try CrowdedFolder.document("stray.txt", in: ItemIdentifier("elsewhere")))
            let error = await #expect(throws: DocumentError.self) {
                try await host.remove(place, recursive: true, discardingUnsent: false)
            }
            #expect(error?.code == .directoryNotEmpty)
            #expect(error?.description.contains("stray.txt") == true, "\(error as Any)")
            #expect(folder.inside.map(\.id.rawValue) == ["stray.txt"])
        }
    }

    @Test("VER-15: what came to a folder after a listing of it was answered, which is under way still, stays there")
    func joinedListing() async throws {
        try await withHost { host, folder in
            let domain = try host.domains.domain(place.domain)
            let id = folder.item.id
            let document = try CrowdedFolder.document("new.txt", in: id)
            folder.onRefusal {
                // Somebody else lists it; then another device puts something there.
                folder.holdNextListing()
                Task { _ = try? await host.follower.listAgain(id, of: domain) }
                await folder.untilListing()
                folder.put(document)
                Task {
                    // Time enough for the removal to join that listing.
                    try? await Task.sleep(for: .milliseconds(300))
                    folder.answerListing()
                }
            }
            let error = await #expect(throws: DocumentError.self) {
                try await host.remove(place, recursive: true, discardingUnsent: false)
            }
            #expect(error?.code == .directoryNotEmpty)
            #expect(folder.inside == [document])
        }
    }
}
