import SystemPackage

/// Documents of 4 KiB of FolderProvider's, opened, read and closed through the mount, beside `rclone mount --vfs-cache-mode full`
/// of the same folder: for the first time, or a second after that, when what that had to be done for is done. Fifty in a row, as a
/// program that looks through a folder opens them.
struct MountedSmallDocuments: BenchmarkRow {
    let isFirst: Bool
    /// Whether further ones of a folder are fetched ahead of who opens them one after the other.
    var readsAhead = true

    var name: String {
        if !readsAhead { return "mounted: 4 KiB document, cold open, each by itself" }
        return isFirst ? "mounted: 4 KiB document, cold open" : "mounted: 4 KiB document, warm open"
    }
    let floor = "rclone's full cache"
    let unit = "µs"
    var aim: Aim { readsAhead ? .ratioAtMost(isFirst ? 1 / 5 : 1 / 10) : .ratioAtMost(8) }

    private let count = 50

    func measure(rounds: Int) async throws -> [Round] {
        let contents = [UInt8](repeating: 7, count: 4096)
        let folder = try MountedFolder(withOther: true, readsAhead: readsAhead) { native in
            for round in 0..<rounds + 2 {
                let inner = native.appending("\(round)")
                try MountedFolder.run(["mkdir", inner.string])
                for document in 0..<count {
                    try MountedFolder.write(contents, to: inner.appending("\(document).txt"))
                }
            }
        }
        defer { folder.remove() }
        var results: [Round] = []
        // Each round has documents that nobody has opened yet, which both sides have listed.
        for round in 0..<rounds + 2 {
            let (ours, others) = (folder.mounted.appending("\(round)"), folder.other.appending("\(round)"))
            for folder in [ours, others] { try MountedFolder.run(["ls", "-l", folder.string]) }
            var first = (ours: 0.0, others: 0.0)
            var again = (ours: 0.0, others: 0.0)
            // One after the other, and each first in every second round: what is left to be done behind an open is not to be in the
            // other one's time.
            for isOurs in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                let figure = try MountedFolder.openAll(count, in: isOurs ? ours : others)
                try await Task.sleep(for: .seconds(1))
                if isOurs { first.ours = figure } else { first.others = figure }
            }
            for isOurs in round.isMultiple(of: 2) ? [true, false] : [false, true] {
                let figure = try MountedFolder.openAll(count, in: isOurs ? ours : others)
                try await Task.sleep(for: .milliseconds(200))
                if isOurs { again.ours = figure } else { again.others = figure }
            }
            let result = isFirst ? first : again
            if round >= 2 {
                results.append(Round(figure: result.ours, floor: result.others))
            }
        }
        return results
    }
}
