import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import Testing

@testable import DocumentHost

/// Documents that are pinned, and do not come at the first try.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PinnedDownloadsTests {
    /// Pins all that there is, and waits until the provider is asked for as many as it is asked for at once.
    private func withPinned(
        _ count: Int, _ body: (DocumentHost, GatedHost) async throws -> Void
    ) async throws {
        let gated = try GatedHost(count: count)
        defer { gated.end() }
        try await gated.run { host in
            let folder = try Location("d:/")
            _ = try await host.items(in: folder, page: nil, suggestedCount: count, refreshing: true)
            try await host.setKeeping(.pinned, at: folder)
            while gated.remote.asked.count < min(count, SyncPacing.Limits().documents) {
                try await Task.sleep(for: .milliseconds(5))
            }
            while gated.remote.documents.contains(where: { standing(of: $0, host, gated) == .none }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            try await body(host, gated)
        }
    }

    private func standing(
        of document: Item, _ host: DocumentHost, _ gated: GatedHost
    ) -> TransferCircumstances.Standing {
        host.pinKeeper.standing(of: ItemKey(domain: gated.domain, id: document.id)).standing
    }

    private func missing(_ host: DocumentHost, _ gated: GatedHost) throws -> Int {
        try host.storage.read { index in
            try gated.remote.documents.count { try index.item($0.id, in: gated.domain)?.state != .materialised }
        }
    }

    private func untilAllAreHere(_ host: DocumentHost, _ gated: GatedHost) async throws {
        for _ in 0..<2_000 where try missing(host, gated) > 0 { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test("XFER-14: when one of many could not come for lack of a server, and the next one could, all of them come")
    func afterObstacle() async throws {
        try await withPinned(40) { host, gated in
            let first = ItemKey(domain: gated.domain, id: try ItemIdentifier(gated.remote.asked[0]))
            gated.remote.answerNext(with: .serverUnreachable)
            while host.pinKeeper.standing(of: first).obstacle == nil { try await Task.sleep(for: .milliseconds(5)) }
            gated.remote.open()
            try await untilAllAreHere(host, gated)
            #expect(try missing(host, gated) == 0)
        }
    }

    @Test("XFER-14: what its provider calls off though nobody asked for that is tried again")
    func calledOff() async throws {
        try await withPinned(1) { host, gated in
            gated.remote.answerNext(with: .cancelled)
            gated.remote.open()
            try await untilAllAreHere(host, gated)
            #expect(try missing(host, gated) == 0)
        }
    }
}
