import Foundation
import Testing

/// What becomes of edits of a paused document when its pause ends, as somebody at a terminal says it (VER-8, VER-14).
@Suite(.serialized) struct PausedEditTests {
    /// A paused document that began as “base”, was changed to “ours” here, and on the remote to what is given.
    private func withEdit(
        theirs: String? = "theirs, longer\n", _ body: (Machine, _ remote: String) throws -> Void
    ) throws {
        try Machine.with { machine in
            let remote = machine.remote + "/a.txt"
            try machine.write("base\n", to: remote)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "base\n")
            try machine.succeed("pause", "d:/a.txt")
            let edited = try machine.docent("edit", "d:/a.txt", "--with", "sh", "-c", "echo ours > \"$1\"", "sh", "{}")
            #expect(edited.status == 0)
            #expect(
                edited.errors.contains(
                    "The change of d:/a.txt is safe here, and is sent when it is resumed: docent resume d:/a.txt"),
                "\(edited)")
            if let theirs { try machine.write(theirs, to: remote) }
            try body(machine, remote)
        }
    }

    private func versions(_ machine: Machine) throws -> [[String: Any]] {
        try machine.json("versions", "d:/a.txt") as? [[String: Any]] ?? []
    }

    private func version(_ kind: String, _ machine: Machine) throws -> [String: Any]? {
        try versions(machine).first { $0["kind"] as? String == kind }
    }

    /// What the remote has, asked for now.
    private func fetched(_ machine: Machine) throws -> [String: Any]? {
        let listed = try machine.json("versions", "d:/a.txt", "--fetch") as? [[String: Any]]
        return listed?.first { $0["kind"] as? String == "remote" }
    }

    private func contents(of version: [String: Any]?, _ machine: Machine) -> String? {
        (version?["path"] as? String).flatMap(machine.read)
    }

    private func item(_ machine: Machine) throws -> [String: Any] {
        try #require(try machine.json("stat", "d:/a.txt") as? [String: Any])
    }

    private func isPaused(_ machine: Machine) throws -> Bool {
        let isPaused = try item(machine)["paused"] as? Bool
        return try #require(isPaused as Bool?)
    }

    private func isSynced(_ machine: Machine) throws -> Bool { try item(machine)["state"] as? String == "materialised" }

    @Test(
        "VER-8: what the remote has is listed apart, is read beside the document, and keeps its identifier for all that"
    )
    func nonLocal() throws {
        try withEdit { machine, remote in
            try machine.succeed("refresh", "d:/")
            let known = try #require(try version("remote", machine))
            #expect(known["path"] is NSNull && known["size"] as? Int == 15, "\(known)")
            let id = try #require(known["id"] as? String)
            let here = try fetched(machine)
            #expect(here?["id"] as? String == id)
            #expect(contents(of: here, machine) == "theirs, longer\n")
            #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n")
            #expect(machine.read(remote) == "theirs, longer\n")
            try machine.succeed("host", "stop")
            #expect(contents(of: try version("remote", machine), machine) == "theirs, longer\n")
            #expect(try version("remote", machine)?["id"] as? String == id)
            #expect(try isPaused(machine))
            // Once more is harmless.
            #expect(try fetched(machine)?["id"] as? String == id)
            #expect(try versions(machine).count == 3, "current, base, remote")
            // What it gets there next is another version, and this one an older one.
            try machine.write("theirs again\n", to: remote)
            let next = try fetched(machine)
            #expect(contents(of: next, machine) == "theirs again\n" && next?["id"] as? String != id)
            #expect(try version("older", machine)?["id"] as? String == id)
            #expect(try machine.docent("versions", "d:/a.txt", "--remove", id).status == 0)
            #expect(try version("older", machine) == nil)
        }
    }

    @Test(
        "VER-8: where the remote has what is here nothing is fetched; a version that is not here is restored all the same"
    )
    func restored() throws {
        try withEdit(theirs: nil) { machine, remote in
            #expect(try fetched(machine) == nil)
            try machine.write("theirs, longer\n", to: remote)
            try machine.succeed("refresh", "d:/")
            let id = try #require(try version("remote", machine)?["id"] as? String)
            // It is a change like any other restored version: the pause goes on.
            let restored = try machine.docent("restore", "d:/a.txt", id)
            #expect(restored.status == 0, "\(restored)")
            #expect(
                restored.errors.contains(
                    "The change of d:/a.txt is safe here, and is sent when it is resumed: docent resume d:/a.txt"),
                "\(restored)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "theirs, longer\n")
            #expect(contents(of: try version("older", machine), machine) == "ours\n")
            try machine.succeed("resume", "d:/a.txt")
            #expect(Machine.eventually { (try? isSynced(machine)) == true })
            #expect(try machine.succeed("conflicts").contains("Nothing is in conflict"))
        }
    }

    @Test("XFER-14: an edit that nobody waits for is said to be sent only where it is not paused or excluded")
    func notWaitedFor() throws {
        try withEdit(theirs: nil) { machine, remote in
            func edit(_ text: String) throws -> String {
                try machine.docent(
                    "edit", "d:/a.txt", "--no-wait", "--with", "sh", "-c", "echo \(text) > \"$1\"", "sh", "{}"
                ).errors
            }
            #expect(try edit("paused").contains("is sent when it is resumed: docent resume d:/a.txt"))
            try machine.succeed("resume", "d:/a.txt")
            #expect(Machine.eventually { machine.read(remote) == "paused\n" })
            #expect(try edit("sent").contains("is being sent"))
            #expect(Machine.eventually { machine.read(remote) == "sent\n" })
            try machine.succeed("exclude", "d:/a.txt")
            #expect(try edit("kept").contains("is not sent, as the document is excluded from sync"))
        }
    }

    @Test("VER-14: fail-on-conflict sends nothing where the remote was changed, too, and the pause goes on")
    func failing() throws {
        try withEdit { machine, remote in
            for _ in 0..<2 {
                let refused = try machine.docent("resume", "d:/a.txt", "--fail-on-conflict")
                #expect(refused.status == 1 && refused.errors.contains("was changed on the remote, too"), "\(refused)")
                #expect(machine.read(remote) == "theirs, longer\n")
                #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n")
                #expect(try machine.succeed("conflicts").contains("Nothing is in conflict"))
                #expect(try isPaused(machine))
            }
            // Without a choice both are kept.
            try machine.succeed("resume", "d:/a.txt")
            #expect(Machine.eventually { (try? machine.succeed("conflicts").contains("d:/a.txt")) == true })
            let sides = try versions(machine).filter { ["current", "conflict"].contains($0["kind"] as? String) }
            #expect(Set(sides.compactMap { contents(of: $0, machine) }) == ["ours\n", "theirs, longer\n"])
            let reasons = sides.compactMap { $0["reason"] as? String }
            #expect(reasons.count == 1 && reasons[0].contains("changed"), "VER-13: \(reasons)")
            #expect(try machine.docent("resume", "d:/a.txt", "--fail-on-conflict").status == 1)
            #expect(try machine.docent("resume", "d:/a.txt", "--drop-local").errors.contains("--keep remote"))
            #expect(try machine.docent("resume", "d:/a.txt", "--keep-local").errors.contains("--keep local"))
            #expect(try machine.succeed("conflicts").contains("d:/a.txt"), "both sides stay")
        }
    }

    @Test("VER-14: fail-on-conflict sends what began from what the remote has, and ends the pause")
    func sent() throws {
        try withEdit(theirs: nil) { machine, remote in
            try machine.succeed("resume", "d:/a.txt", "--fail-on-conflict")
            #expect(machine.read(remote) == "ours\n")
            #expect(try !isPaused(machine))
        }
    }

    @Test("VER-14: an edit of a document that is gone on the remote is refused, too, with fail-on-conflict")
    func gone() throws {
        try withEdit(theirs: nil) { machine, remote in
            try FileManager.default.removeItem(atPath: remote)
            let refused = try machine.docent("resume", "d:/a.txt", "--fail-on-conflict")
            #expect(refused.status == 1, "\(refused)")
            #expect(!FileManager.default.fileExists(atPath: remote))
            #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n")
            #expect(try machine.docent("resume", "d:/a.txt", "--drop-local").status == 1)
            #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n", "nothing is there to take its place")
            #expect(try isPaused(machine))
            try machine.succeed("resume", "d:/a.txt", "--keep-local")
            #expect(machine.read(remote) == "ours\n")
            #expect(try !isPaused(machine), "the one that was made anew")
        }
    }

    @Test("VER-14: of a document that was made here, what has its name on the remote is a change there, too")
    func nameTaken() throws {
        try Machine.with { machine in
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "d:/")
            try machine.succeed("pause", "d:/")
            let source = machine.folder + "/a.txt"
            try machine.write("ours\n", to: source)
            try machine.succeed("move", "--no-wait", source, "d:/a.txt")
            try machine.succeed("pause", "d:/a.txt")
            try machine.succeed("resume", "d:/")
            try machine.write("theirs\n", to: machine.remote + "/a.txt")
            let refused = try machine.docent("resume", "d:/a.txt", "--fail-on-conflict")
            #expect(refused.status == 1 && refused.errors.contains("another item of that name"), "\(refused)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: machine.remote) == ["a.txt"])
            #expect(machine.read(machine.remote + "/a.txt") == "theirs\n")
            #expect(try isPaused(machine))
            // The same contents are no change.
            try machine.write("ours\n", to: machine.remote + "/a.txt")
            try machine.succeed("resume", "d:/a.txt", "--fail-on-conflict")
            #expect(try !isPaused(machine) && isSynced(machine))
        }
    }

    @Test(
        "VER-14: an edit that a program made past the host is dropped, too, where the remote has still what it began from"
    )
    func pastTheHost() throws {
        try Machine.with { machine in
            let remote = machine.remote + "/a.txt"
            try machine.write("base\n", to: remote)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "base\n")
            try machine.succeed("pause", "d:/a.txt")
            let path = try #require(try version("current", machine)?["path"] as? String)
            try machine.write("ours, past the host\n", to: path)
            #expect(Machine.eventually { (try? item(machine)["state"] as? String) == "changed" })
            #expect(try version("base", machine) == nil)
            try machine.succeed("resume", "d:/a.txt", "--drop-local")
            #expect(try machine.succeed("cat", "d:/a.txt") == "base\n")
            #expect(machine.read(remote) == "base\n")
            let others = try versions(machine).filter { $0["kind"] as? String != "current" }
            #expect(others.map { contents(of: $0, machine) } == ["ours, past the host\n"])
            #expect(try isSynced(machine) && !isPaused(machine))
        }
    }

    @Test("VER-14: what a program is just writing belongs to what is decided: it is waited for")
    func beingWritten() throws {
        try withEdit { machine, remote in
            let (begun, go) = (machine.folder + "/begun", machine.folder + "/go")
            let editor = try machine.begin([
                "edit", "d:/a.txt", "--no-wait", "--with", "sh", "-c",
                "touch \(begun); while ! test -e \(go); do sleep 0.02; done; echo later > \"$1\"", "sh", "{}",
            ])
            defer { if editor.isRunning { editor.terminate() } }
            #expect(Machine.eventually { FileManager.default.fileExists(atPath: begun) })
            let resuming = try machine.begin(["resume", "d:/a.txt", "--drop-local"])
            defer { if resuming.isRunning { resuming.terminate() } }
            usleep(500_000)
            #expect(resuming.isRunning, "it waits for the editor")
            try machine.write("", to: go)
            editor.waitUntilExit()
            resuming.waitUntilExit()
            #expect(resuming.terminationStatus == 0)
            #expect(try machine.succeed("cat", "d:/a.txt") == "theirs, longer\n")
            #expect(try versions(machine).contains { contents(of: $0, machine) == "later\n" })
            #expect(machine.read(remote) == "theirs, longer\n")
        }
    }

    @Test("VER-14: keep-local sends what is here over what the remote has, which stays as a version")
    func keepLocal() throws {
        try withEdit { machine, remote in
            try machine.succeed("resume", "d:/a.txt", "--keep-local")
            #expect(machine.read(remote) == "ours\n")
            #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n")
            let older = try versions(machine).filter { $0["kind"] as? String == "older" }
            #expect(older.contains { contents(of: $0, machine) == "theirs, longer\n" })
            #expect(try machine.succeed("conflicts").contains("Nothing is in conflict"))
            #expect(try !isPaused(machine))
        }
    }

    @Test("VER-14: drop-local puts what the remote has in the place of what is here, which stays as a version")
    func dropLocal() throws {
        try withEdit { machine, remote in
            try machine.succeed("resume", "d:/a.txt", "--drop-local")
            #expect(try machine.succeed("cat", "d:/a.txt") == "theirs, longer\n")
            #expect(machine.read(remote) == "theirs, longer\n")
            let listed = try versions(machine)
            #expect(listed.compactMap { $0["kind"] as? String }.filter { $0 == "current" }.count == 1)
            #expect(listed.contains { $0["kind"] as? String == "older" && contents(of: $0, machine) == "ours\n" })
            #expect(!listed.contains { ["base", "remote", "conflict"].contains($0["kind"] as? String) })
            #expect(try isSynced(machine))
            #expect(try !isPaused(machine))
            // What is written next began from it.
            let edited = try machine.docent("edit", "d:/a.txt", "--with", "sh", "-c", "echo next > \"$1\"", "sh", "{}")
            #expect(edited.status == 0, "\(edited)")
            #expect(machine.read(remote) == "next\n")
        }
    }

    @Test("VER-14: drop-local goes back to what the edit began from where the remote has still that")
    func takenBack() throws {
        try withEdit(theirs: nil) { machine, remote in
            try machine.succeed("resume", "d:/a.txt", "--drop-local")
            #expect(try machine.succeed("cat", "d:/a.txt") == "base\n")
            #expect(machine.read(remote) == "base\n")
            #expect(try versions(machine).contains { contents(of: $0, machine) == "ours\n" })
            #expect(try !isPaused(machine))
        }
    }

    @Test("VER-14: a pause of the folder around it is ended first, and a folder has no such choice")
    func around() throws {
        try withEdit { machine, remote in
            try machine.succeed("pause", "d:/")
            let refused = try machine.docent("resume", "d:/a.txt", "--keep-local")
            #expect(refused.status == 1 && refused.errors.contains("A folder around d:/a.txt is paused"), "\(refused)")
            #expect(machine.read(remote) == "theirs, longer\n")
            #expect(try isPaused(machine) && machine.succeed("cat", "d:/a.txt") == "ours\n")
            #expect(try machine.docent("resume", "d:/", "--keep-local").status == 1)
            #expect(try machine.docent("resume", "d:/a.txt", "--keep-local", "--drop-local").status == 64)
        }
    }

    @Test("VER-14: while the remote cannot be asked, all stays here and paused, whatever is chosen")
    func unreachable() throws {
        try withEdit { machine, remote in
            let away = machine.remote + ".away"
            try FileManager.default.moveItem(atPath: machine.remote, toPath: away)
            for choice in ["--keep-local", "--drop-local", "--fail-on-conflict"] {
                #expect(try machine.docent("resume", "d:/a.txt", choice).status == 1, "\(choice)")
                #expect(try machine.succeed("cat", "d:/a.txt") == "ours\n")
                #expect(try isPaused(machine))
                #expect(try machine.succeed("conflicts").contains("Nothing is in conflict"))
            }
            // What failed has decided nothing.
            try FileManager.default.moveItem(atPath: away, toPath: machine.remote)
            try machine.succeed("resume", "d:/a.txt", "--drop-local")
            #expect(try machine.succeed("cat", "d:/a.txt") == "theirs, longer\n")
            #expect(machine.read(remote) == "theirs, longer\n")
        }
    }
}
