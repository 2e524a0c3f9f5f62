import Foundation

/// What tests of mounts share.
protocol MountedTreeSuite {}

extension MountedTreeSuite {
    /// A domain on a folder with a few documents, mounted.
    func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/Reports/old", withIntermediateDirectories: true)
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("second, longer\n", to: machine.remote + "/b.txt")
            try machine.write("deep\n", to: machine.remote + "/Reports/old/deep ä.txt")
            try Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }).write(
                to: URL(fileURLWithPath: machine.remote + "/Reports/large"))
            _ = try machine.run("/bin/touch", ["-d", "2020-02-03 04:05:06.123456789 UTC", machine.remote + "/a.txt"])
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted { try body(machine) }
        }
    }
}
