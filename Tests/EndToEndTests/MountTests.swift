import Foundation
import Glibc
import Testing

/// Documents as files, for real: mounted, and used by programs that know nothing of Docent.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us.")) struct MountTests {
    /// A domain on a folder with a few documents, mounted.
    private func withTree(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/Reports/old", withIntermediateDirectories: true)
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("second, longer\n", to: machine.remote + "/b.txt")
            try machine.write("deep\n", to: machine.remote + "/Reports/old/deep ä.txt")
            try Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }).write(
                to: URL(fileURLWithPath: machine.remote + "/Reports/large"))
            _ = try machine.run("/bin/touch", ["-d", "2020-02-03 04:05:06.123456789 UTC", machine.remote + "/a.txt"])
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.mounted { try body(machine) }
        }
    }

    @Test("PH-1, DOWN-2: programs see placeholders with their true size and time, and opening one brings it")
    func reading() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("ls") == "work\n")
            #expect(try machine.sh("ls work") == "Reports\na.txt\nb.txt\n")
            #expect(try machine.sh("stat -c '%s %Y %y' work/a.txt").hasPrefix("6 1580702706 2020-02-03"))
            #expect(try machine.sh("stat -c %b work/Reports/large") == "0\n")
            // Looking has brought nothing.
            #expect(try machine.state("work:/a.txt") == "placeholder")
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            #expect(try machine.state("work:/a.txt") == "materialised")
            #expect(try machine.state("work:/b.txt") == "placeholder")
            #expect(try machine.sh("stat -c '%s %Y' work/a.txt") == "6 1580702706\n")
            #expect(try machine.sh("cmp work/Reports/large '\(machine.remote)/Reports/large' && echo same") == "same\n")
            #expect(try machine.sh("tail -c 3 work/Reports/large | wc -c").contains("3"))
            #expect(try machine.sh("grep -rl deep work") == "work/Reports/old/deep ä.txt\n")
            #expect(try machine.sh("tar -cf - work | tar -tf - | wc -l").contains("7"))
            #expect(try machine.sh("diff -r work '\(machine.remote)' && echo equal") == "equal\n")
        }
    }

    @Test("docent status tells for which programs documents were brought, and how many")
    func broughtFor() throws {
        try withTree { (machine) throws in
            #expect(try !machine.succeed("status").contains("Brought"))
            try machine.sh("ls -lR; cat work/a.txt; cat work/a.txt; grep -rq nothing work/Reports/old || true")
            try machine.succeed("cat", "work:/b.txt")
            let status = try machine.succeed("status")
            let cat = try #require(
                status.split(separator: "\n").first { $0.hasPrefix("  cat, through docent mount (") })
            #expect(cat.hasSuffix("): 1 document, 6 B, last work:/a.txt"))
            #expect(status.contains("  grep, through docent mount ("))
            #expect(status.contains("last work:/Reports/old/deep ä.txt"))
            #expect(status.contains("  docent cat ("))
            #expect(try !machine.succeed("status", "work:/").contains("Brought"))
        }
    }

    @Test("What is not there, and what cannot be done, has the error number that says so")
    func refusals() throws {
        try withTree { (machine) throws in
            for (command, complaint) in [
                ("cat work/nothing", "No such file or directory"), ("ls nothing", "No such file or directory"),
                ("ls 'not a domain'", "No such file or directory"), ("cat work", "Is a directory"),
                ("ls work/a.txt/b", "Not a directory"), ("rmdir work", "Operation not permitted"),
                ("mkdir new", "Operation not permitted"),
                ("ls work/\(String(repeating: "x", count: 256))", "File name too long"),
            ] {
                let result = try machine.shell(command)
                #expect(result.status != 0, "\(command)")
                #expect(result.errors.contains(complaint), "\(command): \(result.errors)")
            }
            #expect(try machine.succeed("cat", "work:/a.txt") == "first\n")
        }
    }

    @Test("What is mounted read-only refuses every change, with the number that says so")
    func readOnly() throws {
        try withTree { (machine) throws in
            try machine.succeed("unmount")
            try machine.succeed("mount", "--read-only")
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            for command in [
                "touch work/new", "echo x >> work/a.txt", "rm work/a.txt", "mkdir work/new", "mv work/a.txt work/b.txt",
                "truncate -s 0 work/a.txt",
            ] {
                let result = try machine.shell(command)
                #expect(result.status != 0, "\(command)")
                #expect(result.errors.contains("Read-only file system"), "\(command): \(result.errors)")
            }
            #expect(try machine.succeed("cat", "work:/a.txt") == "first\n")
        }
    }

    @Test("Extended attributes tell where a document stands")
    func extendedAttributes() throws {
        try withTree { (machine) throws in
            let script = "import os, sys; print(os.getxattr(sys.argv[1], 'user.docent.' + sys.argv[2]).decode())"
            func attribute(_ name: String) throws -> String {
                try machine.sh("python3 -c \"\(script)\" work/a.txt \(name)").trimmingCharacters(in: .newlines)
            }
            #expect(try attribute("state") == "placeholder")
            #expect(try attribute("location") == "work:/a.txt")
            #expect(try !attribute("version").isEmpty)
            #expect(try machine.shell("python3 -c \"\(script)\" work/a.txt nothing").errors.contains("No data"))
            try machine.sh("cat work/a.txt")
            #expect(try attribute("state") == "materialised")
        }
    }

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

    @Test("What is listed and looked at again is answered without asking the provider")
    func metadataFromTheIndex() throws {
        try Machine.with { machine in
            let items: [String: [String?]] = ["f": ["/", "Folder", nil], "a": ["f", "a.txt", "alpha\n"]]
            try machine.addRemoteTree("d")
            try machine.provide(RemoteTree(items: items, feed: [[[], []]]), in: "d")
            try machine.mounted {
                let before = try machine.sh("ls -lR")
                #expect(before.contains("a.txt"))
                let calls = machine.calls(of: "d").count
                #expect(try machine.sh("ls -lR; stat d/Folder/a.txt d/Folder/nothing || true").hasPrefix(before))
                #expect(machine.calls(of: "d").count == calls)
                #expect(try machine.sh("cat d/Folder/a.txt") == "alpha\n")
            }
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

    @Test("PH-8: a program that may not have documents brought reads what is here, and gets an error for the rest")
    func deniedProgram() throws {
        try withTree { (machine) throws in
            machine.takeMountAway()
            let program = machine.folder + "/bin/thumbnailer"
            try FileManager.default.copyItem(atPath: "/bin/cat", toPath: program)
            // Whom the settings say, and a name on the command line.
            let settings = machine.folder + "/home/.config/docent"
            try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
            try machine.write("# Nobody's pictures.\nprogram thumbnailer\n", to: settings + "/mount-deny")
            try machine.succeed("mount", "--deny", "indexer")
            let refused = try machine.shell("'\(program)' work/a.txt")
            #expect(refused.status != 0)
            #expect(refused.errors.contains("Operation not permitted"), "\(refused.errors)")
            #expect(try machine.state("work:/a.txt") == "placeholder")
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            #expect(try machine.sh("'\(program)' work/a.txt") == "first\n")
            try machine.write("", to: settings + "/mount-deny")
            #expect(try machine.sh("sleep 3; '\(program)' work/b.txt") == "second, longer\n")
            machine.takeMountAway()
            try machine.write("thumbnailer and others\n", to: settings + "/mount-deny")
            let unclear = try machine.docent("mount")
            #expect(unclear.status != 0)
            #expect(unclear.errors.contains("/mount-deny, line 1"), "\(unclear.errors)")
        }
    }

    @Test("What the kernel knows of names and sizes it keeps, and lets go of as soon as something changes underneath")
    func invalidation() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("stat -c %s work/a.txt work/Reports/old/*") == "6\n5\n")
            // The host cannot answer, and is not asked; longer than anything is kept that nobody tells of. Names that somebody
            // uses, the kernel does not let go of by itself.
            let daemon = try #require(machine.daemon)
            defer { kill(daemon, SIGCONT) }
            try machine.write(
                """
                import os, time
                names = ["work/a.txt", "work/Reports/old/deep ä.txt"]
                used = [os.open(name, os.O_PATH) for name in names]
                for name in names: os.stat(name)
                os.kill(\(daemon), 19)
                time.sleep(2)
                for name in names: print(os.stat(name).st_size)
                """, to: machine.folder + "/known.py")
            #expect(try machine.sh("python3 '\(machine.folder)/known.py'", timeout: 30) == "6\n5\n")
            kill(daemon, SIGCONT)
            // All within the lifetime of what was known.
            try machine.write("much longer\n", to: machine.folder + "/longer")
            try machine.succeed("export", machine.folder + "/longer", "work:/Reports/new.txt")
            try machine.succeed("rename", "work:/Reports/old", "work:/Reports/older")
            try machine.succeed("rm", "work:/b.txt")
            try machine.write("much longer\n", to: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            let seen = "stat -c %s work/a.txt; ls work work/Reports; stat -c %s work/Reports/older/*"
            #expect(
                try Machine.eventually(within: 30) {
                    try machine.shell(seen).output
                        == "12\nwork:\nReports\na.txt\n\nwork/Reports:\nlarge\nnew.txt\nolder\n5\n"
                        && machine.shell("stat work/b.txt || stat work/Reports/old").status != 0
                })
        }
    }

    @Test("A program stays in its folder while the host ends and is started anew")
    func workingFolder() throws {
        try withTree { (machine) throws in
            let daemon = try #require(machine.daemon)
            let script = "cd work/Reports; kill -9 \(daemon); cat old/*; ls; /bin/pwd; cat large | wc -c"
            #expect(try machine.sh(script).hasSuffix("Docent/work/Reports\n700000\n"))
        }
    }

    @Test(
        "What is newer on the remote has its size and time before anybody opens it: who copies what differs misses nothing"
    )
    func outdated() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("cat work/a.txt; cp -p work/a.txt ../copy") == "first\n")
            try machine.write("first, and longer\n", to: machine.remote + "/a.txt")
            #expect(
                Machine.eventually(within: 30) { (try? machine.sh("stat -c %s work/a.txt")) == "18\n" })
            #expect(try machine.state("work:/a.txt") == "outdated")
            #expect(
                try machine.sh("cp -u work/a.txt ../copy; cat ../copy work/a.txt")
                    == "first, and longer\nfirst, and longer\n")
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

    @Test("What changes on the remote is seen by who opens it next")
    func remoteChange() throws {
        try withTree { (machine) throws in
            #expect(try machine.sh("cat work/a.txt") == "first\n")
            try machine.write("changed, and much longer\n", to: machine.remote + "/a.txt")
            try machine.write("new\n", to: machine.remote + "/c.txt")
            try machine.succeed("refresh", "work:/")
            #expect(
                try Machine.eventually(within: 30) { try machine.sh("cat work/a.txt") == "changed, and much longer\n" })
            #expect(try Machine.eventually(within: 30) { try machine.shell("cat work/c.txt").output == "new\n" })
        }
    }
}
