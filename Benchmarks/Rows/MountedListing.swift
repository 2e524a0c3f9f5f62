import SystemPackage

/// `ls -lR` of 10,000 documents in a hundred folders through the mount.
struct MountedListing: BenchmarkRow {
    let name = "mounted: ls -lR of 10,000 items"
    let floor = "the same of the folder itself"
    let unit = "ms"
    let aim = Aim.ratioAtMost(3)

    func measure(rounds: Int) async throws -> [Round] {
        let folder = try MountedFolder { native in
            for number in 0..<100 {
                let inner = native.appending("folder \(number)")
                try MountedFolder.run(["mkdir", inner.string])
                for document in 0..<99 { try MountedFolder.write([1, 2, 3], to: inner.appending("\(document).txt")) }
            }
        }
        defer { folder.remove() }
        var results: [Round] = []
        for round in 0..<rounds + 2 {
            let figure = try time(folder.mounted)
            let floor = try time(folder.native)
            if round >= 2 { results.append(Round(figure: figure, floor: floor)) }
        }
        return results
    }

    private func time(_ folder: FilePath) throws -> Double {
        try MountedFolder.microseconds { try MountedFolder.run(["ls", "-lR", folder.string]) } / 1000
    }
}
