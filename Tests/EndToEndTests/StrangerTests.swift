import Foundation
import Testing

/// Programs that know nothing of Docent change, remove and leave files among the documents.
@Suite(.serialized) struct StrangerTests {
    private func withDocument(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("download", "d:/")
            try body(machine)
        }
    }

    private func edit(_ machine: Machine, _ command: String) throws -> Machine.Result {
        try machine.docent("edit", "d:/a.txt", "--with", "sh", "-c", command, "sh", "{}")
    }

    @Test("COORD-9: a file that was removed behind our back comes again before an editor gets it")
    func removed() throws {
        try withDocument { machine in
            let file = machine.root + "/documents/d/a.txt"
            unlink(file)
            let edited = try edit(machine, "echo second >> \"$1\"")
            #expect(edited.status == 0, "\(edited)")
            #expect(machine.read(machine.remote + "/a.txt") == "first\nsecond\n")
            unlink(file)
            try machine.succeed("download", "d:/")
            #expect(machine.read(file) == "first\nsecond\n")
        }
    }

    @Test("XFER-10: an edit that keeps size and time of modification is sent like any other")
    func keepingTime() throws {
        try withDocument { machine in
            let command = "cp -p \"$1\" ref; printf F | dd conv=notrunc of=\"$1\" 2>/dev/null; touch -r ref \"$1\""
            let edited = try edit(machine, command)
            #expect(edited.status == 0, "\(edited)")
            #expect(machine.read(machine.remote + "/a.txt") == "First\n")
        }
    }

    @Test("XFER-10: what a program saved without asking is sent when its document is opened next")
    func savedWithoutAsking() throws {
        try withDocument { machine in
            try machine.write("other\n", to: machine.root + "/documents/d/a.txt")
            #expect(try machine.succeed("cat", "d:/a.txt") == "other\n")
            #expect(Machine.eventually { machine.read(machine.remote + "/a.txt") == "other\n" })
        }
    }

    @Test("VER-10: what was saved without asking and changed on the remote, too, is a conflict, and both are kept")
    func conflict() throws {
        try withDocument { machine in
            try machine.write("mine\n", to: machine.root + "/documents/d/a.txt")
            try machine.write("theirs, longer\n", to: machine.remote + "/a.txt")
            try machine.succeed("refresh", "d:/")
            #expect(try machine.succeed("cat", "d:/a.txt") == "mine\n")
            #expect(
                try Machine.eventually {
                    (try machine.json("stat", "d:/a.txt") as? [String: Any])?["state"] as? String == "conflict"
                })
            #expect(machine.read(machine.remote + "/a.txt") == "theirs, longer\n")
        }
    }

    @Test("AUTH-6: a domain with a file that belongs to no document is not removed, and nothing of it")
    func strays() throws {
        try withDocument { machine in
            let stray = machine.root + "/documents/d/a.txt~"
            try machine.write("backup", to: stray)
            for words in [["domain", "remove", "d"], ["domain", "remove", "d", "--discard-unsent"]] {
                let refused = try machine.run(
                    machine.folder + "/bin/docent", words, environment: [:], input: nil, timeout: 60)
                #expect(refused.status == 1 && refused.errors.contains(stray), "\(refused)")
            }
            #expect(machine.read(machine.root + "/documents/d/a.txt") == "first\n")
            unlink(stray)
            try machine.succeed("domain", "remove", "d")
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/d"))
        }
    }

    @Test("CONT-12: a name that cannot be shown is told by the status, and keeps nothing else from being sent")
    func clash() throws {
        try withDocument { machine in
            try machine.write("1", to: machine.remote + "/README.md")
            try machine.write("2", to: machine.remote + "/readme.md")
            try machine.succeed("ls", "d:/", "--refresh")
            #expect(try machine.succeed("status").lowercased().contains("d:/readme.md"))
            let edited = try edit(machine, "echo second >> \"$1\"")
            #expect(edited.status == 0, "\(edited)")
        }
    }
}
