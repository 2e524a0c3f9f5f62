import DocumentModel
import DocumentSync
import DocumentWire
import ProviderLauncher
import Synchronization
import Testing

@testable import DocumentHost

/// More documents are under way than a provider is asked to take at once.
@Suite(.timeLimit(.minutes(1))) struct ProviderTurnTests {
    private struct NoProvider: ProviderCalling {
        let provider = "The provider Test (org.example.test)"

        func call(
            _ call: ProviderCall, onProgress: (@Sendable (TransferProgress?) -> Void)?
        ) async throws(DocumentError) -> ProviderReply { throw DocumentError(.internal, "Nobody is to be asked.") }

        func noteBroken(_ finding: DocumentError) {}
    }

    private final class Count: Sendable {
        private struct State {
            var now = 0
            var most = 0
            var all = 0
        }

        private let state = Mutex(State())

        var most: Int { state.withLock { $0.most } }
        var all: Int { state.withLock { $0.all } }

        func begin() {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
                state.all += 1
            }
        }

        func end() { state.withLock { $0.now -= 1 } }
    }

    private let session = ProviderSession(NoProvider())

    @Test("A provider takes so many at once, and every one of those that wait for their turn")
    func bounded() async throws {
        let turn = ProviderTurn(session, Permits(2))
        let place = try Location("d:/a")
        let count = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await turn.taken(for: place) { _ throws(DocumentError) in
                        count.begin()
                        try? await Task.sleep(for: .milliseconds(1))
                        count.end()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(count.most == 2)
        #expect(count.all == 20)
    }

    @Test("An error of the provider ends the turn; whoever has one from the beginning waits for nobody")
    func ends() async throws {
        let permits = Permits(1)
        let place = try Location("d:/a")
        let turn = ProviderTurn(session, permits)
        await #expect(throws: DocumentError.self) {
            try await turn.taken(for: place) { session throws(DocumentError) in
                try await session.itemChanged(ItemIdentifier.root)
            }
        }
        #expect(permits.takeAtOnce())
        let own = try await ProviderTurn(session, nil).taken(for: place) { _ throws(DocumentError) in 7 }
        #expect(own == 7)
    }

    @Test("How long an answer took is told, and that none came")
    func answers() async throws {
        let clock = Mutex(Duration.zero)
        let told = Mutex<[Duration?]>([])
        let turn = ProviderTurn(session, Permits(1), clock: { clock.withLock { $0 } }) { took in
            told.withLock { $0.append(took) }
        }
        let place = try Location("d:/a")
        try await turn.taken(for: place) { _ throws(DocumentError) in clock.withLock { $0 += .milliseconds(7) } }
        await #expect(throws: DocumentError.self) {
            try await turn.taken(for: place) { _ throws(DocumentError) in throw DocumentError(.busy, "Not now.") }
        }
        #expect(told.withLock { $0 } == [.milliseconds(7), nil])
    }

    @Test("More documents are made ready than a provider takes while it answers quickly, and no more while it does not")
    func madeReady() {
        let limits = SyncPacing.Limits()
        #expect(limits.documents(after: limits.quick) == limits.documentsWhileQuick)
        #expect(limits.documents(after: limits.quick + .nanoseconds(1)) == limits.requests)
        #expect(limits.documents(after: nil) == limits.requests)
        #expect(limits.documentsWhileQuick > limits.requests)
    }
}
