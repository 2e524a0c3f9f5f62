import DocumentClient
import DocumentModel
import Synchronization

/// How much memory the daemon takes for 10,000 claims that are held at once, on 1,000 documents.
struct ClaimsHeld: BenchmarkRow {
    let name = "memory of 10,000 claims that are held"
    let floor = "the limit"
    let unit = "MB"
    let aim = Aim.ratioAtMost(1)

    private static let claims = 10_000
    private static let documents = 1_000

    /// Each round has a daemon of its own: memory that was used once is not given back.
    func measure(rounds: Int) async throws -> [Round] {
        var results: [Round] = []
        for _ in 0..<min(rounds, 3) {
            let folder = try TemporaryHost()
            defer { folder.remove() }
            results.append(
                Round(
                    figure: try await withDocumentClient(tool: "docent-benchmarks", address: folder.address) { client in
                        let locations = try await folder.makeDocuments(Self.documents, of: [7], client)
                        let taken = try await memory(of: client, holdingEach: locations)
                        try await client.stopHost()
                        return taken
                    }, floor: 50))
        }
        return results
    }

    private func memory(of client: DocumentClient, holdingEach locations: [Location]) async throws -> Double {
        let before = try await client.hostStatus().memory
        let gate = Gate()
        var after: UInt64 = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.claims {
                let location = locations[number % locations.count]
                group.addTask {
                    try await client.coordinate(readingItemAt: location) { _, _ in await gate.passed() }
                }
            }
            while gate.waiting < Self.claims { try await Task.sleep(for: .milliseconds(20)) }
            let status = try await client.hostStatus()
            guard status.claims >= Self.claims else {
                throw DocumentError(.internal, "Only \(status.claims) claims are held.")
            }
            after = status.memory
            gate.open()
            try await group.waitForAll()
        }
        return Double(after - min(before, after)) / 1_000_000
    }

    /// Lets nobody pass until it is opened.
    private final class Gate: Sendable {
        private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

        var waiting: Int { state.withLock { $0.waiting.count } }

        func passed() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }
    }
}
