import DocumentClient
import DocumentModel
import FoundationEssentials
import Glibc
import SystemPackage

/// What a coordinated read of a document that is here costs more than to open and read its file: it stands beside two
/// round trips over a socket, for the claim's beginning and its end.
struct CoordinatedReads: BenchmarkRow {
    enum Way: String {
        case plain = "coordinated read"
        /// The host runs on another processor than the tool, and so do the two sides of the floor.
        case apart = "coordinated read, two processors"
        /// All on one processor.
        case together = "coordinated read, one processor"
        /// With a coordinator that was made with a presenter.
        case presenter = "coordinated read, with a presenter"
        /// By a tool that may do only what its manifest names.
        case registered = "coordinated read, registered tool"
        case bookmark = "coordinated read, by bookmark"
    }

    let way: Way
    private var placement: Placement {
        switch way {
        case .apart: .apart
        case .together: .together
        case .plain, .presenter, .registered, .bookmark: .free
        }
    }
    var name: String { way.rawValue + ", over a plain open and read" }
    let floor = "2 ping-pongs over a socket"
    let unit = "µs"
    let aim = Aim.ratioAtMost(1)

    private let count = 200

    func measure(rounds: Int) async throws -> [Round] {
        let folder = try TemporaryHost()
        defer { folder.remove() }
        let contents = [UInt8](repeating: 7, count: 4096)
        return try await withDocumentClient(tool: "docent-benchmarks", address: folder.address) { client in
            let locations = try await folder.makeDocuments(count, of: contents, client)
            var paths: [FilePath] = []
            for location in locations { paths.append(FilePath(try await client.item(at: location).path)) }
            try placement.place(other: try await client.hostStatus().processID)
            let results = try await measure(rounds, locations, paths, folder, client)
            try placement.end()
            try await client.stopHost()
            return results
        }
    }

    private func measure(
        _ rounds: Int, _ locations: [Location], _ paths: [FilePath], _ folder: TemporaryHost, _ client: DocumentClient
    ) async throws -> [Round] {
        switch way {
        case .plain, .apart, .together:
            return try await measure(rounds, paths) { number in
                try await client.coordinate(readingItemAt: locations[number]) { path, _ in try read(path) }
            }
        case .presenter:
            let presenter = Onlooker()
            try await client.addPresenter(presenter)
            let coordinator = FileCoordinator(client, presenter: presenter)
            return try await measure(rounds, paths) { number in
                try await coordinator.coordinate(readingItemAt: locations[number]) { path, _ in try read(path) }
            }
        case .bookmark:
            var bookmarks: [Bookmark] = []
            for location in locations { bookmarks.append(try await client.bookmark(of: location)) }
            return try await measure(rounds, paths) { number in
                try await client.coordinate(readingItemOf: bookmarks[number]) { path, _ in try read(path) }
            }
        case .registered:
            // From the next connection on, this program is the tool.
            try await register(locations[0].domain, folder, client)
            return try await withDocumentClient(tool: "bench", address: folder.address, start: .never) { tool in
                try await measure(rounds, paths) { number in
                    try await tool.coordinate(readingItemAt: locations[number]) { path, _ in try read(path) }
                }
            }
        }
    }

    private func register(_ domain: DomainName, _ folder: TemporaryHost, _ client: DocumentClient) async throws {
        let manifest = folder.path.appending("tool.toml")
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let text = """
            identifier = "org.example.bench"
            name = "Bench"
            executable = "\(program)"
            read-domains = ["\(domain)"]

            """
        let file = try FileDescriptor.open(
            manifest, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        _ = try file.closeAfter { try file.writeAll(Array(text.utf8)) }
        try await client.registerTool(manifest: manifest)
    }

    private func measure(
        _ rounds: Int, _ paths: [FilePath], _ readDocument: (Int) async throws -> Void
    ) async throws -> [Round] {
        let socket = try PingPong(.socket, placement)
        defer { socket.stop() }
        var results: [Round] = []
        for round in 0..<rounds + 3 {
            let coordinated = try await perDocument { for number in paths.indices { try await readDocument(number) } }
            let plain = try await perDocument { for path in paths { try read(path) } }
            let trips = 2 * socket.measure(count)
            if round >= 3 { results.append(Round(figure: coordinated - plain, floor: trips)) }
        }
        return results
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

/// Presents what is not there yet.
private final class Onlooker: FilePresenter {
    let presentedItemLocation: Location? = nil
}
