import Foundation
import Glibc
import Testing

/// DOWN-10: documents that programs read while they come.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountComingTests {
    private static let size = 96 << 20

    /// A document of 96 MiB on a server that takes about ten seconds for it, mounted.
    ///
    /// - Parameter speed: of the server, in KiB a second.
    private func withLargeDocument(speed: Int = 10_000, _ body: (Machine, WebDAVServer) throws -> Void) throws {
        try Machine.with { machine in
            try machine.fill(machine.remote + "/large", mebibytes: Self.size >> 20, seed: 1)
            let password = "s3cret-of-ann"
            let settings = "server.kbytes-per-second = \(speed)"
            try WebDAVServer.with(machine, password: password, settings: settings) { server in
                try server.addDomain()
                #expect(try machine.succeed("ls", "web:/").contains("large"))
                try machine.mounted { try body(machine, server) }
            }
        }
    }

    private func percent(_ machine: Machine) throws -> Int {
        try machine.docent("status", "web:/large").output.firstMatch(of: #/(\d+) %/#).flatMap { Int($0.1) } ?? 100
    }

    /// Compares a mebibyte of the mounted document with the remote's.
    private func compare(_ number: Int, _ machine: Machine) throws {
        try machine.sh(
            """
            for f in web/large \(machine.remote)/large; do dd if=$f bs=1M skip=\(number) count=1 status=none | sha256sum; done \
            | uniq | wc -l | grep -qx 1
            """, timeout: 30)
    }

    @Test("DOWN-10: what a program reads comes first, wherever it is, and the rest behind it")
    func whatIsReadFirst() throws {
        try withLargeDocument { (machine, _) throws in
            #expect(try machine.sh("stat -c '%s %b' web/large") == "\(Self.size) 0\n")
            try compare(90, machine)
            try compare(40, machine)
            try compare(0, machine)
            let soFar = try percent(machine)
            #expect(soFar < 75, "three mebibytes were read when \(soFar) % were here")
            #expect(try machine.sh("stat -c %s web/large") == "\(Self.size)\n")
            // Another program, which reads all of it.
            try machine.sh("cmp web/large \(machine.remote)/large", timeout: 120)
            #expect(try Machine.eventually { try machine.state("web:/large") == "materialised" })
            #expect(
                FileManager.default.contentsEqual(
                    atPath: machine.root + "/documents/web/large", andPath: machine.remote + "/large"))
            try machine.sh("cmp web/large \(machine.remote)/large", timeout: 60)
        }
    }

    @Test("DOWN-10: a program that leaves out holes does not take what comes for one")
    func holes() throws {
        try withLargeDocument { (machine, _) throws in
            try machine.sh(
                "tar -cSf ../large.tar web/large && tar -xOf ../large.tar | cmp - \(machine.remote)/large", timeout: 120
            )
        }
    }

    @Test("DOWN-10: a program that has read the beginning and ended has the rest come all the same")
    func restBehind() throws {
        try withLargeDocument { (machine, _) throws in
            try machine.sh("head -c 100 web/large > ../beginning")
            #expect(try machine.state("web:/large") == "materialising")
            #expect(try Machine.eventually(within: 60) { try machine.state("web:/large") == "materialised" })
            #expect(
                FileManager.default.contentsEqual(
                    atPath: machine.root + "/documents/web/large", andPath: machine.remote + "/large"))
        }
    }

    /// Opens the document, reads the beginning, says so, waits for a word, and reads the rest.
    private static let reader = """
        import hashlib, os, sys, time
        f = os.open("web/large", os.O_RDONLY)
        digest = hashlib.sha256(os.read(f, 1 << 20))
        open(sys.argv[1] + "/begun", "w").close()
        while not os.path.exists(sys.argv[1] + "/on"): time.sleep(0.02)
        try:
            while True:
                part = os.read(f, 1 << 20)
                if not part: break
                digest.update(part)
            result = digest.hexdigest()
        except OSError as error:
            result = "error %d" % error.errno
        open(sys.argv[1] + "/result", "w").write(result)
        """

    /// Opens the document, says so, and reads one byte.
    private static let opener = """
        import os, sys
        f = os.open("web/large", os.O_RDONLY)
        open(sys.argv[1] + "/begun", "w").close()
        try:
            result = os.read(f, 1).hex()
        except OSError as error:
            result = "error %d" % error.errno
        open(sys.argv[1] + "/result", "w").write(result)
        """

    /// What a program gets to read: something happens when it has said that it has begun.
    private func read(
        _ machine: Machine, by script: String = reader, while body: () throws -> Void
    ) throws -> String {
        try machine.write(script, to: machine.folder + "/reader.py")
        let program = try machine.background("exec python3 ../../reader.py \(machine.folder)")
        defer {
            kill(program.processIdentifier, SIGKILL)
            program.waitUntilExit()
        }
        try #require(Machine.eventually(within: 30) { machine.read(machine.folder + "/begun") != nil })
        try body()
        try machine.write("", to: machine.folder + "/on")
        try #require(
            Machine.eventually(within: 90) { machine.read(machine.folder + "/result")?.isEmpty == false },
            "\(machine.logTail)")
        return machine.read(machine.folder + "/result") ?? ""
    }

    private func digest(_ path: String, _ machine: Machine) throws -> String {
        String(try machine.run("/usr/bin/sha256sum", [path]).output.prefix(64))
    }

    @Test("PH-8, DOWN-10: a program that reads what comes reads on when the host, or the provider, has died meanwhile")
    func death() throws {
        try withLargeDocument { (machine, _) throws in
            let expected = try digest(machine.remote + "/large", machine)
            let result = try read(machine) {
                for process in machine.processes(named: "WebDAVProvider") { kill(process, SIGKILL) }
                usleep(300_000)
                kill(try #require(machine.daemon), SIGKILL)
            }
            #expect(result == expected)
        }
    }

    @Test("PH-8, DOWN-10: a program that has opened what has only begun to come waits when the provider dies")
    func deathBeforeTheFirstPart() throws {
        // Four requests of 4 MiB each, of which none is whole before eight seconds.
        try withLargeDocument(speed: 2_000) { (machine, _) throws in
            let expected = try machine.sh("head -c 1 \(machine.remote)/large | od -An -tx1 | tr -d ' \\n'")
            let result = try read(machine, by: Self.opener) {
                #expect(machine.read(machine.folder + "/result") == nil)
                let providers = machine.processes(named: "WebDAVProvider")
                #expect(!providers.isEmpty)
                for process in providers { kill(process, SIGKILL) }
            }
            #expect(result == expected)
        }
    }

    @Test(
        "INV-9: a program that reads what comes gets one version of it, or an error, when it is changed meanwhile, be it to less",
        arguments: [96, 1])
    func changedMeanwhile(toMebibytes mebibytes: Int) throws {
        try withLargeDocument { (machine, _) throws in
            let before = try digest(machine.remote + "/large", machine)
            let result = try read(machine) {
                try machine.fill(machine.remote + "/newer", mebibytes: mebibytes, seed: 2)
                #expect(rename(machine.remote + "/newer", machine.remote + "/large") == 0)
                if mebibytes == 1 {
                    try machine.succeed("refresh", "web:/")
                    try machine.sh("ls -l web; stat web/large")
                }
            }
            // What was brought until then may have been all of it.
            #expect(result == before || result == "error \(ESTALE)", "\(result)")
            // It may take a moment until the change is known here.
            #expect(
                try Machine.eventually(within: 60) {
                    try machine.shell("cmp web/large \(machine.remote)/large", timeout: 120).status == 0
                }, "\(machine.logTail)")
        }
    }

    @Test("PH-8: who waits for what does not come can be interrupted, and reads on when the server is there again")
    func hangingServer() throws {
        try withLargeDocument { (machine, server) throws in
            try compare(0, machine)
            kill(server.process, SIGSTOP)
            defer { kill(server.process, SIGCONT) }
            let interrupted = try machine.shell("timeout -s INT 1 tail -c 1000000 web/large", timeout: 20)
            #expect(interrupted.status == 124)
            kill(server.process, SIGCONT)
            try compare(95, machine)
        }
    }

    @Test("PH-8: programs that read what does not come keep none from hearing of what changes elsewhere")
    func newsWhileItHangs() throws {
        try withLargeDocument { (machine, server) throws in
            let other = machine.folder + "/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            try machine.write("first\n", to: other + "/a.txt")
            try machine.succeed("domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(other)")
            try machine.sh("ls work; stat -c %s work/a.txt; head -c 1000 web/large > ../beginning")
            // Far apart, so that the kernel waits for many of its pages while more and more has come.
            let readers = try machine.background(
                "seq 2 2 94 | xargs -P 50 -I '{}' dd if=web/large bs=1M skip='{}' count=1 of=/dev/null status=none")
            usleep(1_200_000)
            kill(server.process, SIGSTOP)
            defer { kill(server.process, SIGCONT) }
            try #require(readers.isRunning)
            #expect(try machine.state("web:/large") == "materialising")
            #expect(try machine.sh("stat -c %s work/a.txt", timeout: 10) == "6\n")
            try machine.write("much longer\n", to: other + "/a.txt")
            try machine.succeed("refresh", "work:/")
            #expect(
                Machine.eventually(within: 10) {
                    (try? machine.shell("stat -c %s work/a.txt", timeout: 10))?.output == "12\n"
                }, "\(machine.logTail)")
            kill(server.process, SIGCONT)
            readers.waitUntilExit()
            #expect(readers.terminationStatus == 0)
        }
    }

    @Test("COORD-23: what is written to a document that others read while it comes is there, and sent")
    func written() throws {
        try withLargeDocument { (machine, _) throws in
            let result = try read(machine) {
                try machine.sh("printf edited | dd of=web/large bs=1M seek=50 conv=notrunc status=none", timeout: 60)
            }
            #expect(!result.hasPrefix("error"), "\(result)")
            var compared = ""
            #expect(
                Machine.eventually(within: 60) {
                    compared = (try? machine.shell("cmp web/large \(machine.remote)/large"))?.errors ?? "no answer"
                    return compared.isEmpty && (try? machine.state("web:/large")) == "materialised"
                }, "\(compared)\n\((try? machine.succeed("status")) ?? "")\n\(machine.logTail)")
            #expect(try machine.sh("dd if=web/large bs=1M skip=50 count=1 status=none | head -c 6") == "edited")
        }
    }

    @Test("PH-8: who may not have documents brought does not read on what comes for others")
    func denied() throws {
        try withLargeDocument { (machine, _) throws in
            machine.takeMountAway()
            try machine.succeed("mount", "--deny", "sha256sum")
            try compareQuietly(machine)
            let result = try machine.shell("sha256sum web/large", timeout: 20)
            #expect(result.status != 0)
            #expect(result.errors.contains("Operation not permitted"), "\(result.errors)")
            #expect(try machine.sh("head -c 5000000 web/large | wc -c") == "5000000\n")
        }
    }

    /// Has it come for another program.
    private func compareQuietly(_ machine: Machine) throws {
        try machine.sh("cmp -n 1000000 web/large \(machine.remote)/large", timeout: 30)
        #expect(try machine.state("web:/large") == "materialising")
    }
}
