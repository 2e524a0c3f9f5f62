import Foundation

/// What tests of packages share.
protocol PackageSuite {}

extension PackageSuite {
    func withPackage(_ body: (Machine, _ remote: String) throws -> Void) throws {
        try Machine.with { machine in
            let remote = machine.remote + "/note.rtfd"
            try FileManager.default.createDirectory(atPath: remote + "/inner", withIntermediateDirectories: true)
            try machine.write("text\n", to: remote + "/TXT.rtf")
            try machine.write("picture\n", to: remote + "/a.png")
            try machine.write("inside\n", to: remote + "/inner/b.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine, remote)
        }
    }

    func edit(_ machine: Machine, _ script: String) throws {
        try machine.succeed("edit", "d:/note.rtfd", "--with", "sh", "-e", "-c", "cd \"$0\"; " + script)
    }
}
