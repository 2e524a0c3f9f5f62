import DocumentModel
import Synchronization
import Testing

@testable import DocumentHost

/// What is left in a process of a host that has ended there.
struct EndedHostTests {
    private final class Remembered: Sendable {
        private struct Reference {
            weak var host: DocumentHost?
        }

        private let reference = Mutex(Reference())

        var isThere: Bool { reference.withLock { $0.host != nil } }

        func remember(_ host: DocumentHost) { reference.withLock { $0.host = host } }
    }

    @Test("A host that has ended is gone, and what it watched folders and kept its index with, too")
    func nothingIsLeft() async throws {
        let gated = try GatedHost(count: 1)
        defer { gated.end() }
        let remembered = Remembered()
        try await gated.run { host in
            remembered.remember(host)
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
        }
        let end = ContinuousClock.now + .seconds(20)
        while remembered.isThere, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        #expect(!remembered.isThere)
    }
}
