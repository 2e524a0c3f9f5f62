import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// The last mebibyte of a large document that is not here, read through the mount, from a WebDAV server that is 20 ms away, beside
/// `rclone mount --vfs-cache-mode full` of the same.
struct MountedLargeDocument: BenchmarkRow {
    let name = "mounted: last MiB of a large document, WebDAV 20 ms away"
    let floor = "rclone's full cache"
    let unit = "ms"
    let aim = Aim.ratioAtMost(4)

    private let size: Int64 = 512 << 20

    func measure(rounds: Int) async throws -> [Round] {
        let rounds = min(rounds, 7) + 1
        let remote = try RemoteFolder(delay: 20) { folder in
            // Without a block on the disk: only what is asked for is of interest.
            for round in 0..<rounds {
                let path = folder.appending("\(round)")
                let file = try FileDescriptor.open(
                    path, .writeOnly, options: .create, permissions: .ownerReadWrite)
                try file.closeAfter { try file.resize(to: size) }
            }
        }
        defer { remote.remove() }
        sleep(3)
        let (mount, other) = (remote.host.path.appending("mount"), remote.host.path.appending("other"))
        guard mkdir(other.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        return try await withDocumentClient(tool: "docent-benchmarks", address: remote.host.address) { client in
            try await remote.add(client)
            try MountedFolder.run([MountedFolder.docent, "mount", mount.string])
            defer {
                try? MountedFolder.run([MountedFolder.docent, "unmount", mount.string])
                try? MountedFolder.run([MountedFolder.docent, "host", "stop"])
            }
            try MountedFolder.run([
                "rclone", "mount", ":webdav:/", other.string, "--webdav-url", remote.url, "--vfs-cache-mode", "full",
                "--daemon", "--cache-dir", remote.host.path.appending("rclone").string, "--config", "/dev/null",
            ])
            defer { try? MountedFolder.run(["fusermount3", "-u", other.string]) }
            let ours = mount.appending(remote.domain.rawValue)
            for folder in [ours, other] { try MountedFolder.run(["ls", "-l", folder.string]) }
            var results: [Round] = []
            for round in 0..<rounds {
                let figure = try readEnd(of: ours.appending("\(round)"))
                // The rest comes behind it; the other one is not to wait for that.
                try await client.download(remote.location.appending(try ItemName("\(round)")))
                let floor = try readEnd(of: other.appending("\(round)"))
                if round > 0 { results.append(Round(figure: figure, floor: floor)) }
            }
            return results
        }
    }

    /// In milliseconds.
    private func readEnd(of path: FilePath) throws -> Double {
        try MountedFolder.microseconds {
            let file = try FileDescriptor.open(path, .readOnly)
            try file.closeAfter {
                try withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 4096) { buffer in
                    var count = 0
                    while count < buffer.count {
                        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                        let next = try file.read(fromAbsoluteOffset: size - Int64(buffer.count - count), into: rest)
                        guard next > 0 else { throw Errno.ioError }
                        count += next
                    }
                }
            }
        } / 1000
    }
}
