import DocumentClient
import DocumentModel
import Foundation
import Testing

/// What is kept here and not sent, with the real programs.
@Suite(.serialized) struct IgnoringTests {
    private func withWork(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try body(machine)
        }
    }

    private func remote(_ machine: Machine, _ folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: machine.remote + folder)) ?? []).sorted()
    }

    /// Writes a new document, as a tool that coordinates.
    @discardableResult
    private func make(_ machine: Machine, _ location: String, _ text: String) throws -> Machine.Result {
        try machine.docent("edit", location, "--with", "sh", "-c", "echo \(text) > '{}'")
    }

    private func stat(_ machine: Machine, _ location: String) throws -> [String: Any] {
        try machine.json("stat", location) as? [String: Any] ?? [:]
    }

    @Test("CONT-13: rules are shown, changed and explained, and a bad one is refused by name")
    func commands() throws {
        try withWork { machine in
            #expect(try machine.succeed("ignore", "work").contains(".DS_Store"))
            try machine.succeed("ignore", "work", "--add", "*.tmp", "--add", "!keep.tmp", "--add", "build/")
            let rules = try machine.json("ignore", "work", "--remove", "build/") as? [String: Any]
            #expect(rules?["patterns"] as? [String] == ["*.tmp", "!keep.tmp"])
            #expect(try machine.succeed("ignore", "work", "--explain", "x/a.tmp").contains("kept here"))
            #expect(try machine.succeed("ignore", "work", "--explain", "keep.tmp").contains("is sent, by the rule"))
            #expect(try machine.succeed("ignore", "work", "--explain", "work:/b.txt").contains("no rule"))
            #expect(try machine.succeed("ignore", "work", "--explain", ".DS_Store").contains("built-in"))
            try machine.succeed("ignore", "work", "--no-defaults")
            #expect(try machine.succeed("ignore", "work", "--explain", ".DS_Store").contains("no rule"))
            let bad = try machine.docent("ignore", "work", "--add", "[a")
            #expect(bad.status == 64 && bad.errors.contains("“[a”"), "\(bad.errors)")
            let missing = try machine.docent("ignore", "work", "--remove", "nothing")
            #expect(missing.status == 1 && missing.errors.contains("“nothing”"), "\(missing.errors)")
            // Over a restart of the host.
            try machine.succeed("host", "stop")
            let kept = try machine.json("ignore", "work") as? [String: Any]
            #expect(
                kept?["patterns"] as? [String] == ["*.tmp", "!keep.tmp"] && kept?["usesDefaults"] as? Bool == false)
        }
    }

    @Test("CONT-13: what is new and matches is not sent, says why, and is sent when the rule goes")
    func coordinated() throws {
        try withWork { machine in
            try machine.succeed("ignore", "work", "--add", "*.tmp")
            let made = try make(machine, "work:/new.tmp", "scratch")
            #expect(made.status == 0 && made.errors.contains("“*.tmp”"), "\(made)")
            try make(machine, "work:/.~lock.a.txt#", "me")
            #expect(try make(machine, "work:/new.txt", "text").status == 0)
            #expect(remote(machine) == ["a.txt", "new.txt"])
            let status = try stat(machine, "work:/new.tmp")
            #expect(status["ignoredBy"] as? String == "*.tmp" && status["keeping"] as? String == "excluded")
            #expect((status["upload"] as? [String: Any])?["waitsFor"] as? String == "inclusion")
            #expect(try machine.succeed("status").contains("Kept here by the ignore rule “*.tmp”"))
            #expect(try machine.succeed("cat", "work:/new.tmp") == "scratch\n")
            // Neither evicted nor sent by the next host.
            #expect(try machine.docent("evict", "work:/new.tmp").status == 1)
            try machine.succeed("host", "stop")
            try machine.succeed("refresh", "work:/")
            #expect(try machine.succeed("cat", "work:/new.tmp") == "scratch\n")
            #expect(remote(machine) == ["a.txt", "new.txt"])
            try machine.succeed("ignore", "work", "--remove", "*.tmp")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/new.tmp") == "scratch\n" })
            #expect(remote(machine) == ["a.txt", "new.tmp", "new.txt"])
            #expect(try stat(machine, "work:/new.tmp")["ignoredBy"] is NSNull)
        }
    }

    @Test("CONT-13: what the remote has is no matter of rules: its changes come, and edits of it are sent")
    func known() throws {
        try withWork { machine in
            try machine.write("old\n", to: machine.remote + "/known.tmp")
            try machine.succeed("ls", "work:/", "--refresh")
            try machine.succeed("ignore", "work", "--add", "*.tmp", "--add", "*.txt")
            #expect(try machine.succeed("ignore", "work", "--explain", "known.tmp").contains("the remote has it"))
            try machine.succeed("edit", "work:/known.tmp", "--with", "sh", "-c", "echo new > '{}'")
            #expect(machine.read(machine.remote + "/known.tmp") == "new\n")
            try machine.write("later\n", to: machine.remote + "/more.tmp")
            #expect(try machine.succeed("ls", "work:/", "--refresh").contains("more.tmp"))
            #expect(try machine.succeed("cat", "work:/more.tmp") == "later\n")
            // By whatever name: it is renamed there.
            try machine.succeed("rename", "work:/known.tmp", "other.tmp")
            try machine.succeed("rename", "work:/a.txt", "b.txt")
            #expect(remote(machine) == ["b.txt", "more.tmp", "other.tmp"])
            try machine.succeed("rm", "work:/other.tmp")
            #expect(remote(machine) == ["b.txt", "more.tmp"])
        }
    }

    @Test(
        "CONT-13: an editor that renames the remote's document and makes it anew has its edit sent, whatever the rules say"
    )
    func savedByBackup() throws {
        try withWork { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/build", withIntermediateDirectories: false)
            try machine.write("old\n", to: machine.remote + "/build/a.txt")
            for place in ["work:/", "work:/build"] { try machine.succeed("ls", place, "--refresh") }
            try machine.succeed("ignore", "work", "--add", "build/")
            try machine.succeed("rename", "--no-wait", "work:/build/a.txt", "work:/build/a.txt~")
            #expect(Machine.eventually { remote(machine, "/build") == ["a.txt~"] })
            try machine.write("new\n", to: machine.folder + "/work/a.txt")
            try machine.succeed("move", "--no-wait", "a.txt", "work:/build/a.txt")
            try machine.succeed("rm", "--no-wait", "work:/build/a.txt~")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/build/a.txt") == "new\n" })
            #expect(Machine.eventually(within: 30) { remote(machine, "/build") == ["a.txt"] })
        }
    }

    @Test("CONT-13: what the remote has by the name of something that is kept here is shown, and both are there")
    func sameName() throws {
        try withWork { machine in
            try machine.succeed("ignore", "work", "--add", "*.tmp")
            try make(machine, "work:/x.tmp", "mine")
            try machine.write("theirs\n", to: machine.remote + "/x.tmp")
            try machine.succeed("ls", "work:/", "--refresh")
            #expect(
                try Machine.eventually(within: 30) { try machine.docent("cat", "work:/x.tmp").output == "theirs\n" })
            let names = try machine.succeed("ls", "work:/")
            let copy = try #require(names.firstMatch(of: #/x \(conflict[^\n]*?\.tmp/#), "\(names)")
            #expect(try machine.succeed("cat", "work:/" + copy.output) == "mine\n")
        }
    }

    @Test("CONT-13: under a name that is not ignored it is sent, alone or with the folder around it")
    func renamed() throws {
        try withWork { machine in
            try machine.succeed("ignore", "work", "--add", "*.tmp", "--add", "build/")
            try make(machine, "work:/x.tmp", "one")
            try machine.succeed("mkdir", "work:/build")
            try make(machine, "work:/build/y.txt", "two")
            try make(machine, "work:/build/z.tmp", "three")
            #expect(remote(machine) == ["a.txt"])
            try machine.succeed("rename", "work:/x.tmp", "x.txt")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/x.txt") == "one\n" })
            try machine.succeed("rename", "work:/build", "built")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/built/y.txt") == "two\n" })
            usleep(500_000)
            #expect(remote(machine, "/built") == ["y.txt"])
            #expect(remote(machine) == ["a.txt", "built", "x.txt"])
            #expect(try stat(machine, "work:/built/z.tmp")["ignoredBy"] as? String == "*.tmp")
        }
    }

    @Test("CONT-13: nothing that matches is put on the remote by an export either")
    func exported() throws {
        try withWork { machine in
            try machine.write("swap", to: machine.folder + "/work/n.swp")
            let refused = try machine.docent("export", machine.folder + "/work/n.swp", "work:/n.swp")
            #expect(refused.status == 1 && refused.errors.contains("“*.swp”"), "\(refused.errors)")
            #expect(remote(machine) == ["a.txt"])
            #expect(try machine.docent("export", machine.folder + "/work/n.swp", "work:/n.txt").status == 0)
        }
    }

    @Test("CONT-13: what programs leave in the tree unasked is not told of where a rule is about it, and is left alone")
    func unasked() throws {
        try withWork { machine in
            try machine.succeed("cat", "work:/a.txt")
            let folder = machine.root + "/documents/work"
            try machine.write("swap", to: folder + "/.a.txt.swp")
            try machine.write("mine", to: folder + "/mine.txt")
            #expect(
                try Machine.eventually(within: 30) {
                    try machine.succeed("host", "status").contains("mine.txt belongs to no document")
                })
            #expect(try !machine.succeed("host", "status").contains(".a.txt.swp"))
            // As vim saves.
            let saved = try machine.run(
                "/bin/sh",
                ["-c", "echo second > '\(folder)/.a.txt.swp' && mv '\(folder)/.a.txt.swp' '\(folder)/a.txt'"])
            #expect(saved.status == 0)
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "second\n" })
            #expect(remote(machine) == ["a.txt"])
        }
    }

    @Test("CONT-13: editors save through the mount by names that are ignored, and only what they save is sent")
    func mounted() throws {
        guard Machine.canMount else { return }
        try withWork { machine in
            try machine.succeed("ignore", "work", "--add", "*.tmp")
            try machine.mounted {
                try machine.sh("echo lock > 'work/.~lock.a.txt#'; echo next > work/a.tmp; cat work/a.tmp")
                #expect(try machine.sh("ls -A work").contains(".~lock.a.txt#"))
                let shown = try machine.sh(
                    "python3 -c 'import os; print(os.getxattr(\"work/a.tmp\", \"user.docent.waiting\").decode())'")
                #expect(shown.contains("inclusion") && shown.contains("“*.tmp”"), "\(shown)")
                try machine.sh("mv work/a.tmp work/a.txt; rm 'work/.~lock.a.txt#'")
                #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/a.txt") == "next\n" })
                try machine.sh("echo new > work/n.tmp; mv work/n.tmp work/n.txt")
                #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/n.txt") == "new\n" })
                try machine.sh("mkdir work/d.tmp; mv work/n.txt work/d.tmp/n.txt; echo x > work/d.tmp/x.txt")
                // What the remote has takes its folder along; what is new there stays.
                #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/d.tmp/n.txt") == "new\n" })
                #expect(try machine.sh("cat work/d.tmp/x.txt") == "x\n")
                usleep(500_000)
                #expect(remote(machine, "/d.tmp") == ["n.txt"])
            }
            #expect(Set(remote(machine)) == ["a.txt", "d.tmp"])
        }
    }

    @Test("CONT-13: what is kept here is replaced through the mount also while open; what the remote has stays there")
    func replacedMounted() throws {
        guard Machine.canMount else { return }
        try withWork { machine in
            try machine.mounted {
                let program = """
                    import os
                    old = os.open("work/.a.swp", os.O_RDWR | os.O_CREAT)
                    os.write(old, b"old")
                    with open("work/.a.swp.new", "w") as file: file.write("new")
                    os.rename("work/.a.swp.new", "work/.a.swp")
                    with open("work/.a.swp") as file: assert file.read() == "new"
                    assert os.pread(old, 9, 0) == b"old"
                    again = os.open("work/.a.swp", os.O_RDWR)
                    os.write(again, b"NEW")
                    os.rename("work/a.txt", "work/.a.swp")
                    with open("work/.a.swp") as file: assert file.read() == "first\\n", "it has come"
                    assert os.pread(again, 9, 0) == b"NEW", "it is still its writer's"
                    assert os.listdir("work") == [".a.swp"], os.listdir("work")
                    """
                try machine.sh("python3 - <<'END'\n\(program)\nEND")
                // It is under its new name there: a rule does not hide what the remote has.
                #expect(Machine.eventually(within: 30) { remote(machine) == [".a.swp"] }, "\(remote(machine))")
            }
            #expect(machine.read(machine.remote + "/.a.swp") == "first\n")
        }
    }

    @Test("CONT-13: to sign out, or to remove the domain, asks before what is kept here alone is lost")
    func removed() throws {
        try withWork { machine in
            try make(machine, "work:/.DS_Store", "mine")
            let refused = try machine.docent("domain", "remove", "work")
            #expect(refused.status == 1, "\(refused)")
            #expect(try machine.succeed("cat", "work:/.DS_Store") == "mine\n")
            try machine.succeed("domain", "remove", "work", "--discard-unsent")
        }
    }

    @Test("CONT-13: rules of a whole domain are for the user's own programs")
    func confined() async throws {
        try await Machine.with { (machine: Machine) async throws in
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            try machine.write(
                "identifier = \"org.example.notes\"\nname = \"Notes\"\nexecutable = \"\(program)\"\ndomains = [\"work\"]\n",
                to: machine.folder + "/tool.toml")
            try machine.succeed("tool", "register", machine.folder + "/tool.toml")
            try await machine.client { (client) async throws in
                let name = try DomainName("work")
                let change = IgnoreRuleChange(adding: [try IgnorePattern("*")])
                await #expect(throws: DocumentError.self) { try await client.ignoreRules(of: name) }
                await #expect(throws: DocumentError.self) { try await client.changeIgnoreRules(change, of: name) }
                await #expect(throws: DocumentError.self) {
                    try await client.explainIgnoring(of: Location("work:/a"))
                }
            }
        }
    }
}
