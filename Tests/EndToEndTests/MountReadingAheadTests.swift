import Foundation
import Testing

/// Small documents that are fetched ahead of programs that open those of a folder one after the other.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountReadingAheadTests {
    private static let count = 24

    private func withFolder(_ option: String = "--read-ahead", body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/folder", withIntermediateDirectories: true)
            for number in 0..<Self.count {
                try machine.write("text \(number)\n", to: machine.remote + "/folder/\(number).txt")
            }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("mount", option)
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    private func here(_ machine: Machine) throws -> Int {
        try (0..<Self.count).count { try machine.state("work:/folder/\($0).txt") == "materialised" }
    }

    /// What `docent status` says of one for whom documents were brought.
    private func brought(_ machine: Machine, _ program: String, ahead: Bool) throws -> Substring? {
        try machine.succeed("status").split(separator: "\n")
            .first { $0.hasPrefix("  \(program), through docent mount (") && $0.contains("), fetched ahead:") == ahead }
    }

    @Test("DOWN-9: grep has most of a folder fetched ahead, reads all of it right, and docent status says so")
    func grep() throws {
        try withFolder { (machine) throws in
            try machine.sh("ls -lR work; sleep 1")
            #expect(try here(machine) == 0, "To list a folder brings nothing.")
            let found = try machine.sh("grep -rh text work/folder | sort -k2n")
            #expect(found == (0..<Self.count).map { "text \($0)\n" }.joined())
            #expect(try here(machine) == Self.count)
            let status = try machine.succeed("status")
            #expect(try brought(machine, "grep", ahead: false) != nil, "\(status)")
            #expect(try brought(machine, "grep", ahead: true) != nil, "\(status)")
        }
    }

    @Test("DOWN-9: with --no-read-ahead, or where nothing is to be done unasked, only what is opened comes")
    func switchedOff() throws {
        try withFolder("--no-read-ahead") { (machine) throws in
            try machine.sh("cd work/folder; cat 0.txt 1.txt 2.txt; sleep 1")
            #expect(try here(machine) == 3)
        }
        try withFolder { (machine) throws in
            try machine.succeed("domain", "set", "work", "--look-again", "never")
            try machine.sh("cd work/folder; cat 0.txt 1.txt 2.txt; sleep 1")
            #expect(try here(machine) == 3)
        }
    }

    @Test("PH-8: for a program that may not have documents brought, nothing is fetched ahead either")
    func denied() throws {
        try withFolder("--deny=cat") { (machine) throws in
            #expect(try machine.shell("cd work/folder; cat 0.txt 1.txt 2.txt").status != 0)
            try machine.sh("head -c 4 work/folder/3.txt; sleep 1")
            #expect(try here(machine) == 1)
            #expect(try machine.shell("cd work/folder; cat 3.txt 4.txt 5.txt").status != 0)
            #expect(try here(machine) == 1)
        }
    }
}
