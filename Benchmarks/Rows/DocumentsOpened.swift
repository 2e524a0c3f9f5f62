import DocumentClient
import DocumentModel
import DocumentTransport
import Glibc
import SystemPackage

/// A document of 4 KiB, opened and read through `DocumentClient` in a coordinated read: for the first time, when its
/// provider has it in memory; or again, when it is here.
///
/// The first time stands beside a round trip over a pipe and the file operations by hand (create, write, flush, rename,
/// open, read); again stands beside open, read, and two round trips, for the claim's beginning and end.
struct DocumentsOpened: BenchmarkRow {
    let isFirst: Bool

    var name: String { isFirst ? "4 KiB document, first open" : "4 KiB document, opened again" }
    var floor: String { isFirst ? "2 ping-pongs + files by hand" : "2 ping-pongs + open, read" }
    let unit = "µs"
    var aim: Aim { isFirst ? .ratioAtMost(3) : .ratioAtMost(2) }

    private let count = 100

    func measure(rounds: Int) async throws -> [Round] {
        let folder = try TemporaryHost()
        defer { folder.remove() }
        let pipe = try PingPong()
        defer { pipe.stop() }
        let domain = try DomainName("bench")
        let contents = [UInt8](repeating: 7, count: 4096)
        return try await withDocumentClient(tool: "docent-benchmarks", address: folder.address) { client in
            try await client.addDomain(domain, provider: ProviderIdentifier("org.example.memory"))
            var locations: [Location] = []
            for number in 0..<count {
                let source = folder.path.appending("source \(number)")
                try write(contents, to: source)
                let location = Location(domain: domain, components: [try ItemName("document \(number)")])
                _ = try await client.exportDocument(source, to: location)
                locations.append(location)
            }
            var results: [Round] = []
            for round in 0..<rounds + 1 {
                if isFirst { for location in locations { _ = try await client.evict(location) } }
                let ours = try await timed {
                    for location in locations {
                        try await client.coordinate(readingItemAt: location) { path, _ in try read(path) }
                    }
                }
                let byHand = try await timed {
                    for number in 0..<count {
                        let path = folder.path.appending("by hand \(number)")
                        if isFirst { try write(contents, to: path, flushing: true) }
                        try read(isFirst ? path : folder.path.appending("source \(number)"))
                    }
                }
                let trips = 2 * pipe.measure(count)
                if round > 0 {
                    results.append(Round(figure: ours / Double(count), floor: byHand / Double(count) + trips))
                }
            }
            try await client.stopHost()
            return results
        }
    }

    private func timed(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start).microseconds
    }

    private func write(_ bytes: [UInt8], to path: FilePath, flushing: Bool = false) throws {
        let temporary = path.removingLastComponent().appending("temporary")
        let file = try FileDescriptor.open(
            temporary, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        try file.closeAfter {
            try file.writeAll(bytes)
            if flushing { guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) } }
        }
        guard rename(temporary.string, path.string) == 0 else { throw Errno(rawValue: errno) }
    }

    private func read(_ path: FilePath) throws {
        let file = try FileDescriptor.open(path, .readOnly)
        let count = try file.closeAfter {
            try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { try file.read(into: $0) }
        }
        guard count == 4096 else { throw Errno.ioError }
    }
}
