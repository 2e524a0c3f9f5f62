import DocumentClient
import DocumentModel
import Foundation
import Testing

/// Dry runs, with the real programs.
@Suite(.serialized) struct PreviewTests {
    private func withWork(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            for name in ["a.txt", "b.txt", "c.txt"] {
                try machine.write("of \(name)\n", to: machine.remote + "/" + name)
            }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try body(machine)
        }
    }

    private func edit(_ machine: Machine, _ location: String) throws {
        try machine.succeed("edit", location, "--no-wait", "--with", "sh", "-c", "echo more >> '{}'")
    }

    /// By location: what would be done, and what it waits for.
    private func plan(_ machine: Machine, _ location: String = "work:/") throws -> [String: [String: Any]] {
        let plan = try #require(try machine.json("plan", location) as? [String: Any])
        let steps = try #require(plan["steps"] as? [[String: Any]])
        return Dictionary(
            steps.map { ($0["location"] as? String ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All that a dry run must not touch.
    private func remote(_ machine: Machine) throws -> [String: String] {
        try FileManager.default.subpathsOfDirectory(atPath: machine.remote).reduce(into: [:]) {
            $0[$1] = machine.read(machine.remote + "/" + $1) ?? "folder"
        }
    }

    @Test("CONT-13: a dry run of what is not there says so, and does not say that nothing is to be done for it")
    func missing() throws {
        try withWork { machine in
            for arguments in [["plan", "work:/none.txt"], ["plan", "work:/none/deep.txt", "--json"]] {
                let result = try machine.run(machine.folder + "/bin/docent", arguments)
                #expect(result.status == 1 && result.output.isEmpty, "\(result)")
                #expect(result.errors.contains("Nothing is known here of \(arguments[1])"), "\(result)")
            }
            #expect(try machine.docent("plan", "none:/").status == 1)
            #expect(try machine.succeed("plan", "work:/a.txt") == "Nothing is to be done for work:/a.txt.\n")
        }
    }

    @Test("CONT-13: a dry run says item by item what would be done and what waits, and does nothing")
    func steps() throws {
        try withWork { machine in
            #expect(try machine.succeed("plan", "work:/") == "Nothing is to be done for work:/.\n")
            try machine.succeed("cat", "work:/a.txt")
            try machine.succeed("pause", "work:/")
            try edit(machine, "work:/a.txt")
            try edit(machine, "work:/new.txt")
            try machine.succeed("edit", "work:/.DS_Store", "--no-wait", "--with", "sh", "-c", "echo x > '{}'")
            try machine.succeed("pin", "work:/b.txt")
            let before = try remote(machine)
            var steps = try plan(machine)
            #expect(steps["work:/a.txt"]?["kind"] as? String == "send")
            #expect(steps["work:/a.txt"]?["waitsFor"] as? String == "resume")
            #expect(steps["work:/a.txt"]?["size"] as? Int == 14)
            #expect(steps["work:/new.txt"]?["kind"] as? String == "sendNew")
            #expect(steps["work:/.DS_Store"]?["ignoredBy"] as? String == ".DS_Store")
            #expect(steps["work:/.DS_Store"]?["waitsFor"] as? String == "inclusion")
            #expect(steps["work:/b.txt"]?["kind"] as? String == "bring")
            #expect(steps["work:/c.txt"] == nil && steps.count == 4)
            #expect(try plan(machine, "work:/b.txt").count == 1)
            let text = try machine.succeed("plan", "work:/")
            #expect(text.contains("send, new") && text.contains("until it is resumed"), "\(text)")
            #expect(try remote(machine) == before)
            // Changed on both sides, and known to be.
            try machine.write("theirs, and longer\n", to: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            steps = try plan(machine)
            #expect(steps["work:/a.txt"]?["kind"] as? String == "compare")
            try FileManager.default.removeItem(atPath: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            #expect(try Machine.eventually { try plan(machine)["work:/a.txt"]?["kind"] as? String == "sendAgain" })
            // As it was said, so it is done.
            try machine.succeed("resume", "work:/")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/new.txt") == "more\n" })
            #expect(
                try Machine.eventually(within: 30) { try plan(machine).keys.sorted() == ["work:/.DS_Store"] })
            #expect(machine.read(machine.remote + "/a.txt") == "of a.txt\nmore\n")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/.DS_Store"))
        }
    }

    @Test("CONT-13: what was done here and the remote has not heard of is in the plan, with where it goes")
    func backlog() throws {
        try withWork { machine in
            let provider = try #require(machine.providers.first)
            kill(provider, SIGSTOP)
            defer { kill(provider, SIGCONT) }
            try machine.succeed("rm", "--no-wait", "work:/a.txt", timeout: 20)
            try machine.succeed("rename", "--no-wait", "work:/b.txt", "moved.txt", timeout: 20)
            let steps = try plan(machine)
            #expect(steps["work:/a.txt"]?["kind"] as? String == "removeThere")
            #expect(steps["work:/b.txt"]?["kind"] as? String == "moveThere")
            #expect(steps["work:/b.txt"]?["destination"] as? String == "work:/moved.txt")
        }
    }

    @Test(
        "CONT-13: the dry run of a removal counts what would go, says whether it would wait for a yes, and removes nothing"
    )
    func removal() throws {
        try withWork { machine in
            let folder = machine.remote + "/Old"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            for number in 0..<60 { try machine.write("12345", to: "\(folder)/\(number)") }
            try machine.succeed("ls", "work:/", "--refresh")
            #expect(try machine.succeed("rm", "-r", "work:/Old", "--dry-run").contains("Not all of it is known"))
            try machine.succeed("ls", "work:/Old")
            let before = try remote(machine)
            let found = try machine.json("rm", "-r", "work:/Old", "work:/a.txt", "--dry-run") as? [[String: Any]]
            let old = try #require(found?.first)
            #expect(old["documents"] as? Int == 60 && old["folders"] as? Int == 1 && old["bytes"] as? Int == 300)
            #expect(old["isComplete"] as? Bool == true && old["needsYes"] as? Bool == true)
            #expect(old["refusal"] is NSNull && old["here"] as? Int == 0)
            #expect(found?.last?["documents"] as? Int == 1 && found?.last?["needsYes"] as? Bool == false)
            let refused = try machine.succeed("rm", "work:/Old", "--dry-run")
            #expect(refused.contains("It would be refused") && refused.contains("docent rm -r"), "\(refused)")
            #expect(try remote(machine) == before)
            // As it said.
            #expect(try machine.docent("rm", "-r", "work:/Old").status == 1)
            let held = try plan(machine)["work:/Old"]
            #expect(held?["kind"] as? String == "removeThere" && held?["needsYes"] as? Bool == true)
            #expect(held?["items"] as? Int == 61)
            try machine.succeed("domain", "deletions", "work", "--no")
            try machine.succeed("domain", "set", "work", "--ask-from", "never")
            #expect(try !machine.succeed("rm", "-r", "work:/Old", "--dry-run").contains("wait for your yes"))
        }
    }

    @Test("CONT-13: a registered tool is told of what it may read, and of nothing else")
    func confined() async throws {
        try await Machine.with { (machine: Machine) async throws in
            for name in ["work", "home"] {
                let folder = machine.remote + "/" + name
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                try machine.write("x", to: folder + "/a.txt")
                try machine.succeed(
                    "domain", "add", name, "--provider", "org.docent.folder", "--set", "folder=\(folder)")
                try machine.succeed("ls", "\(name):/")
            }
            let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            try machine.write(
                """
                identifier = "org.example.notes"
                name = "Notes"
                executable = "\(program)"
                read-domains = ["work"]

                """, to: machine.folder + "/tool.toml")
            try machine.succeed("tool", "register", machine.folder + "/tool.toml")
            try await machine.client { (client) async throws in
                #expect(try await client.preview(below: Location("work:/")) == SyncPreview())
                #expect(try await client.previewRemoval(of: Location("work:/a.txt")).documents == 1)
                await #expect(throws: DocumentError.self) { try await client.preview(below: Location("home:/")) }
                await #expect(throws: DocumentError.self) {
                    try await client.previewRemoval(of: Location("home:/a.txt"))
                }
            }
        }
    }
}
