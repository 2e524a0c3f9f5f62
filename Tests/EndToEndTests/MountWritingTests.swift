import Foundation
import Glibc
import Testing

/// Documents that programs write in a mounted tree.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountWritingTests {
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("domain", "set", "work", "--ask-from", "never")
            try machine.succeed("mount", "--writable")
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    private func isSent(_ machine: Machine, _ name: String, _ text: String) -> Bool {
        Machine.eventually(within: 30) { machine.read(machine.remote + "/" + name) == text }
    }

    @Test("What is written anew, in place, with O_TRUNC and at the end is seen at once, and sent after the close")
    func writing() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("echo new > work/n.txt; cat work/n.txt") == "new\n")
            #expect(isSent(machine, "n.txt", "new\n"))
            #expect(try machine.sh("echo more >> work/a.txt; cat work/a.txt") == "first\nmore\n")
            #expect(isSent(machine, "a.txt", "first\nmore\n"))
            try machine.sh("echo short > work/a.txt; truncate -s 3 work/n.txt; sync work/n.txt")
            #expect(isSent(machine, "a.txt", "short\n"))
            #expect(isSent(machine, "n.txt", "new"))
        }
    }

    @Test("A save by a temporary file ends in the new contents of the document, and nothing else is sent")
    func savingByRename() throws {
        try withTree { (machine) throws in
            try machine.sh("echo next > work/.a.tmp; mv work/.a.tmp work/a.txt")
            #expect(try machine.sh("cat work/a.txt; ls -A work") == "next\na.txt\n")
            #expect(isSent(machine, "a.txt", "next\n"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.remote) == ["a.txt"])
        }
    }

    @Test("Folders and documents are made, renamed and removed, also while they are open")
    func names() throws {
        try withTree { (machine) throws in
            try machine.sh("mkdir work/d; mv work/a.txt work/d/b.txt; mv work/d work/e")
            #expect(try machine.sh("cat work/e/b.txt") == "first\n")
            #expect(isSent(machine, "e/b.txt", "first\n"))
            let unlinked = "exec 3<> work/e/c; rm work/e/c; echo kept >&3; rmdir work/e 2>&1 || true"
            #expect(try machine.sh(unlinked).contains("not empty"))
            try machine.sh("rm work/e/b.txt; rmdir work/e; test -z \"$(ls -A work)\"")
        }
    }

    @Test("Links, device files and owners are refused with the number that says so")
    func refusals() throws {
        try withTree { (machine) throws in
            for command in [
                "ln -s a.txt work/link", "ln work/a.txt work/link", "mkfifo work/pipe", "chown 12345 work/a.txt",
                "mkdir new", "mv work play",
            ] {
                let result = try machine.shell(command)
                #expect(result.status != 0 && result.errors.contains("Operation not permitted"), "\(result.errors)")
            }
        }
    }

    private func script(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path + "/scripts/lib/" + name
    }

    @Test("A database on the mount loses no row whose commit was reported, whether the host or the mount is killed")
    func databaseAndKills() throws {
        try withTree { (machine) throws in
            let (script, rows) = (script("kill-while-committing.py"), machine.tree + "/work/rows")
            let killed = try machine.run("/usr/bin/env", ["python3", script, rows, machine.folder, "4"], timeout: 300)
            #expect(killed.status == 0, "\(killed.output)\(killed.errors)")
        }
    }

    @Test("Random operations give the same results as in a plain folder", arguments: 1...2)
    func comparison(_ seed: Int) throws {
        try withTree { (machine) throws in
            let script = script("compare-folders.py")
            let plain = machine.folder + "/plain"
            try machine.sh("rm work/a.txt; mkdir '\(plain)'")
            let compared = try machine.shell("python3 '\(script)' work '\(plain)' \(seed) 1000", timeout: 600)
            #expect(compared.status == 0, "\(compared.output)\(compared.errors)")
        }
    }
}
