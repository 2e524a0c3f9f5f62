import Glibc
import SystemPackage

/// Reading a document of 256 MiB through the mount, when it is here and the kernel has its pages: from the beginning to the end,
/// or pieces of 4 KiB at random places.
struct MountedReads: BenchmarkRow {
    let isRandom: Bool

    var name: String { isRandom ? "mounted: 4 KiB read at random, warm" : "mounted: 256 MiB read in order, warm" }
    let floor = "the same of the file itself"
    var unit: String { isRandom ? "reads/s" : "MiB/s" }
    var aim: Aim { .ratioAtLeast(isRandom ? 0.8 : 0.9) }

    private let mebibytes = 256
    private let reads = 20_000

    func measure(rounds: Int) async throws -> [Round] {
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let folder = try MountedFolder { try MountedFolder.write(bytes, times: mebibytes, to: $0.appending("large")) }
        defer { folder.remove() }
        // Pieces at random would leave much of it for later.
        for path in [folder.mounted, folder.native] { try MountedFolder.read(path.appending("large"), by: 1 << 20) }
        var results: [Round] = []
        for round in 0..<rounds + 2 {
            let figure = try rate(folder.mounted.appending("large"), round)
            let floor = try rate(folder.native.appending("large"), round)
            if round >= 2 { results.append(Round(figure: figure, floor: floor)) }
        }
        return results
    }

    private func rate(_ path: FilePath, _ round: Int) throws -> Double {
        if isRandom { return try readsPerSecond(path, round) }
        let time = try MountedFolder.microseconds {
            guard try MountedFolder.read(path, by: 1 << 20) == mebibytes << 20 else { throw Errno.ioError }
        }
        return Double(mebibytes) / time * 1_000_000
    }

    private func readsPerSecond(_ path: FilePath, _ round: Int) throws -> Double {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 4096) { buffer in
                var place = UInt64(round + 1)
                let time = try MountedFolder.microseconds {
                    for _ in 0..<reads {
                        place = place &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                        let offset = Int64(place >> 33) % (Int64(mebibytes) << 8) * 4096
                        guard try file.read(fromAbsoluteOffset: offset, into: buffer) == 4096 else {
                            throw Errno.ioError
                        }
                    }
                }
                return Double(reads) / time * 1_000_000
            }
        }
    }
}
