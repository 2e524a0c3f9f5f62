import Foundation
import Testing

/// Versions and conflicts, as somebody at a terminal has them.
@Suite(.serialized) struct VersionTests {
    private func withDocument(_ contents: String, _ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write(contents, to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    /// Runs a shell command on the document, which is `$1`.
    private func edit(_ machine: Machine, _ command: String) throws -> Machine.Result {
        try machine.docent("edit", "d:/a.txt", "--with", "sh", "-c", command, "sh", "{}")
    }

    private func versions(_ machine: Machine) throws -> [[String: Any]] {
        try machine.json("versions", "d:/a.txt") as? [[String: Any]] ?? []
    }

    private func kinds(_ versions: [[String: Any]]) -> [String] { versions.compactMap { $0["kind"] as? String } }

    @Test("VER-1, VER-8: what a document was before an edit is listed, survives a restart, and comes back")
    func older() throws {
        try withDocument("first\n") { machine in
            #expect(try edit(machine, "echo second > \"$1\"").status == 0)
            let before = try versions(machine)
            #expect(kinds(before) == ["current", "older"])
            #expect((before.last?["path"] as? String).flatMap(machine.read) == "first\n")
            try machine.succeed("host", "stop")
            let after = try versions(machine)
            let id = try #require(after.last?["id"] as? String)
            #expect(id == before.last?["id"] as? String)
            let current = try #require(before.first?["id"] as? String)
            #expect(after.first?["id"] as? String == current && current != id)
            try machine.succeed("restore", "d:/a.txt", id)
            #expect(try machine.succeed("cat", "d:/a.txt") == "first\n")
            #expect(Machine.eventually { machine.read(machine.remote + "/a.txt") == "first\n" })
            let replaced = try versions(machine).first { $0["kind"] as? String == "older" }
            #expect((replaced?["path"] as? String).flatMap(machine.read) == "second\n")
            #expect(replaced?["id"] as? String == current, "VER-8: what was current is found by the same identifier")
            #expect(try machine.docent("restore", "d:/a.txt", "none").status == 1)
        }
    }

    @Test(
        "VER-1: one version is the current one, the first; the unresolved ones are told apart; of what is not there is no list, not even an empty one"
    )
    func currentAndOthers() throws {
        try withDocument("first\n") { machine in
            try machine.succeed("ls", "d:/")
            // It is not here, and is a document all the same.
            let placeholder = try versions(machine)
            #expect(kinds(placeholder) == ["current"] && !(placeholder.first?["path"] is String))
            for text in ["second", "third"] { #expect(try edit(machine, "echo \(text) > \"$1\"").status == 0) }
            let edited = try versions(machine)
            #expect(kinds(edited) == ["current", "older", "older"])
            #expect(edited.map { $0["inPlace"] as? Bool } == [true, false, false])
            #expect(Set(edited.compactMap { $0["id"] as? String }).count == 3)

            let theirs = machine.remote + "/a.txt"
            #expect(try edit(machine, "echo ours > \"$1\"; echo 'theirs, longer' > '\(theirs)'").status == 1)
            let clashed = kinds(try versions(machine))
            #expect(clashed.first == "current")
            #expect(clashed.count { $0 == "current" } == 1 && clashed.count { $0 == "conflict" } == 1, "\(clashed)")
            try machine.succeed("resolve", "d:/a.txt", "--keep", "remote")
            let resolved = kinds(try versions(machine))
            #expect(resolved.count { $0 == "current" } == 1 && !resolved.contains("conflict"), "\(resolved)")

            try machine.succeed("mkdir", "d:/F")
            try machine.succeed("rm", "d:/a.txt")
            for place in ["d:/a.txt", "d:/none.txt", "d:/F", "d:/"] {
                let refused = try machine.docent("versions", place, "--json")
                #expect(
                    refused.status == 1 && refused.output.isEmpty && !refused.errors.isEmpty, "\(place): \(refused)")
            }
        }
    }

    @Test("VER-5, VER-13: both sides of a conflict and what they began from are shown, and merge where that is clear")
    func merge() throws {
        try withDocument("1\n2\n3\n4\n5\n") { machine in
            let theirs = machine.remote + "/a.txt"
            let edited = try edit(
                machine, "sed -i s/1/ours/ \"$1\"; printf '1\\n2\\n3\\n4\\ntheirs\\n' > '\(theirs)'")
            #expect(edited.status == 1)
            let listed = try versions(machine)
            #expect(Set(kinds(listed)) == ["current", "conflict", "base"])
            let base = listed.first { $0["kind"] as? String == "base" }
            #expect((base?["path"] as? String).flatMap(machine.read) == "1\n2\n3\n4\n5\n")
            #expect(try machine.succeed("conflicts").contains("what both began from"))
            try machine.succeed("resolve", "d:/a.txt", "--merge")
            #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n2\n3\n4\ntheirs\n")
            #expect(Machine.eventually { machine.read(theirs) == "ours\n2\n3\n4\ntheirs\n" })
            #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
        }
    }

    @Test("VER-5: where both sides changed the same lines nothing is merged, and ours can get a name of their own")
    func overlapping() throws {
        try withDocument("1\n") { machine in
            let theirs = machine.remote + "/a.txt"
            #expect(try edit(machine, "echo ours > \"$1\"; echo theirs > '\(theirs)'").status == 1)
            let refused = try machine.docent("resolve", "d:/a.txt", "--merge")
            #expect(refused.status == 1 && refused.errors.contains("The same lines"), "\(refused)")
            #expect(kinds(try versions(machine)).contains("conflict"))
            try machine.succeed("resolve", "d:/a.txt", "--as", "mine.txt")
            #expect(try machine.succeed("cat", "d:/a.txt") == "theirs\n")
            #expect(machine.read(machine.remote + "/mine.txt") == "ours\n")
        }
    }

    @Test(
        "VER-5: a program of the user's merges its type, confined; its result is offered, and changes nothing unasked")
    func mergeProgram() throws {
        try withDocument("base\n") { machine in
            let secret = machine.folder + "/work/secret"
            try machine.write("secret\n", to: secret)
            let program = machine.folder + "/bin/merge-it"
            // Whatever it can reach of what is not its business goes into the result.
            try machine.write(
                """
                #!/bin/sh
                { cat "$1" "$2" "$3"; cat '\(secret)' || echo denied; } > "$4"
                echo x > '\(secret)' || true
                mkdir -p "$HOME/cache" && echo '\(machine.folder)' > "$HOME/cache/file"
                grep -q refuse "$2" && exit 1
                exit 0
                """, to: program)
            chmod(program, 0o755)
            let settings = machine.folder + "/home/.config/docent"
            try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
            try machine.write(
                "# mine\n.txt \(program) {base} {ours} {theirs} {result}\n", to: settings + "/merge-programs")
            let theirs = machine.remote + "/a.txt"
            func clash(_ ours: String) throws {
                let edited = try edit(machine, "echo \(ours) > \"$1\"; echo 'theirs of \(ours)' > '\(theirs)'")
                #expect(edited.status == 1)
            }
            try clash("refuse")
            let refused = try machine.docent("resolve", "d:/a.txt", "--merge")
            #expect(refused.status == 1)
            #expect(refused.errors.contains("finds no clear merge"), "\(refused.errors)")
            #expect(try machine.succeed("conflicts").contains("d:/a.txt"))
            #expect(machine.read(theirs) == "theirs of refuse\n")
            try machine.succeed("resolve", "d:/a.txt", "--keep", "remote")

            try clash("ours")
            let out = machine.folder + "/work/merged.txt"
            try machine.succeed("resolve", "d:/a.txt", "--merge", "--into", out)
            #expect(machine.read(out) == "theirs of refuse\nours\ntheirs of ours\ndenied\n")
            #expect(try machine.succeed("conflicts").contains("d:/a.txt"), "nothing is changed by a look")
            #expect(try machine.docent("resolve", "d:/a.txt", "--merge", "--into", out).status == 1)
            try machine.succeed("resolve", "d:/a.txt", "--merge")
            #expect(try machine.succeed("cat", "d:/a.txt") == machine.read(out))
            #expect(Machine.eventually(within: 60) { machine.read(theirs) == machine.read(out) })
            #expect(try machine.succeed("conflicts").contains("Nothing is in conflict"))
            #expect(machine.read(secret) == "secret\n")

            try machine.write(".txt merge-it\n", to: settings + "/merge-programs")
            let mistaken = try machine.docent("resolve", "d:/a.txt", "--merge")
            #expect(mistaken.status == 78, "the user's settings have a mistake")
            #expect(mistaken.errors.contains("merge-programs, line 1"), "\(mistaken.errors)")
            // What it left in its folder is gone with that.
            let left = try FileManager.default.contentsOfDirectory(atPath: "/tmp").filter {
                $0.hasPrefix("docent-merge.") && machine.read("/tmp/\($0)/cache/file") == machine.folder + "\n"
            }
            #expect(left.isEmpty)
        }
    }

    @Test("VER-5: where another machine has kept both in the same second, the copy gets a name of its own")
    func sameSecond() throws {
        try withDocument("1\n") { machine in
            let theirs = machine.remote + "/a.txt"
            let edited = try edit(
                machine, "echo ours > \"$1\"; touch -d '2025-01-02 03:04:05 UTC' \"$1\"; echo theirs > '\(theirs)'")
            #expect(edited.status == 1)
            let taken = machine.remote + "/a (conflict 2025-01-02 03.04.05).txt"
            try machine.write("of another machine\n", to: taken)
            try machine.succeed("refresh", "d:/")
            try machine.succeed("resolve", "d:/a.txt", "--keep", "both")
            #expect(machine.read(taken) == "of another machine\n")
            #expect(machine.read(machine.remote + "/a (conflict 2025-01-02 03.04.05 2).txt") == "ours\n")
            #expect(try machine.succeed("cat", "d:/a.txt") == "theirs\n")
        }
    }

    @Test("VER-6, VER-11: what is resolved leaves the list of conflicts for good, and once more is harmless")
    func resolvedTwice() throws {
        try withDocument("0\n") { machine in
            let theirs = machine.remote + "/a.txt"
            #expect(try edit(machine, "echo mine > \"$1\"; echo 'theirs, longer' > '\(theirs)'").status == 1)
            #expect(try machine.succeed("conflicts").contains("d:/a.txt"))
            for _ in 0..<2 {
                try machine.succeed("resolve", "d:/a.txt", "--keep", "remote")
                #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
                #expect(!kinds(try versions(machine)).contains("conflict"))
            }
            // Neither side changes what was chosen.
            try machine.succeed("resolve", "d:/a.txt", "--keep", "local")
            #expect(try machine.succeed("cat", "d:/a.txt") == "theirs, longer\n")
            try machine.succeed("host", "stop")
            #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
        }
    }

    @Test(
        "VER-7: what a version takes the place of is a version itself, also where it was not here",
        arguments: [true, false])
    func restoredOverEvicted(inPlace: Bool) throws {
        try withDocument("first\n") { machine in
            try machine.write("other\n", to: machine.remote + "/b.txt")
            #expect(try edit(machine, "echo second > \"$1\"").status == 0)
            let old = try #require(try versions(machine).last?["id"] as? String)
            try machine.succeed("refresh", "d:/")
            try machine.succeed("evict", "d:/a.txt")
            let target = inPlace ? "d:/a.txt" : "d:/b.txt"
            let words = ["restore", "d:/a.txt", old] + (inPlace ? [] : ["--to", target, "--force"])
            let restored = try machine.run(machine.folder + "/bin/docent", words)
            #expect(restored.status == 0, "\(restored)")
            let path = machine.remote + (inPlace ? "/a.txt" : "/b.txt")
            #expect(Machine.eventually(within: 20) { machine.read(path) == "first\n" })
            let kept = try machine.json("versions", target) as? [[String: Any]] ?? []
            let texts = kept.compactMap { ($0["path"] as? String).flatMap(machine.read) }
            #expect(texts.contains(inPlace ? "second\n" : "other\n"), "\(kept)")
        }
    }

    @Test("VER-3, VER-12: the later contents are the current ones; an edit counts as later than what it began from")
    func winner() throws {
        for oursIsLater in [true, false] {
            try withDocument("0\n") { machine in
                let theirs = machine.remote + "/a.txt"
                let (ours, other) = oursIsLater ? ("2030-01-01", "2029-01-01") : ("2029-01-01", "2030-01-01")
                let edited = try edit(
                    machine,
                    "echo mine > \"$1\"; touch -d \(ours) \"$1\"; "
                        + "echo 'theirs, longer' > '\(theirs)'; touch -d \(other) '\(theirs)'")
                #expect(edited.status == 1)
                let current = try #require(try versions(machine).first { $0["kind"] as? String == "current" })
                let text = (current["path"] as? String).flatMap(machine.read)
                #expect(text == (oursIsLater ? "mine\n" : "theirs, longer\n"))
            }
        }
        // A clock that is years behind.
        try withDocument("0\n") { machine in
            let path = machine.remote + "/a.txt"
            #expect(try machine.run("/usr/bin/touch", ["-d", "2030-01-01", path]).status == 0)
            try machine.succeed("refresh", "d:/")
            #expect(try edit(machine, "echo mine > \"$1\"; touch -d 2001-01-01 \"$1\"").status == 0)
            #expect(Machine.eventually { machine.read(path) == "mine\n" })
            let modified = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            #expect(try #require(modified).timeIntervalSince1970 > 1_893_000_000)
        }
    }

    @Test("VER-7: older versions are removed by name or all at once; the current one, and what is needed, are not")
    func removal() throws {
        try withDocument("one\n") { machine in
            for text in ["two", "three", "four"] { #expect(try edit(machine, "echo \(text) > \"$1\"").status == 0) }
            let before = try versions(machine)
            #expect(kinds(before) == ["current", "older", "older", "older"])
            let chosen = try #require(before[2]["id"] as? String)
            let path = try #require(before[2]["path"] as? String)
            #expect(try machine.docent("versions", "d:/a.txt", "--remove", "none", "--remove", chosen).status == 1)
            #expect(try machine.docent("versions", "d:/a.txt", "--remove", "current").status == 1)
            #expect(try versions(machine).count == 4, "one that cannot be removed keeps the others")
            try machine.succeed("versions", "d:/a.txt", "--remove", chosen)
            #expect(machine.read(path) == nil)
            #expect(try versions(machine).compactMap { $0["id"] as? String }.contains(chosen) == false)
            // What an unsent change began from is needed to send it.
            try machine.succeed("pause", "d:/a.txt")
            let edited = try machine.docent(
                "edit", "--no-wait", "d:/a.txt", "--with", "sh", "-c", "echo five > \"$1\"", "sh", "{}")
            #expect(edited.status == 0, "\(edited.errors)")
            let base = try #require(try versions(machine).first { $0["kind"] as? String == "base" }?["id"] as? String)
            #expect(try machine.docent("versions", "d:/a.txt", "--remove", base).status == 1)
            try machine.succeed("versions", "d:/a.txt", "--remove-others")
            #expect(kinds(try versions(machine)) == ["current", "base"])
            try machine.succeed("resume", "d:/a.txt")
            #expect(Machine.eventually(within: 60) { machine.read(machine.remote + "/a.txt") == "five\n" })
            #expect(try machine.succeed("cat", "d:/a.txt") == "five\n")
        }
    }

    @Test("VER-7: a version that is to go where its own document lies replaces it only by --force")
    func ownPlace() throws {
        try withDocument("one\n") { machine in
            #expect(try edit(machine, "echo two > \"$1\"").status == 0)
            let older = try #require(try versions(machine).last?["id"] as? String)
            for place in ["d:/", "d:/a.txt"] {
                let refused = try machine.docent("restore", "d:/a.txt", older, "--to", place)
                #expect(refused.status == 1 && refused.errors.contains("exists already"), "\(refused.errors)")
                #expect(refused.errors.contains("replace it with --force"), "\(refused.errors)")
            }
            #expect(try machine.succeed("cat", "d:/a.txt") == "two\n")
            let already = try machine.docent("restore", "d:/a.txt", "current")
            #expect(already.status == 1 && already.errors.contains("is what d:/a.txt has already"), "\(already.errors)")
            try machine.succeed("restore", "d:/a.txt", older, "--to", "d:/", "--force")
            #expect(try machine.succeed("cat", "d:/a.txt") == "one\n")
        }
    }

    @Test(
        "PICK-3, PICK-4: what a local file replaces by --force is a version of the document, also where it was not here",
        arguments: ["export", "move"], [true, false])
    func replacedByFile(_ command: String, isHere: Bool) throws {
        try withDocument("theirs\n") { machine in
            if isHere { try machine.succeed("cat", "d:/a.txt") } else { try machine.succeed("ls", "d:/") }
            let file = machine.folder + "/file.txt"
            try machine.write("mine\n", to: file)
            if !isHere {
                try machine.succeed("pause", "d:/a.txt")
                let refused = try machine.docent(command, file, "d:/a.txt", "--force")
                #expect(refused.status == 1 && refused.errors.contains("docent resume d:/a.txt"), "\(refused.errors)")
                #expect(machine.read(machine.remote + "/a.txt") == "theirs\n" && machine.read(file) == "mine\n")
                try machine.succeed("resume", "d:/a.txt")
            }
            try machine.succeed(command, file, "d:/a.txt", "--force")
            #expect(machine.read(machine.remote + "/a.txt") == "mine\n")
            let now = try versions(machine)
            #expect(kinds(now) == ["current", "older"])
            #expect((now.first?["path"] as? String).flatMap(machine.read) == "mine\n")
            #expect(try machine.succeed("cat", "d:/a.txt") == "mine\n")
            let older = try versions(machine).filter { $0["kind"] as? String == "older" }
            #expect(older.compactMap { $0["path"] as? String }.map(machine.read) == ["theirs\n"])
        }
    }

    @Test("VER-8: what was written here and is overwritten on the remote by another program is an older version here")
    func overwrittenThere() throws {
        try withDocument("one\n") { machine in
            try machine.succeed("cat", "d:/a.txt")
            let file = machine.folder + "/file.txt"
            try machine.write("two, written here\n", to: file)
            try machine.succeed("export", "--force", file, "d:/a.txt")
            for contents in ["three\n", "four, there\n"] {
                try machine.write(contents, to: machine.remote + "/a.txt")
                try machine.succeed("refresh", "d:/")
                #expect(try Machine.eventually { try machine.succeed("cat", "d:/a.txt") == contents })
            }
            #expect(try edit(machine, "echo five > \"$1\"").status == 0)
            try machine.write("six, elsewhere\n", to: machine.remote + "/a.txt")
            try machine.succeed("refresh", "d:/")
            #expect(try Machine.eventually { try machine.succeed("cat", "d:/a.txt") == "six, elsewhere\n" })
            let older = try versions(machine).filter { $0["kind"] as? String == "older" }
            #expect(
                older.compactMap { $0["path"] as? String }.map(machine.read)
                    == ["five\n", "four, there\n", "two, written here\n", "one\n"])
        }
    }

    @Test("VER-7, PICK-3: what could not be replaced keeps all of its versions")
    func notReplacedByFile() throws {
        try Machine.with { machine in
            try machine.addRemoteTree("d", isWritable: true)
            try machine.provide(RemoteTree(items: ["a": ["/", "a.txt", "first\n"]]), in: "d")
            try machine.succeed("refresh", "d:/")
            for number in 1...11 { #expect(try edit(machine, "echo \(number) > \"$1\"").status == 0) }
            func older() throws -> [String] {
                try versions(machine).filter { $0["kind"] as? String == "older" }.compactMap { $0["id"] as? String }
            }
            let before = try older()
            try #require(before.count == 10)
            var tree = try machine.provided(in: "d")
            tree.refusing = ["modify": ["a"]]
            try machine.provide(tree, in: "d")
            let file = machine.folder + "/file.txt"
            try machine.write("mine\n", to: file)
            let refused = try machine.docent("export", "--force", file, "d:/a.txt")
            #expect(refused.status == 1 && refused.errors.contains("stays as it is"), "\(refused)")
            #expect(try Set(before).isSubset(of: older()))
            tree.refusing = [:]
            try machine.provide(tree, in: "d")
            try machine.succeed("export", "--force", file, "d:/a.txt")
            // Now the oldest one makes room.
            let after = try older()
            #expect(after.count == 10 && !after.contains(before[9]))
        }
    }

    @Test("Who renames onto a name that is taken hears of what a rename can do")
    func renamedOnto() throws {
        try withDocument("one\n") { machine in
            try machine.write("other\n", to: machine.remote + "/b.txt")
            #expect(Machine.eventually { (try? machine.succeed("ls", "d:/").contains("b.txt")) == true })
            let refused = try machine.docent("rename", "d:/a.txt", "b.txt")
            #expect(refused.status == 1 && refused.errors.contains("or remove that first"), "\(refused.errors)")
        }
    }

    @Test("VER-7: a version's contents go to another document, which keeps its name and its versions, or to a new one")
    func replaceItem() throws {
        try withDocument("one\n") { machine in
            #expect(try edit(machine, "echo two > \"$1\"").status == 0)
            let older = try #require(try versions(machine).last?["id"] as? String)
            try machine.write("other\n", to: machine.remote + "/b.txt")
            // Nothing is replaced unless somebody says so.
            for place in ["d:/b.txt", machine.remote + "/b.txt"] {
                let refused = try machine.docent("restore", "d:/a.txt", older, "--to", place)
                #expect(refused.status == 1 && refused.errors.contains("exists already"), "\(refused.errors)")
                #expect(refused.errors.contains("replace it with --force"), "\(refused.errors)")
            }
            #expect(try machine.docent("restore", "d:/a.txt", "none", "--to", "d:/b.txt", "--force").status == 1)
            #expect(try machine.succeed("cat", "d:/b.txt") == "other\n")
            #expect(try machine.succeed("restore", "d:/a.txt", older, "--to", "d:/b.txt", "--force") == "d:/b.txt\n")
            #expect(try machine.succeed("cat", "d:/b.txt") == "one\n")
            #expect(Machine.eventually { machine.read(machine.remote + "/b.txt") == "one\n" })
            let replaced = try machine.json("versions", "d:/b.txt") as? [[String: Any]] ?? []
            let kept = replaced.first { $0["kind"] as? String == "older" }?["path"] as? String
            #expect(kept.flatMap(machine.read) == "other\n")
            #expect(try machine.succeed("restore", "d:/a.txt", older, "--to", "d:/c.txt") == "d:/c.txt\n")
            #expect(Machine.eventually { machine.read(machine.remote + "/c.txt") == "one\n" })
            // The current version, too; its document stays as it is.
            try machine.succeed("restore", "d:/a.txt", "current", "--to", "d:/c.txt", "--force")
            #expect(try machine.succeed("cat", "d:/c.txt") == "two\n")
            #expect(try machine.succeed("cat", "d:/a.txt") == "two\n")
            #expect(kinds(try versions(machine)) == ["current", "older"])
        }
    }

    @Test("VER-7: what was not sent of a document that a version replaces is a version of it, too")
    func replacedUnsent() throws {
        try withDocument("one\n") { machine in
            try machine.write("other\n", to: machine.remote + "/b.txt")
            try machine.succeed("open", "d:/b.txt")
            try machine.succeed("pause", "d:/b.txt")
            try machine.succeed("edit", "d:/b.txt", "--no-wait", "--with", "sh", "-c", "echo precious > '{}'")
            // It is paused, and not sent: that is said.
            _ = try machine.docent("restore", "d:/a.txt", "current", "--to", "d:/b.txt", "--force")
            #expect(machine.read(machine.root + "/documents/d/b.txt") == "one\n")
            let kept = (try machine.json("versions", "d:/b.txt") as? [[String: Any]] ?? []).compactMap { version in
                version["kind"] as? String == "older" ? (version["path"] as? String).flatMap(machine.read) : nil
            }
            #expect(kept == ["precious\n"])
        }
    }

    @Test("VER-7: what is of another type gets the version's ending, and keeps the rest of its name")
    func replacedType() throws {
        try withDocument("one\n") { machine in
            #expect(try edit(machine, "echo two > \"$1\"").status == 0)
            let older = try #require(try versions(machine).last?["id"] as? String)
            for name in ["picture.v2.png", "notes.md", "full.png", "full.txt"] {
                try machine.write("other\n", to: machine.remote + "/" + name)
            }
            try machine.succeed("ls", "d:/")
            #expect(
                try machine.succeed("restore", "d:/a.txt", older, "--to", "d:/picture.v2.png", "--force")
                    == "d:/picture.v2.txt\n")
            #expect(Machine.eventually { machine.read(machine.remote + "/picture.v2.txt") == "one\n" })
            #expect(machine.read(machine.remote + "/picture.v2.png") == nil)
            // Where that name is taken nothing is done.
            #expect(try machine.docent("restore", "d:/a.txt", older, "--to", "d:/full.png", "--force").status == 1)
            for name in ["full.png", "full.txt"] { #expect(try machine.succeed("cat", "d:/\(name)") == "other\n") }
        }
    }

    @Test("VER-7: by moving, the version is consumed; the current one, and what is needed, can be copied only")
    func replaceByMoving() throws {
        try withDocument("one\n") { machine in
            for text in ["two", "three"] { #expect(try edit(machine, "echo \(text) > \"$1\"").status == 0) }
            let listed = try versions(machine)
            let older = try listed.dropFirst().map { try #require($0["id"] as? String) }
            let file = machine.folder + "/work/out.txt"
            #expect(try machine.docent("restore", "d:/a.txt", "current", "--to", file, "--move").status == 1)
            #expect(machine.read(file) == nil)
            #expect(try machine.succeed("restore", "d:/a.txt", older[0], "--to", file, "--move") == "\(file)\n")
            #expect(machine.read(file) == "two\n")
            #expect(try versions(machine).dropFirst().compactMap { $0["id"] as? String } == [older[1]])
            #expect(try machine.docent("restore", "d:/a.txt", older[1], "--to", file).status == 1)
            try machine.succeed("restore", "d:/a.txt", older[1], "--move")
            #expect(try machine.succeed("cat", "d:/a.txt") == "one\n")
            #expect(try versions(machine).compactMap { $0["id"] as? String }.contains(older[1]) == false)
            // One side of a conflict that is moved elsewhere leaves the other one.
            let theirs = machine.remote + "/a.txt"
            #expect(try edit(machine, "echo ours > \"$1\"; echo 'theirs, longer' > '\(theirs)'").status == 1)
            let side = try #require(
                try versions(machine).first { $0["inPlace"] as? Bool == false && $0["kind"] as? String != "base" })
            let id = try #require(side["id"] as? String)
            let isCurrent = side["kind"] as? String == "current"
            let moved = try machine.docent("restore", "d:/a.txt", id, "--to", "d:/theirs.txt", "--move")
            #expect((moved.status == 1) == isCurrent, "\(moved.errors)")
            if !isCurrent {
                #expect(Machine.eventually { machine.read(machine.remote + "/theirs.txt") == "theirs, longer\n" })
                #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n")
                #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
            }
        }
    }

    @Test("VER-9, VER-7: a conflict's sides tell which device has saved them; to remove one of them leaves the other")
    func devices() throws {
        try Machine.with(environment: ["DOCENT_DEVICE_NAME": "ada's"]) { ada in
            try Machine.with(environment: ["DOCENT_DEVICE_NAME": "grace's"]) { grace in
                try ada.write("first\n", to: ada.remote + "/a.txt")
                for machine in [ada, grace] {
                    try machine.succeed(
                        "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(ada.remote)")
                    try machine.succeed("open", "d:/a.txt")
                }
                try ada.succeed("pause", "d:/a.txt")
                let ours = try ada.docent(
                    "edit", "--no-wait", "d:/a.txt", "--with", "sh", "-c", "echo ours > \"$1\"", "sh", "{}")
                #expect(ours.status == 0, "\(ours.errors)")
                #expect(try edit(grace, "echo 'theirs, longer' > \"$1\"").status == 0)
                try ada.succeed("resume", "d:/a.txt")
                #expect(
                    try Machine.eventually(within: 60) { try kinds(versions(ada)).contains("conflict") },
                    "\(ada.logTail)")
                let sides = try versions(ada).filter { ["current", "conflict"].contains($0["kind"] as? String) }
                let here = try #require(sides.first { $0["inPlace"] as? Bool == true })
                let there = try #require(sides.first { $0["inPlace"] as? Bool == false })
                #expect(here["device"] as? String == "ada's")
                #expect(there["device"] as? String == "grace's", "\(sides)")
                #expect(try ada.succeed("conflicts").contains("saved by grace's"))
                // Grace has saved later: hers is the current one, which is not removed; ours is.
                #expect(there["kind"] as? String == "current")
                let theirs = try #require(there["id"] as? String)
                #expect(try ada.docent("versions", "d:/a.txt", "--remove", theirs).status == 1)
                #expect(try ada.docent("versions", "d:/a.txt", "--remove-others").status == 1)
                try ada.succeed("versions", "d:/a.txt", "--remove", try #require(here["id"] as? String))
                #expect(try ada.succeed("cat", "d:/a.txt") == "theirs, longer\n")
                #expect(ada.read(ada.remote + "/a.txt") == "theirs, longer\n")
                #expect(try ada.succeed("conflicts").contains("Nothing is in conflict"))
            }
        }
    }

    @Test("VER-9: who has saved a side of a conflict is told in any case, also where the provider cannot say it")
    func unknownDevice() throws {
        try withDocument("0\n") { machine in
            #expect(try edit(machine, "echo saved here > \"$1\"").status == 0)
            let here = try #require(try versions(machine).first?["device"] as? String)
            #expect(here != "another device")
            // As another program saves it, by a new file that says nothing of who it is.
            let (theirs, new) = (machine.remote + "/a.txt", machine.folder + "/new.txt")
            try machine.write("theirs, longer\n", to: new)
            let edited = try edit(machine, "echo mine > \"$1\"; mv '\(new)' '\(theirs)'")
            #expect(edited.status == 1)
            let sides = try versions(machine).filter { ["current", "conflict"].contains($0["kind"] as? String) }
            #expect(sides.first { $0["inPlace"] as? Bool == true }?["device"] as? String == here)
            #expect(sides.first { $0["inPlace"] as? Bool == false }?["device"] as? String == "another device")
        }
    }

    @Test("VER-15: an edit of what was deleted at the provider survives, as a document")
    func survives() throws {
        try withDocument("first\n") { machine in
            let theirs = machine.remote + "/a.txt"
            let edited = try edit(machine, "echo mine > \"$1\"; rm '\(theirs)'")
            #expect(edited.status == 0, "\(edited)")
            #expect(Machine.eventually { machine.read(theirs) == "mine\n" })
        }
    }
}
