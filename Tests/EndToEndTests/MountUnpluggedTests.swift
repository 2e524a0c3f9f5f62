import Foundation
import Glibc
import Testing

/// A mount whose remote, or whose host, is taken away.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountUnpluggedTests {
    private static let password = "s3cret-of-ann"

    /// A domain on a server's folder, mounted; all but the last document was read.
    private func withServer(
        looking: String = "ls -lR web; cat web/folder/*", _ body: (Machine, WebDAVServer) throws -> Void
    ) throws {
        try Machine.with { machine in
            for folder in ["folder", "other/deep/deeper"] {
                try FileManager.default.createDirectory(
                    atPath: machine.remote + "/" + folder, withIntermediateDirectories: true)
            }
            try machine.write("far away\n", to: machine.remote + "/other/deep/deeper/a.txt")
            for number in 0..<20 { try machine.write("\(number)\n", to: machine.remote + "/folder/\(number).txt") }
            try machine.write("not here\n", to: machine.remote + "/far.txt")
            try WebDAVServer.with(machine, password: Self.password) { server in
                try server.addDomain()
                try machine.mounted {
                    try machine.sh(looking)
                    try body(machine, server)
                }
            }
        }
    }

    /// What listing, looking and reading take when neither the kernel nor the mount has anything from before, in seconds:
    /// medians. Each is measured in a mount of its own.
    private func latencies(_ machine: Machine) throws -> [Double] {
        let (script, place) = (machine.folder + "/latencies.py", machine.folder + "/fresh")
        try machine.write(
            """
            import os, subprocess, sys, time
            names = [f"{sys.argv[1]}/web/folder/{number}.txt" for number in range(20)]
            def list(): subprocess.run(["ls", "-lR", sys.argv[1] + "/web"], check=True, stdout=subprocess.DEVNULL)
            def look():
                for name in names: os.stat(name)
            def read():
                for number, name in enumerate(names):
                    with open(name) as file: assert file.read() == f"{number}\\n"
            body = {"list": list, "look": look, "read": read}[sys.argv[2]]
            start = time.perf_counter()
            body()
            print(time.perf_counter() - start)
            """, to: script)
        return try ["list", "look", "read"].map { what in
            let times = try (0..<5).map { _ in
                try machine.succeed("mount", place)
                defer { _ = try? machine.docent("unmount", place, timeout: 40) }
                let result = try machine.run("/usr/bin/env", ["python3", script, place, what], timeout: 60)
                return try #require(
                    Double(result.output.trimmingCharacters(in: .whitespacesAndNewlines)), "\(result.errors)")
            }
            return times.sorted()[times.count / 2]
        }
    }

    @Test(
        "Without the remote, listing, looking and reading what is here go on as before; the rest fails, or waits alone",
        arguments: [SIGSTOP, SIGKILL])
    func unplugged(_ signal: Int32) throws {
        try withServer { (machine, server) throws in
            let before = try latencies(machine)
            kill(server.process, signal)
            defer { kill(server.process, SIGCONT) }
            try machine.sh("(timeout 8 cat web/far.txt; echo $? > ../status) > /dev/null 2>&1 &")
            let after = try latencies(machine)
            // Of medians on a machine that does other things, too; a question to the remote would take seconds.
            for (one, other) in zip(before, after) { #expect(other < 5 * one, "\(before), then \(after)") }
            // Interrupted, or refused.
            let status = signal == SIGSTOP ? "124\n" : "1\n"
            #expect(Machine.eventually(within: 20) { machine.read(machine.folder + "/home/status") == status })
            guard signal == SIGKILL else { return }
            let refused = try machine.shell("cat web/far.txt")
            #expect(refused.errors.contains("No route to host"), "\(refused.errors)")
        }
    }

    @Test("Folders that nobody has looked into are known when the remote goes, where somebody looked around them")
    func discovered() throws {
        try withServer(looking: "ls web") { (machine, server) throws in
            func isKnown() throws -> Bool {
                try !machine.succeed("rm", "-r", "web:/other", "--dry-run").contains("Not all of it is known")
            }
            #expect(try Machine.eventually(within: 20) { try isKnown() }, "\(machine.logTail)")
            kill(server.process, SIGKILL)
            let listing = try machine.sh("ls -l web/other/deep/deeper; stat -c %s web/other/deep/deeper/a.txt")
            #expect(listing.hasSuffix("a.txt\n9\n"), "\(listing)")
        }
    }

    @Test("Nobody looks into folders in advance where nothing is to be looked at in the background")
    func notDiscovered() throws {
        try withServer(looking: "true") { (machine, server) throws in
            try machine.succeed("domain", "set", "web", "--look-again", "never")
            try machine.sh("ls web")
            usleep(2_000_000)
            #expect(
                try machine.succeed("rm", "-r", "web:/other", "--dry-run").contains("Not all of it is known"))
            kill(server.process, SIGKILL)
            #expect(try machine.shell("ls web/other").errors.contains("No route to host"))
        }
    }

    @Test("What is written without the remote is here, and an attribute says what it waits for")
    func written() throws {
        try withServer { (machine, server) throws in
            kill(server.process, SIGKILL)
            try machine.sh("set -e; echo changed > web/folder/1.txt; echo new > web/new.txt; mkdir web/made")
            let seen = try machine.sh("cat web/folder/1.txt web/new.txt; ls web")
            #expect(seen == "changed\nnew\nfar.txt\nfolder\nmade\nnew.txt\nother\n", "\(seen)")
            let attributes = """
                python3 -c 'import os; print(os.getxattr("web/folder/1.txt", "user.docent.waiting").decode())'
                """
            #expect(
                Machine.eventually(within: 20) {
                    (try? machine.shell(attributes))?.output.contains("cannot be reached") == true
                }, "\((try? machine.shell(attributes))?.output ?? "")")
            let state = "python3 -c 'import os; print(os.getxattr(\"web/folder/2.txt\", \"user.docent.state\"))'"
            #expect(try machine.sh(state) == "b'materialised'\n")
            let none = try machine.shell(
                """
                python3 -c '
                import errno, os
                try: print(os.getxattr("web/folder/2.txt", "user.docent.waiting"))
                except OSError as error: print(errno.errorcode[error.errno])'
                """)
            #expect(none.output == "ENODATA\n", "\(none.errors)")
        }
    }

    @Test(
        "Names that are made, moved and removed while the host is killed again and again are so once, and without an error"
    )
    func namesAndDeadHosts() throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote, withIntermediateDirectories: true)
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("domain", "set", "work", "--ask-from", "never")
            try machine.mounted {
                let script = machine.folder + "/names.py"
                try machine.write(
                    """
                    import os, time
                    end = time.time() + 25
                    progress = os.open("../progress", os.O_CREAT | os.O_WRONLY)
                    def do(action, *words):
                        result = action(*words)
                        os.write(progress, b"x")
                        return result
                    count = 0
                    while time.time() < end:
                        do(os.mkdir, "work/a"); do(os.rename, "work/a", "work/b"); do(os.mkdir, "work/b/c")
                        os.close(do(os.open, "work/b/f", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                        do(os.rename, "work/b/f", "work/g")
                        names = sorted(do(os.listdir, "work"))
                        assert names == ["b", "g"], names
                        do(os.unlink, "work/g"); do(os.rmdir, "work/b/c"); do(os.rmdir, "work/b")
                        names = do(os.listdir, "work")
                        assert names == [], names
                        count += 1
                    print(count)
                    """, to: script)
                let program = Process()
                let output = Pipe()
                program.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
                program.arguments = [script]
                program.currentDirectoryURL = URL(fileURLWithPath: machine.tree)
                (program.standardOutput, program.standardError) = (output, output)
                try program.run()
                defer { if program.isRunning { kill(program.processIdentifier, SIGKILL) } }
                var (kills, done) = (0, 0)
                while program.isRunning {
                    usleep(UInt32.random(in: 400_000..<900_000))
                    // What one host has left undone is asked of another one once: that one lives as long as this takes. What
                    // is noted first since the last one died may have been done by that one still.
                    let now = machine.read(machine.folder + "/home/progress")?.utf8.count ?? 0
                    guard now > done + 1, let daemon = machine.daemon else { continue }
                    done = machine.read(machine.folder + "/home/progress")?.utf8.count ?? 0
                    kill(daemon, SIGKILL)
                    kills += 1
                }
                let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                #expect(program.terminationStatus == 0, "\(said)\n\(machine.logTail)")
                #expect(kills > 10)
            }
        }
    }

    @Test("Locks hold between programs that use the mount, and end with them")
    func locks() throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote, withIntermediateDirectories: true)
            try machine.write("0123456789", to: machine.remote + "/a")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted {
                try machine.write(
                    """
                    import fcntl, os, subprocess, sys
                    def other(code):
                        return subprocess.run([sys.executable, "-c", "import fcntl, os\\nfile = open('work/a', 'r+')\\n" + code],
                                              stderr=subprocess.DEVNULL).returncode
                    file = open("work/a", "r+")
                    fcntl.flock(file, fcntl.LOCK_EX)
                    print(other("fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)"))
                    fcntl.flock(file, fcntl.LOCK_UN)
                    print(other("fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)"))
                    fcntl.lockf(file, fcntl.LOCK_EX, 5, 0)
                    print(other("fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 4)"))
                    print(other("fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 5)"))
                    file.close()
                    print(other("fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)"))
                    """, to: machine.folder + "/locks.py")
                #expect(try machine.sh("python3 '\(machine.folder)/locks.py'") == "1\n0\n1\n0\n0\n")
            }
        }
    }
}
