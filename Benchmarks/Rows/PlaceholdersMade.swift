import DocumentModel
import DocumentStorage
import Glibc
import SystemPackage

/// Placeholders written, beside empty files made.
struct PlaceholdersMade: BenchmarkRow {
    let name = "placeholders made"
    let floor = "bare file creation"
    let unit = "/s"
    let aim = Aim.ratioAtLeast(0.4)

    private let count = 5_000

    func measure(rounds: Int) async throws -> [Round] {
        let bench = try StorageBench()
        let placeholders = try bench.items(0..<count).compactMap(Placeholder.init)
        var results: [Round] = []
        let clock = ContinuousClock()
        for round in 0..<rounds + 1 {
            let plain = try bench.plainFolder("plain-\(round)")
            let bare = clock.measure {
                for placeholder in placeholders {
                    close(
                        open(
                            plain.string + "/" + placeholder.name.rawValue, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                            0o600))
                }
            }
            let folder = try Location(domain: bench.domain, components: [ItemName("folder-\(round)")])
            let ours = try clock.measure { try bench.store.root.placeholders.write(placeholders, in: folder) }
            StorageBench.remove(plain)
            StorageBench.remove(bench.store.root.tree.path(of: folder))
            guard round >= 1 else { continue }
            results.append(Round(figure: Double(count) / ours.seconds, floor: Double(count) / bare.seconds))
        }
        return results
    }
}
