import Foundation
import Glibc
import Testing

/// Documents as files, for real: mounted, and used by programs that know nothing of Docent.
@Suite(.serialized, .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
struct MountTests: MountedTreeSuite {
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
