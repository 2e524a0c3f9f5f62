import Foundation
import Glibc
import Testing

/// Mounts that begin, end, and die.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountingTests {
    private func withDomain(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    @Test("A mount that is taken away leaves an empty folder and no process")
    func unmount() throws {
        try withDomain { (machine) throws in
            #expect(try machine.succeed("mount") == machine.tree + "\n")
            #expect(machine.mounts.count == 1)
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            try machine.succeed("unmount")
            #expect(machine.mounts.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.tree).isEmpty)
        }
    }

    /// Whether programs may be given mounts of their own.
    private static let canSeparate: Bool = {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        child.arguments = ["-m", "/bin/true"]
        guard (try? child.run()) != nil else { return false }
        child.waitUntilExit()
        return child.terminationStatus == 0
    }()

    @Test(
        "A mount that a container has, too, is taken away all the same, and what was written is recorded",
        .enabled(if: canSeparate, "These rights allow no mounts of one's own."))
    func elsewhere() throws {
        try withDomain { (machine) throws in
            try machine.succeed("mount")
            let container = Process()
            container.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            container.arguments = ["-m", "--propagation", "private", "/bin/sh", "-c", "echo; exec sleep 300"]
            let output = Pipe()
            container.standardOutput = output
            try container.run()
            defer { container.terminate() }
            #expect(try output.fileHandleForReading.read(upToCount: 1)?.count == 1)
            try machine.sh("echo second > work/a.txt")
            try machine.succeed("unmount")
            #expect(machine.mounts.isEmpty)
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "second\n" })
            #expect(try machine.succeed("mount") == machine.tree + "\n")
            #expect(try machine.sh("cat work/a.txt") == "second\n")
        }
    }

    @Test("While a program has a document open, an unmount is refused and says what to do")
    func busy() throws {
        try withDomain { (machine) throws in
            try machine.succeed("mount")
            let refused = try machine.shell("exec 3< work/a.txt; '\(machine.folder)/bin/docent' unmount")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("is in use"), "\(refused.errors)")
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            try machine.succeed("unmount")
        }
    }

    @Test("A signal ends a mount in good order, also while programs use it")
    func signalled() throws {
        try withDomain { (machine) throws in
            try machine.succeed("mount")
            let process = try #require(machine.mounts.first)
            try machine.shell(
                "exec 3< work/a.txt; kill -TERM \(process); while kill -0 \(process); do sleep 0.01; done")
            #expect(machine.mounts.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.tree).isEmpty)
            // Nobody holds the document any more.
            try machine.succeed("evict", "work:/a.txt")
        }
    }

    @Test("A signal ends a mount also when the kernel has forgotten what it knew of its top folder")
    func signalledLater() throws {
        try withDomain { (machine) throws in
            try machine.succeed("mount")
            let process = try #require(machine.mounts.first)
            // The kernel keeps those of the top folder for one second: nothing tells when it has let go of them.
            try machine.shell("ls; sleep 1.5; kill -TERM \(process); while kill -0 \(process); do sleep 0.01; done")
            #expect(machine.mounts.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.tree).isEmpty)
        }
    }

    @Test("A mount whose process was killed is taken away and made anew by the next one")
    func killed() throws {
        try withDomain { (machine) throws in
            try machine.succeed("mount")
            for process in machine.mounts { kill(process, SIGKILL) }
            #expect(Machine.eventually(within: 30) { machine.mounts.isEmpty })
            try machine.succeed("mount")
            #expect(try machine.sh("cat work/a.txt") == "first\n")
        }
    }

    @Test("Where nothing can be mounted, the command says why")
    func refusals() throws {
        try withDomain { (machine) throws in
            try machine.succeed("mount")
            let full = machine.folder + "/work/full"
            try FileManager.default.createDirectory(atPath: full, withIntermediateDirectories: false)
            try machine.write("mine\n", to: full + "/mine.txt")
            for (folder, complaint) in [
                (machine.tree, "already"), (full, "not empty"), (machine.root + "/documents/x", "storage root"),
                (machine.folder, "storage root"), (machine.folder + "/nothing/at/all", "cannot be found"),
            ] {
                let result = try machine.docent("mount", folder)
                #expect(result.status == 1)
                #expect(result.errors.contains(complaint), "\(folder): \(result.errors)")
            }
            #expect(machine.read(full + "/mine.txt") == "mine\n")
            let result = try machine.docent("unmount", full)
            #expect(result.status == 1)
            #expect(result.errors.contains("Nothing of ours"), "\(result.errors)")
        }
    }
}
