import Foundation
import Testing

/// What programs see of documents that others have open: the kernel cuts off what is behind the size that it is told.
@Suite(
    .serialized, .timeLimit(.minutes(3)), .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountOpenAttributesTests {
    static let ways = ["--passthrough", "--no-passthrough"]

    private func withTree(_ way: String = "--passthrough", _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try machine.succeed("mount", way)
            defer { machine.takeMountAway() }
            try body(machine)
        }
    }

    private func python(_ machine: Machine, _ code: String) throws -> String {
        try machine.write(code, to: machine.folder + "/home/code.py")
        return try machine.sh("python3 ../code.py", timeout: 60)
    }

    @Test("DOWN-10: what was not here and is written anew has its new size and time as soon as it is closed")
    func closed() throws {
        try withTree { (machine) throws in
            let sizes = try machine.sh("echo new > work/a.txt; stat -c %s work/a.txt; ls -l work | grep -c ' 4 '")
            #expect(sizes == "4\n1\n")
            let times = try machine.sh("stat -c %Y work/a.txt; date +%s").split(separator: "\n").compactMap { Int($0) }
            #expect(times.count == 2 && abs(times[0] - times[1]) < 60, "\(times)")
        }
    }

    @Test("DOWN-10: what is mapped and written while its folder is listed is not cut off", arguments: ways)
    func mapped(_ way: String) throws {
        try withTree(way) { (machine) throws in
            let seen = try python(
                machine,
                """
                import mmap, os
                size = 1 << 20
                f = os.open("work/a.txt", os.O_RDWR | os.O_TRUNC)
                os.ftruncate(f, size)
                m = mmap.mmap(f, size)
                m[500000] = 7
                sizes = [entry.stat().st_size for entry in os.scandir("work")]
                m[600000] = 8
                sizes += [os.stat("work/a.txt").st_size, os.fstat(f).st_size]
                print(m[500000], m[600000], set(sizes))
                m.flush()
                m.close()
                os.close(f)
                whole = open("work/a.txt", "rb").read()
                print(len(whole), whole[500000], whole[600000])
                """)
            #expect(seen == "7 8 {1048576}\n1048576 7 8\n")
            #expect(
                Machine.eventually(within: 30) {
                    (try? FileManager.default.attributesOfItem(atPath: machine.remote + "/a.txt")[.size] as? Int)
                        == 1 << 20
                })
        }
    }

    @Test("DOWN-10: who reads a document reads on to its end when the remote has a shorter one", arguments: ways)
    func shortened(_ way: String) throws {
        try withTree(way) { (machine) throws in
            try machine.fill(machine.remote + "/a.txt", mebibytes: 4, seed: 1)
            try machine.succeed("refresh", "work:/")
            try machine.write(
                """
                import hashlib, os, time
                f = open("work/a.txt", "rb", buffering=0)
                whole = f.read(65536)
                open("../begun", "w").close()
                while not os.path.exists("../on"): time.sleep(0.02)
                while part := f.read(65536): whole += part
                open("../read", "wb").write(whole)
                """, to: machine.folder + "/home/code.py")
            let reading = Process()
            reading.executableURL = URL(fileURLWithPath: "/bin/sh")
            reading.arguments = ["-c", "cat work/a.txt > ../whole; exec python3 ../code.py"]
            reading.currentDirectoryURL = URL(fileURLWithPath: machine.tree)
            try reading.run()
            defer { if reading.isRunning { reading.terminate() } }
            let home = machine.folder + "/home"
            #expect(Machine.eventually { FileManager.default.fileExists(atPath: home + "/begun") })
            try machine.write("short\n", to: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            #expect(try Machine.eventually { try machine.state("work:/a.txt") == "outdated" })
            // Whoever looks sees what the remote has, and does not disturb who reads.
            #expect(try Machine.eventually { try machine.sh("ls -l work | grep -c ' 6 '; true") == "1\n" })
            #expect(try machine.sh("cat work/a.txt; stat -c %s work/a.txt") == "short\n6\n")
            try machine.write("", to: home + "/on")
            #expect(Machine.eventually(within: 30) { !reading.isRunning })
            #expect(FileManager.default.contentsEqual(atPath: home + "/read", andPath: home + "/whole"))
        }
    }

    @Test("COORD-20: what was not here and is written anew takes extended attributes at once, and keeps them")
    func attributes() throws {
        try withTree { (machine) throws in
            let seen = try python(
                machine,
                """
                import os
                open("work/a.txt", "w").write("new")
                os.setxattr("work/a.txt", "user.mine", b"1")
                print(os.getxattr("work/a.txt", "user.mine"))
                """)
            #expect(seen == "b'1'\n")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "new" })
            #expect(
                try python(machine, "import os; print(os.getxattr('work/a.txt', 'user.mine'))") == "b'1'\n")
        }
    }
}
