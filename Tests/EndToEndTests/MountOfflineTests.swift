import Foundation
import Glibc
import Testing

/// What is mounted goes on while the provider hangs, or the remote or the host is away (PH-8).
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountOfflineTests: MountedTreeSuite {
    @Test("PH-8: a provider that hangs keeps nobody waiting but who opens its documents, and they can be interrupted")
    func hangingProvider() throws {
        try withTree { (machine) throws in
            try machine.sh("ls -lR; cat work/a.txt")
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            #expect(try machine.sh("ls -lR work | grep -c txt", timeout: 30) == "3\n")
            #expect(try machine.sh("cat work/a.txt", timeout: 30) == "first\n")
            // Interrupted as from a keyboard: it ends long before any deadline of the provider's.
            let interrupted = try machine.shell("timeout -s INT 1 cat work/b.txt", timeout: 20)
            #expect(interrupted.status == 124)
            #expect(interrupted.output.isEmpty)
            kill(provider, SIGCONT)
            #expect(try machine.sh("cat work/b.txt") == "second, longer\n")
        }
    }

    @Test("PH-8: what is removed while its provider hangs is gone at once, holds up nobody, and is removed there later")
    func removingWithoutProvider() throws {
        try withTree { (machine) throws in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/empty", withIntermediateDirectories: false)
            #expect(Machine.eventually(within: 30) { (try? machine.sh("ls work").contains("empty")) == true })
            try machine.sh("ls -lR; cat work/a.txt")
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            for command in [
                "rm work/a.txt work/b.txt", "rmdir work/empty", "! ls work | grep -E 'txt|empty'",
                "echo new > work/a.txt",
            ] { try machine.sh(command, timeout: 10) }
            #expect(try machine.sh("cat work/a.txt", timeout: 10) == "new\n")
            #expect(machine.read(machine.remote + "/b.txt") != nil)
            #expect(try !machine.succeed("status").contains("Everything is in sync"))
            kill(provider, SIGCONT)
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(machine.remote + "/a.txt") == "new\n" && machine.read(machine.remote + "/b.txt") == nil
                        && !FileManager.default.fileExists(atPath: machine.remote + "/empty")
                }, "\(machine.logTail)")
            #expect(try Machine.eventually { try machine.succeed("status").contains("Everything is in sync") })
        }
    }

    @Test("PH-8: what is renamed while its provider hangs is so at once, holds up nobody, and is so there later")
    func renamingWithoutProvider() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/old; mv work/b.txt work/old/b.txt; ls -lR; cat work/a.txt")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/old/b.txt") != nil })
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            // Into a folder that the provider does not know yet, out of one that goes, and a new one at the old place.
            for command in [
                "mv work/a.txt work/c.txt", "mv work/c.txt work/d.txt", "echo new > work/a.txt",
                "mkdir work/made; mv work/d.txt work/made/e.txt", "mv work/old/b.txt work/made/b.txt; rmdir work/old",
                "test \"$(ls work | tr '\\n' ' ')\" = 'Reports a.txt made '",
            ] { try machine.sh(command, timeout: 10) }
            #expect(try machine.sh("cat work/made/e.txt work/a.txt", timeout: 10) == "first\nnew\n")
            #expect(try !machine.succeed("status").contains("Everything is in sync"))
            kill(provider, SIGCONT)
            #expect(
                Machine.eventually(within: 60) {
                    machine.read(machine.remote + "/made/e.txt") == "first\n"
                        && machine.read(machine.remote + "/a.txt") == "new\n"
                        && machine.read(machine.remote + "/made/b.txt") == "second, longer\n"
                        && !FileManager.default.fileExists(atPath: machine.remote + "/old")
                }, "\(machine.logTail)")
            let there = try FileManager.default.contentsOfDirectory(atPath: machine.remote).sorted()
            #expect(there == ["Reports", "a.txt", "made"])
            #expect(
                try Machine.eventually(within: 30) { try machine.succeed("status").contains("Everything is in sync") })
            #expect(try machine.sh("cat work/made/e.txt work/made/b.txt work/a.txt") == "first\nsecond, longer\nnew\n")
        }
    }

    @Test(
        "VER-15: what is renamed here and at the remote, which was away, is where the remote has it, with all that was written"
    )
    func renamedOnBothSides() throws {
        try withTree { (machine) throws in
            try machine.sh("ls -lR; cat work/a.txt work/b.txt")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            try machine.sh(
                "mv work/a.txt work/here.txt; mv work/b.txt work/mine.txt; echo more >> work/mine.txt", timeout: 20)
            try FileManager.default.moveItem(
                atPath: machine.remote + "-away/a.txt", toPath: machine.remote + "-away/there.txt")
            // The host, too, may end meanwhile.
            try machine.succeed("host", "stop")
            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            #expect(
                Machine.eventually(within: 60) {
                    (try? machine.sh("ls work")) == "Reports\nmine.txt\nthere.txt\n"
                        && machine.read(machine.remote + "/mine.txt") == "second, longer\nmore\n"
                }, "\((try? machine.sh("ls work")) ?? "") \(machine.logTail)")
            #expect(try machine.sh("cat work/there.txt work/mine.txt") == "first\nsecond, longer\nmore\n")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: machine.remote).sorted() == [
                    "Reports", "mine.txt", "there.txt",
                ])
        }
    }

    @Test("VER-15: what is removed without the remote, and was changed there meanwhile, comes back")
    func removedAndChanged() throws {
        try withTree { (machine) throws in
            try machine.sh("ls -lR; cat work/a.txt")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            try machine.sh("rm work/a.txt work/b.txt", timeout: 20)
            try machine.write("changed there\n", to: machine.remote + "-away/a.txt")
            // The host, too, may end meanwhile.
            try machine.succeed("host", "stop")
            try FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote)
            #expect(
                Machine.eventually(within: 60) {
                    (try? machine.sh("cat work/a.txt")) == "changed there\n"
                        && machine.read(machine.remote + "/b.txt") == nil
                }, "\(machine.logTail)")
            #expect(machine.read(machine.remote + "/a.txt") == "changed there\n")
        }
    }

    @Test("PH-8: listings and what is here go on without the remote; what is not here fails at once, and gives nothing")
    func offline() throws {
        try withTree { (machine) throws in
            try machine.sh("ls -lR; cat work/a.txt")
            let before = try machine.sh("ls -lR; cat work/a.txt")
            try FileManager.default.moveItem(atPath: machine.remote, toPath: machine.remote + "-away")
            defer { try? FileManager.default.moveItem(atPath: machine.remote + "-away", toPath: machine.remote) }
            #expect(try machine.sh("ls -lR; cat work/a.txt", timeout: 30) == before)
            let result = try machine.shell("cat work/b.txt", timeout: 30)
            #expect(result.status != 0)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("No route to host"), "\(result.errors)")
        }
    }

    @Test("PH-8: the death of the host hangs nobody: what is open can be read on, and the next use starts it anew")
    func hostKilled() throws {
        try withTree { (machine) throws in
            try machine.sh("cat work/a.txt")
            let script = "exec 3< work/Reports/large; kill -9 $PID; cmp - work/Reports/large <&3 && cat work/b.txt"
            let daemon = try #require(machine.daemon)
            #expect(
                try machine.sh(script.replacingOccurrences(of: "$PID", with: "\(daemon)")) == "second, longer\n")
            #expect(machine.daemon != daemon)
        }
    }

    @Test("PH-8: a host that was only held up is used again at once, also when somebody gave up waiting for it")
    func heldUpHost() throws {
        try withTree { (machine) throws in
            try machine.sh("ls -l work; cat work/a.txt")
            let writer = try machine.background("exec 3>> work/a.txt; sleep 17; echo more >&3")
            let host = try #require(machine.daemon)
            #expect(Machine.eventually { (try? machine.succeed("status").contains("writes work:/a.txt")) == true })
            kill(host, SIGSTOP)
            defer { kill(host, SIGCONT) }
            // Longer than the host has to end what was cancelled.
            let interrupted = try machine.shell("timeout -s INT 1 ls -l work/nothing", timeout: 40)
            #expect(interrupted.status != 0)
            sleep(2)
            kill(host, SIGCONT)
            #expect(try machine.sh("ls work; cat work/b.txt", timeout: 20).contains("second, longer"))
            writer.waitUntilExit()
            #expect(writer.terminationStatus == 0)
            #expect(
                Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "first\nmore\n" },
                "\(machine.logTail)")
        }
    }
}
