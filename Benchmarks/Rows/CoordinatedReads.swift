import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// What a coordinated read of a document that is here costs more than to open and read its file: it stands beside two
/// round trips over a socket, for the claim's beginning and its end.
struct CoordinatedReads: BenchmarkRow {
    let name = "coordinated read, over a plain open and read"
    let floor = "2 ping-pongs over a socket"
    let unit = "µs"
    let aim = Aim.ratioAtMost(1)

    private let count = 200

    func measure(rounds: Int) async throws -> [Round] {
        let folder = try TemporaryHost()
        defer { folder.remove() }
        let socket = try PingPong(.socket)
        defer { socket.stop() }
        let contents = [UInt8](repeating: 7, count: 4096)
        return try await withDocumentClient(tool: "docent-benchmarks", address: folder.address) { client in
            let locations = try await folder.makeDocuments(count, of: contents, client)
            var paths: [FilePath] = []
            for location in locations { paths.append(FilePath(try await client.item(at: location).path)) }
            var results: [Round] = []
            for round in 0..<rounds + 3 {
                let coordinated = try await perDocument {
                    for location in locations {
                        try await client.coordinate(readingItemAt: location) { path, _ in try read(path) }
                    }
                }
                let plain = try await perDocument { for path in paths { try read(path) } }
                let trips = 2 * socket.measure(count)
                if round >= 3 { results.append(Round(figure: coordinated - plain, floor: trips)) }
            }
            try await client.stopHost()
            return results
        }
    }

    private func perDocument(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start).microseconds / Double(count)
    }

    private func read(_ path: FilePath) throws {
        let file = try FileDescriptor.open(path, .readOnly)
        let count = try file.closeAfter {
            try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { try file.read(into: $0) }
        }
        guard count == 4096 else { throw Errno.ioError }
    }
}
