import DocumentModel
import SystemPackage

/// Small documents on a WebDAV server that is 50 ms away, opened through the mount for the first time, one after the other, beside
/// `rclone mount --vfs-cache-mode full` of the same server.
struct MountedRemoteDocuments: BenchmarkRow {
    let name = "mounted: 4 KiB document from WebDAV, 50 ms away, cold open"
    let floor = "rclone's full cache"
    let unit = "ms"
    let aim = Aim.ratioAtMost(1 / 4)

    private let count = 50
    private let delay = 50

    func measure(rounds: Int) async throws -> [Round] {
        let rounds = min(rounds, 5)
        let remote = try RemoteFolder(delay: delay) { folder in
            for round in 0..<rounds {
                let inner = folder.appending("\(round)")
                try MountedFolder.run(["mkdir", inner.string])
                for document in 0..<count {
                    try MountedFolder.write([UInt8](repeating: 7, count: 4096), to: inner.appending("\(document).txt"))
                }
            }
        }
        defer { remote.remove() }
        let (mounted, other) = (remote.host.path.appending("mount"), remote.host.path.appending("other"))
        try MountedFolder.run(["mkdir", other.string])
        try MountedFolder.run([
            MountedFolder.docent, "domain", "add", "bench", "--provider", "org.docent.webdav", "--set",
            "url=\(remote.url)", "--set", "read-only=true",
        ])
        try MountedFolder.run([MountedFolder.docent, "mount", mounted.string])
        try MountedFolder.run([
            "rclone", "mount", ":webdav:/", other.string, "--webdav-url", remote.url, "--vfs-cache-mode", "full",
            "--daemon", "--config", "/dev/null", "--cache-dir", remote.host.path.appending("rclone").string,
        ])
        defer {
            try? MountedFolder.run(["fusermount3", "-u", other.string])
            try? MountedFolder.run([MountedFolder.docent, "unmount", mounted.string])
            try? MountedFolder.run([MountedFolder.docent, "host", "stop"])
        }
        var results: [Round] = []
        for round in 0..<rounds {
            let folders = [mounted.appending("bench"), other].map { $0.appending("\(round)") }
            for folder in folders { try MountedFolder.run(["ls", "-l", folder.string]) }
            var times: [Double] = []
            for folder in folders {
                times.append(try MountedFolder.openAll(count, in: folder))
                try await Task.sleep(for: .seconds(1))
            }
            results.append(Round(figure: times[0] / 1e3, floor: times[1] / 1e3))
        }
        return results
    }
}
