import Foundation
import Testing

/// Versions, as somebody at a terminal has them.
@Suite(.serialized) struct VersionTests: VersionSuite {
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
}
