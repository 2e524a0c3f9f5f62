import Foundation
import Glibc
import Testing

/// Documents that are paused before they are here, as programs see them that know nothing of Docent.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountPausedTests {
    /// Documents that are pinned and paused, and not here; “A/old” is here, and outdated.
    private func withPinned(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/A/in", withIntermediateDirectories: true)
            let names = ["A/x", "A/y", "A/z", "A/in/deep", "A/old"]
            for name in names { try machine.write("\(name)\n", to: machine.remote + "/" + name) }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.sh("ls -lR; cat work/A/old")
                try machine.succeed("pause", "work:/A")
                try machine.write("newer\n", to: machine.remote + "/A/old")
                try machine.succeed("refresh", "work:/A")
                try machine.succeed("pin", "work:/A")
                #expect(Machine.eventually { (try? machine.succeed("status").contains("A/in/deep")) == true })
                try body(machine)
            }
        }
    }

    @Test(
        "XFER-14: what is pinned and paused is renamed, moved, replaced and removed at once by programs, with the folders around it, and comes when it is resumed"
    )
    func arranged() throws {
        try withPinned { (machine) throws in
            for command in [
                "mv work/A/x work/A/x2", "rm work/A/y", "echo mine > work/A/z", "mv work/A/in work/A/in2",
                "mv work/A/old work/A/old2", "mv work/A work/B",
            ] {
                try machine.sh(command, timeout: 20)
            }
            #expect(try machine.sh("ls work/B", timeout: 20) == "in2\nold2\nx2\nz\n")
            #expect(try machine.sh("cat work/B/z", timeout: 20) == "mine\n")
            #expect(Machine.eventually(within: 30) { (try? machine.succeed("status").contains("In use")) == false })
            try machine.succeed("resume", "work:/B")
            for (name, text) in ["x2": "A/x\n", "in2/deep": "A/in/deep\n", "old2": "newer\n", "z": "mine\n"] {
                let path = machine.root + "/documents/work/B/" + name
                #expect(Machine.eventually(within: 30) { machine.read(path) == text }, "\(name)")
                #expect(
                    Machine.eventually(within: 30) { machine.read(machine.remote + "/B/" + name) == text }, "\(name)")
            }
        }
    }

    @Test(
        "XFER-14, DOWN-2: a program that opens what is paused waits, is in nobody's way, and goes on when it is resumed or removed"
    )
    func opened() throws {
        try withPinned { (machine) throws in
            let programs = try ["A/x", "A/y", "A/old"].map {
                try machine.background(
                    "cat work/\($0) > '\(machine.folder)/\($0.suffix(1))' 2> '\(machine.folder)/error'")
            }
            defer { for program in programs where program.isRunning { program.terminate() } }
            #expect(
                Machine.eventually {
                    (try? machine.succeed("status", "--plain").contains("is resumed")) == true
                }, "\((try? machine.succeed("status", "--plain")) ?? "")")
            try machine.succeed("rm", "work:/A/y", timeout: 20)
            #expect(Machine.eventually { !programs[1].isRunning })
            #expect(machine.read(machine.folder + "/error")?.contains("No such file") == true)
            try machine.sh("mv work/A/x work/A/x2; mv work/A/old work/A/old2", timeout: 20)
            #expect(programs[0].isRunning && programs[2].isRunning)
            try machine.succeed("resume", "work:/A")
            for program in [programs[0], programs[2]] {
                #expect(Machine.eventually(within: 30) { !program.isRunning })
                #expect(!program.isRunning && program.terminationStatus == 0)
            }
            #expect(machine.read(machine.folder + "/x") == "A/x\n")
            #expect(machine.read(machine.folder + "/d") == "newer\n")
        }
    }
}
