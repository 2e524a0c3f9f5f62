import DocumentModel
import DocumentStorage
import Testing

@testable import DocumentHost

/// What a provider was asked for and had not acknowledged when the host ended, and what cannot be looked up at the next start.
@Suite(.serialized, .timeLimit(.minutes(1))) struct InterruptedLooksTests {
    private func isOpen(_ host: DocumentHost) throws -> Bool {
        try host.storage.read { try !$0.journal().isEmpty }
    }

    @Test(
        "RS-5: what cannot be looked up at the start is looked up when its provider says that it can be asked, or after a while",
        arguments: [DocumentError.Code.serverUnreachable, .busy])
    func lookedUpLater(_ refusal: DocumentError.Code) async throws {
        let gated = try GatedHost(count: 1)
        defer { gated.end() }
        try await gated.run { host in
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: true)
            // As a host leaves it that ends before there is an answer.
            _ = try host.storage.store.beginRenaming(
                ItemIdentifier("000"), in: gated.domain, to: .root, name: ItemName("mine.txt"))
        }
        gated.remote.refuse(refusal)
        try await gated.run { host in
            // It is asked at the host's start, and when its provider has started.
            var refusals = -1
            while gated.remote.refusals == 0 || gated.remote.refusals > refusals {
                refusals = gated.remote.refusals
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(try isOpen(host))
            gated.remote.refuse(nil)
            // What only passes, nobody says to be resolved.
            if refusal == .serverUnreachable { host.resolved(gated.domain) }
            for _ in 0..<1_000 where try isOpen(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isOpen(host))
        }
    }
}
