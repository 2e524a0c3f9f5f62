import Foundation
import Glibc
import Testing

/// Mounts of somebody who is not root, through fusermount3.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountUnprivilegedTests {
    private func withUser(_ body: (Machine, OrdinaryUser) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/Reports", withIntermediateDirectories: true)
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("second, longer\n", to: machine.remote + "/Reports/b.txt")
            try OrdinaryUser.with(machine) { user in
                try user.sh("docent domain add work --provider org.docent.folder --set folder='\(machine.remote)'")
                defer {
                    let mounts = machine.mounts
                    if (try? user.run("docent unmount", timeout: 40))?.status != 0 {
                        for process in mounts { kill(process, SIGKILL) }
                    }
                    _ = try? user.run("docent host stop", timeout: 20)
                }
                #expect(try user.sh("docent mount") == machine.tree + "\n")
                try body(machine, user)
            }
        }
    }

    @Test("Without any privileges documents are listed, brought, changed and made, and a mount is taken away")
    func using() throws {
        try withUser { (machine, user) throws in
            let tree = machine.tree
            let process = try #require(machine.mounts.first)
            let status = try #require(machine.read("/proc/\(process)/status"))
            if getuid() == 0 {
                #expect(status.contains("\nUid:\t65534\t65534\t65534\t65534\n"))
                #expect(try user.sh("stat -c %u '\(tree)/work/a.txt'") == "65534\n")
            }
            #expect(status.contains("\nCapEff:\t0000000000000000\n"))
            #expect(try user.sh("ls '\(tree)/work'") == "Reports\na.txt\n")
            #expect(try user.sh("stat -c '%s %b' '\(tree)/work/Reports/b.txt'") == "15 0\n")
            #expect(try user.sh("cat '\(tree)/work/Reports/b.txt'") == "second, longer\n")
            try user.sh("echo changed > '\(tree)/work/a.txt'; echo new > '\(tree)/work/new.txt'")
            try user.sh("mkdir '\(tree)/work/made'; mv '\(tree)/work/Reports/b.txt' '\(tree)/work/made/c.txt'")
            #expect(
                Machine.eventually(within: 60) {
                    machine.read(machine.remote + "/a.txt") == "changed\n"
                        && machine.read(machine.remote + "/new.txt") == "new\n"
                        && machine.read(machine.remote + "/made/c.txt") == "second, longer\n"
                }, "\(machine.logTail)")
            try user.sh("docent unmount")
            #expect(machine.mounts.isEmpty)
            #expect(try user.sh("ls -A '\(tree)'").isEmpty)
        }
    }

    @Test("Nobody else can look in, root neither", .enabled(if: getuid() == 0, "only root can become somebody else"))
    func others() throws {
        try withUser { (machine, user) throws in
            for other: uid_t in [65533, 0] {
                for command in ["ls '\(machine.tree)'", "cat '\(machine.tree)/work/a.txt'"] {
                    let result = try #require(try user.runAsOther(other, command))
                    #expect(result.status != 0 && result.errors.contains("ermission denied"), "\(other): \(result)")
                }
            }
            #expect(try user.sh("cat '\(machine.tree)/work/a.txt'") == "first\n")
        }
    }

    @Test("A mount whose process was killed is taken away by the next one, and what was written is sent")
    func killed() throws {
        try withUser { (machine, user) throws in
            try user.sh("echo changed > '\(machine.tree)/work/a.txt'")
            let process = try #require(machine.mounts.first)
            kill(process, SIGKILL)
            #expect(Machine.eventually { machine.mounts.isEmpty })
            let dead = try user.run("ls '\(machine.tree)'")
            #expect(dead.status != 0 && dead.errors.contains("not connected"), "\(dead)")
            #expect(try user.sh("docent mount") == machine.tree + "\n")
            #expect(try user.sh("cat '\(machine.tree)/work/a.txt'") == "changed\n")
            #expect(
                Machine.eventually(within: 60) { machine.read(machine.remote + "/a.txt") == "changed\n" },
                "\(machine.logTail)")
        }
    }
}
