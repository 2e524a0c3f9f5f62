import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// Small documents in a hundred folders on a WebDAV server that is 20 ms away: listed, and brought to the disk, beside
/// `rclone copy` of the same, with as many transfers at a time.
struct RemoteSmallDocuments: BenchmarkRow {
    let name = "10000 documents from WebDAV, 20 ms away"
    let floor = "rclone copy, as many at once"
    let unit = "s"
    let aim = Aim.ratioAtMost(2)

    private let folders = 100
    private let documents = 100
    private let delay = 20
    private let fewestInFlight = 20
    /// As many as Docent has under way.
    private let transfers = 32

    func measure(rounds: Int) async throws -> [Round] {
        let remote = try RemoteFolder(delay: delay) { folder in
            for number in 0..<folders {
                let inside = folder.appending("folder \(number)")
                guard mkdir(inside.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
                for document in 0..<documents {
                    let contents = [UInt8](repeating: UInt8(truncatingIfNeeded: document), count: 4096)
                    try MountedFolder.write(contents, to: inside.appending("document \(document)"))
                }
            }
        }
        defer { remote.remove() }
        // So that no date is younger than the server's clock can tell.
        sleep(3)
        return try await withDocumentClient(tool: "docent-benchmarks", address: remote.host.address) { client in
            var results: [Round] = []
            for round in 0..<min(rounds, 3) {
                try await remote.add(client)
                let ours = try await ContinuousClock().measure { try await client.download(remote.location) }
                // Later rclone's count, too.
                let inFlight = try round == 0 ? remote.proxy.mostInFlight() : fewestInFlight
                guard inFlight >= fewestInFlight else {
                    throw DocumentError(.internal, "Only \(inFlight) requests were on their way at once.")
                }
                try await client.removeDomain(remote.domain)
                let copy = remote.host.path.appending("copy \(round)")
                let other = try MountedFolder.microseconds {
                    try MountedFolder.run([
                        "rclone", "copy", ":webdav:/", copy.string, "--webdav-url", remote.url, "--transfers",
                        "\(transfers)", "--checkers", "\(transfers)", "--config", "/dev/null",
                    ])
                }
                StorageBench.remove(copy)
                results.append(Round(figure: ours.seconds, floor: other / 1e6))
            }
            try await client.stopHost()
            return results
        }
    }
}

/// One large document from a WebDAV server on this machine, beside `curl` to a file.
struct RemoteLargeDocument: BenchmarkRow {
    let name = "512 MiB from WebDAV"
    let floor = "curl to a file"
    let unit = "MB/s"
    let aim = Aim.ratioAtLeast(0.8)

    private let mebibytes = 512

    func measure(rounds: Int) async throws -> [Round] {
        let remote = try RemoteFolder(delay: 0) { folder in
            try MountedFolder.write(
                [UInt8](repeating: 7, count: 1 << 20), times: mebibytes, to: folder.appending("large"))
        }
        defer { remote.remove() }
        sleep(3)
        return try await withDocumentClient(tool: "docent-benchmarks", address: remote.host.address) { client in
            try await remote.add(client)
            let document = remote.location.appending(try ItemName("large"))
            var results: [Round] = []
            for round in 0..<min(rounds, 5) + 1 {
                let ours = try await ContinuousClock().measure { try await client.download(document) }
                _ = try await client.evict(document)
                let copy = remote.host.path.appending("copy")
                let other = try MountedFolder.microseconds {
                    try MountedFolder.run(["curl", "--silent", "--output", copy.string, remote.url + "large"])
                }
                unlink(copy.string)
                let size = Double(mebibytes << 20) / 1e6
                if round > 0 {
                    results.append(Round(figure: size / ours.seconds, floor: size / (other / 1e6)))
                }
            }
            try await client.stopHost()
            return results
        }
    }
}
