import Foundation
import Testing

/// Versions and files that take the place of documents: what was there is a version itself.
@Suite(.serialized) struct VersionReplacingTests: VersionSuite {
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
}
