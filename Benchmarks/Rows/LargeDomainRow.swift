import DocumentClient
import DocumentModel

/// What a domain of so many documents costs: its first listing into the index, the next start of a host, the memory of that
/// host, and the way of one change to the provider. Each stands beside what is asked for.
struct LargeDomainRow: BenchmarkRow {
    enum Measure {
        case listing, start, memory, change
    }

    let measure: Measure
    var count = 1_000_000

    var name: String {
        let what =
            switch measure {
            case .listing: "listed for the first time"
            case .start: "a host starts"
            case .memory: "memory of a host"
            case .change: "one change to the provider"
            }
        return "\(count) documents: \(what)"
    }

    let floor = "what is asked for"
    var unit: String {
        switch measure {
        case .listing: "/s"
        case .start: "s"
        case .memory: "MB"
        case .change: "ms"
        }
    }

    var aim: Aim { measure == .listing ? .ratioAtLeast(1) : .ratioAtMost(1) }

    /// The domain is made once, and listed once, whatever the number of rounds: it takes long.
    func measure(rounds: Int) async throws -> [Round] {
        let folders = count / LargeProvider.folderSize
        return try await LargeDomain.with(documents: count) { domain, client in
            let listing = try await ContinuousClock().measure { try await domain.list(folders, client) }
            switch measure {
            case .listing: return [Round(figure: Double(count) / listing.seconds, floor: 50_000)]
            case .start, .memory: return try await starts(min(rounds, 5), domain, client)
            case .change: return try await changes(min(rounds, 15), domain, client)
            }
        }
    }

    private func starts(_ rounds: Int, _ domain: LargeDomain, _ client: DocumentClient) async throws -> [Round] {
        var results: [Round] = []
        let last = try domain.document(count - 1)
        try await client.stopHost()
        for _ in 0..<rounds {
            let begin = ContinuousClock.now
            // A client is of one host: each gets its own.
            let round = try await domain.withClient { client in
                // Until something of the domain is answered.
                _ = try await client.knownItem(at: last)
                let start = ContinuousClock.now - begin
                var round = Round(figure: start.seconds, floor: count > 100_000 ? 3 : 1)
                if measure == .memory {
                    try await domain.list(50, client)
                    round = Round(figure: Double(try await client.hostStatus().memory) / 1e6, floor: 200)
                }
                try await client.stopHost()
                return round
            }
            results.append(round)
        }
        return results
    }

    private func changes(_ rounds: Int, _ domain: LargeDomain, _ client: DocumentClient) async throws -> [Round] {
        var results: [Round] = []
        for round in 0..<rounds + 1 {
            let document = try domain.document(round * 997)
            try await client.coordinate(readingItemAt: document) { _, _ in }
            var written = ContinuousClock.now
            try await client.coordinate(writingItemAt: document) { path, _ in
                try MountedFolder.write([UInt8(round)], to: path)
                written = .now
            }
            try await client.waitUntilSent(document)
            // The way there, and the answer's way back.
            let way = (ContinuousClock.now - written).microseconds / 1000
            if round > 0 { results.append(Round(figure: way, floor: 50)) }
        }
        return results
    }
}
