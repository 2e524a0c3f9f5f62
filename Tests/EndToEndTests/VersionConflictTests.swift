import Foundation
import Testing

/// Both sides of a conflict, as somebody at a terminal has them: which is current, who has saved it, and the ways out.
@Suite(.serialized) struct VersionConflictTests: VersionSuite {
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
