import Foundation
import Glibc
import Testing

/// Documents that the kernel reads from their files by itself, and the same where it does not: programs see no difference.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountPassthroughTests {
    static let ways = ["--passthrough", "--no-passthrough"]

    /// Whether this kernel and these rights allow it: Linux 6.9, where it is built with it, and root.
    private static let isPossible: Bool = {
        let settings = Process()
        settings.executableURL = URL(fileURLWithPath: "/bin/sh")
        settings.arguments = ["-c", "zcat /proc/config.gz | grep -q CONFIG_FUSE_PASSTHROUGH=y"]
        guard geteuid() == 0, (try? settings.run()) != nil else { return false }
        settings.waitUntilExit()
        return settings.terminationStatus == 0
    }()

    private func withTree(_ way: String, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote, withIntermediateDirectories: true)
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("mount", way)
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    @Test(
        "The kernel reads on by itself when the mount is busy",
        .enabled(if: isPossible, "This kernel asks for what it reads, or we are not root."))
    func byItself() throws {
        try withTree("--passthrough") { (machine) throws in
            let mount = try #require(machine.mounts.first)
            defer { kill(mount, SIGCONT) }
            // What the kernel knows of a document it asks for once.
            let script =
                "cat work/a.txt; exec 3< work/a.txt; stat -L /dev/fd/3 >/dev/null; kill -STOP \(mount); cat <&3"
            #expect(try machine.sh(script, timeout: 20) == "first\nfirst\n")
        }
    }

    @Test(
        "A program that has a document open reads on what it was, also mapped, when another one takes its place; who opens it then gets that",
        arguments: ways)
    func replaced(way: String) throws {
        try withTree(way) { (machine) throws in
            let script = """
                import mmap, os, time
                old = os.open("work/a.txt", os.O_RDONLY)
                assert os.pread(old, 100, 0) == b"first\\n"
                with open("\(machine.remote)/.next", "w") as file: file.write("the next one\\n")
                os.rename("\(machine.remote)/.next", "\(machine.remote)/a.txt")
                deadline = time.time() + 20
                while open("work/a.txt", "rb").read() != b"the next one\\n":
                    assert time.time() < deadline, open("work/a.txt", "rb").read()
                    time.sleep(0.1)
                new = os.open("work/a.txt", os.O_RDONLY)
                assert os.fstat(new).st_size == 13, os.fstat(new)
                with mmap.mmap(new, 0, prot=mmap.PROT_READ) as mapped: assert mapped[:] == b"the next one\\n"
                assert os.pread(old, 100, 0) == b"first\\n"
                writer = os.open("work/a.txt", os.O_WRONLY | os.O_APPEND)
                os.write(writer, b"more\\n")
                os.close(writer)
                assert os.pread(new, 100, 0) == b"the next one\\nmore\\n"
                assert os.pread(old, 100, 0) == b"first\\n"
                """
            try machine.write(script, to: machine.folder + "/replaced.py")
            try machine.sh("python3 '\(machine.folder)/replaced.py'")
            #expect(
                try Machine.eventually(within: 20) {
                    try String(contentsOfFile: machine.remote + "/a.txt", encoding: .utf8) == "the next one\nmore\n"
                })
        }
    }

    @Test(
        "Who reads a document sees what others write into it at once: in place, at its end, mapped, and cut off; it is sent",
        arguments: ways)
    func written(way: String) throws {
        try withTree(way) { (machine) throws in
            let script = """
                import mmap, os
                reader = os.open("work/a.txt", os.O_RDONLY)
                assert os.pread(reader, 100, 0) == b"first\\n"
                writer = os.open("work/a.txt", os.O_RDWR)
                os.pwrite(writer, b"FIRST", 0)
                assert os.pread(reader, 100, 0) == b"FIRST\\n"
                assert os.pread(writer, 100, 0) == b"FIRST\\n"
                appending = os.open("work/a.txt", os.O_WRONLY | os.O_APPEND)
                os.write(appending, b"second\\n")
                os.close(appending)
                assert os.pread(reader, 100, 0) == b"FIRST\\nsecond\\n"
                assert os.fstat(reader).st_size == 13, os.fstat(reader)
                with mmap.mmap(writer, 13) as mapped:
                    mapped[6:12] = b"SECOND"
                    mapped.flush()
                assert os.pread(reader, 100, 0) == b"FIRST\\nSECOND\\n"
                os.ftruncate(writer, 12)
                assert os.pread(reader, 100, 0) == b"FIRST\\nSECOND"
                assert open("work/a.txt", "rb").read() == b"FIRST\\nSECOND"
                os.fsync(writer)
                """
            try machine.write(script, to: machine.folder + "/written.py")
            try machine.sh("python3 '\(machine.folder)/written.py'")
            #expect(
                try Machine.eventually(within: 20) {
                    try String(contentsOfFile: machine.remote + "/a.txt", encoding: .utf8) == "FIRST\nSECOND"
                })
        }
    }
}
