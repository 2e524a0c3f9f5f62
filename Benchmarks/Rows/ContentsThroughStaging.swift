import CDocentShims
import DocumentModel
import DocumentStorage
import Glibc
import SystemPackage

/// Contents taken through staging to an item's place, beside a copy of the same bytes. Ours are flushed to disk before
/// they become visible; so is the copy (`cp`, then `sync` of that file).
struct ContentsThroughStaging: BenchmarkRow {
    let name: String
    let floor = "copy and flush of the same bytes"
    let unit = "MiB/s"
    let aim = Aim.ratioAtLeast(0.9)

    private let size: Int

    init(mebibytes: Int) {
        size = mebibytes << 20
        name = "contents through staging (\(mebibytes) MiB)"
    }

    func measure(rounds: Int) async throws -> [Round] {
        let bench = try StorageBench()
        let source = bench.folder.appending("source")
        try fill(source)
        var results: [Round] = []
        let clock = ContinuousClock()
        for round in 0..<min(rounds, 9) + 1 {
            let floor = try clock.measure { try copy(source, to: bench.folder.appending("copy"), flushing: true) }
            unlink(bench.folder.appending("copy").string)

            let item = Item(
                id: try ItemIdentifier("item-\(round)"), parentID: .root, name: try ItemName("document \(round)"),
                kind: .document, size: Int64(size), modified: Timestamp(seconds: 1_700_000_000),
                version: try ItemVersion(content: [1]))
            _ = try bench.store.apply([item], in: bench.domain)
            let ours = try clock.measure {
                let coming = try bench.store.beginMaterialising(item.id, in: bench.domain)
                // The provider's part.
                try copy(source, to: coming.file.path, flushing: false)
                _ = try bench.store.finish(coming, as: item)
            }
            _ = try bench.store.evict(item.id, in: bench.domain)
            guard round >= 1 else { continue }
            let mebibytes = Double(size) / 1_048_576
            results.append(Round(figure: mebibytes / ours.seconds, floor: mebibytes / floor.seconds))
        }
        return results
    }

    private func fill(_ path: FilePath) throws {
        let file = try FileDescriptor.open(path, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index &* 31) }
            count = buffer.count
        }
        try file.closeAfter { for _ in 0..<size >> 20 { try file.writeAll(chunk) } }
    }

    private func copy(_ source: FilePath, to target: FilePath, flushing: Bool) throws {
        let from = try FileDescriptor.open(source, .readOnly)
        defer { try? from.close() }
        let to = try FileDescriptor.open(target, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        defer { try? to.close() }
        var offset: Int64 = 0
        while true {
            let count = docent_copy_file_range(from.rawValue, offset, to.rawValue, offset, 1 << 30)
            guard count >= 0 else { throw Errno(rawValue: Int32(-count)) }
            if count == 0 { break }
            offset += Int64(count)
        }
        if flushing { guard fsync(to.rawValue) == 0 else { throw Errno(rawValue: errno) } }
    }
}
