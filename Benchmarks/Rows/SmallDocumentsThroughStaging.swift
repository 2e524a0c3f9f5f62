import DocumentModel
import DocumentStorage
import Glibc
import SystemPackage

/// Documents of 4 KiB from nothing to their place, index included, beside the file operations alone: made, written,
/// flushed, renamed.
struct SmallDocumentsThroughStaging: BenchmarkRow {
    let name = "4 KiB documents through staging"
    let floor = "create, write, fsync, rename"
    let unit = "µs"
    let aim = Aim.ratioAtMost(3)

    private let count = 100

    func measure(rounds: Int) async throws -> [Round] {
        let bench = try StorageBench()
        let contents = [UInt8](repeating: 7, count: 4096)
        let plain = try bench.plainFolder("plain")
        var results: [Round] = []
        let clock = ContinuousClock()
        for round in 0..<rounds + 1 {
            let byHand = try clock.measure {
                for number in 0..<count {
                    let temporary = plain.appending("temporary")
                    try write(contents, to: temporary, flushing: true)
                    guard
                        rename(temporary.string, plain.appending(FilePath("d\(round)-\(number)").components).string)
                            == 0
                    else { throw Errno(rawValue: errno) }
                }
            }
            let items = try (0..<count).map { number in
                Item(
                    id: try ItemIdentifier("item-\(round)-\(number)"), parentID: .root,
                    name: try ItemName("document \(round) \(number)"), kind: .document, size: Int64(contents.count),
                    modified: Timestamp(seconds: 1_700_000_000), version: try ItemVersion(content: [1]))
            }
            _ = try bench.store.apply(items, in: bench.domain)
            let ours = try clock.measure {
                for item in items {
                    let coming = try bench.store.beginMaterialising(item.id, in: bench.domain)
                    try write(contents, to: coming.file.path, flushing: false)
                    _ = try bench.store.finish(coming, as: item)
                }
            }
            guard round >= 1 else { continue }
            results.append(
                Round(figure: ours.seconds * 1e6 / Double(count), floor: byHand.seconds * 1e6 / Double(count)))
        }
        return results
    }

    private func write(_ bytes: [UInt8], to path: FilePath, flushing: Bool) throws {
        let file = try FileDescriptor.open(path, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        try file.closeAfter {
            try file.writeAll(bytes)
            if flushing { guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) } }
        }
    }
}
