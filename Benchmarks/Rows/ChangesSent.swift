import DocumentClient
import DocumentModel
import DocumentTransport
import DocumentWire
import SystemPackage

/// Small documents that were changed while their domain paused, sent when it goes on: beside the same provider alone, asked
/// for the same changes over its pipe, as many at once as the host has under way at most.
struct ChangesSent: BenchmarkRow {
    var name: String { "\(count) changed documents sent" }
    let floor = "the provider alone"
    let unit = "s"
    let aim = Aim.ratioAtMost(1.5)

    let count: Int
    /// Of each change at the provider: a server near by.
    private let delay = 5
    private let fewestInFlight = 8

    func measure(rounds: Int) async throws -> [Round] {
        let ours = try await LargeDomain.with(documents: count, delay: delay) { domain, client in
            try await domain.list(count / LargeProvider.folderSize, client)
            try await inParts { try await client.coordinate(readingItemAt: domain.document($0)) { _, _ in } }
            let root = Location(domain: domain.name)
            var results: [(sending: Double, inFlight: Int)] = []
            for round in 0..<min(rounds, 3) {
                try await client.pauseTransfers(at: root)
                try await inParts { number in
                    try await client.coordinate(writingItemAt: domain.document(number)) { path, _ in
                        try MountedFolder.write(Array("change \(round)".utf8), to: path)
                    }
                }
                let sending = try await ContinuousClock().measure {
                    try await client.resumeTransfers(at: root)
                    try await client.waitUntilSent(root)
                }
                let inFlight = try LargeProvider.mostInFlight(in: domain.stateFolder)
                guard inFlight >= fewestInFlight else {
                    throw DocumentError(.internal, "Only \(inFlight) changes were under way at once.")
                }
                results.append((sending.seconds, inFlight))
            }
            return results
        }
        var results: [Round] = []
        for (sending, inFlight) in ours {
            results.append(Round(figure: sending, floor: try await alone(inFlight)))
        }
        return results
    }

    /// Every number of a document, some at a time.
    private func inParts(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<8 {
                group.addTask { for number in stride(from: part, to: count, by: 8) { try await body(number) } }
            }
            try await group.waitForAll()
        }
    }

    /// - Returns: seconds.
    private func alone(_ inFlight: Int) async throws -> Double {
        let folder = try TemporaryHost()
        defer { folder.remove() }
        let contents = folder.path.appending("contents")
        try MountedFolder.write(Array("change".utf8), to: contents)
        let settings = SessionSettings(
            providerID: try ProviderIdentifier("org.example.large"), domain: try DomainName("bench"),
            settings: ["documents": "\(count)", "delay": "\(delay)"], stateFolder: folder.path.string,
            storageRoot: folder.path.string, stagingFolder: folder.path.string)
        return try await ProviderConnection.with(settings) { provider in
            let base = try ItemVersion(content: [1], metadata: [1])
            return try await ContinuousClock().measure {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for part in 0..<inFlight {
                        group.addTask {
                            for number in stride(from: part, to: count, by: inFlight) {
                                let size = LargeProvider.folderSize
                                let id = try ItemIdentifier("\(number / size)-\(number % size)")
                                try await provider.ask(
                                    .modify(
                                        ProviderCall.ModifyCall(
                                            id: id, baseVersion: base, contentsPath: contents.string,
                                            modified: Timestamp(seconds: 1_800_000_000), operation: "\(number)")))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }.seconds
        }
    }
}
