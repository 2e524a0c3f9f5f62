import Foundation
import Testing

/// Programs rename documents' files without asking, to names that the remote has given to others.
@Suite(.serialized) struct RenamedFileTests {
    /// Two documents; the contents of “a.txt” are here.
    private func withDocuments(readOnly: Bool = false, _ body: (Machine, String) throws -> Void) throws {
        try Machine.with { machine in
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("theirs\n", to: machine.remote + "/b.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)",
                "--set", "read-only=\(readOnly)")
            try machine.succeed("ls", "d:/")
            try machine.succeed("cat", "d:/a.txt")
            try body(machine, machine.root + "/documents/d")
        }
    }

    private func rename(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: from, toPath: to)
    }

    private func state(_ name: String, _ machine: Machine) throws -> String? {
        (try? machine.json("stat", "d:/\(name)") as? [String: Any])?["state"] as? String
    }

    private func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The name of the only one beside “b.txt”, where that is one that a conflict gave it.
    private func copy(in folder: String) -> String? {
        let others = names(folder).filter { $0 != "b.txt" }
        guard let only = others.first, others.count == 1, only.hasPrefix("b (conflict ") else { return nil }
        return only
    }

    @Test(
        "DOWN-3, VER-15: a document whose file gets a name that another one has gets a conflict's name, and what was changed of it is sent",
        arguments: [true, false])
    func taken(changed: Bool) throws {
        try withDocuments { machine, folder in
            if changed { try machine.write("mine\n", to: folder + "/a.txt") }
            try rename(folder + "/a.txt", folder + "/b.txt")
            let contents = changed ? "mine\n" : "first\n"
            let isSent = Machine.eventually(within: 30) {
                copy(in: machine.remote).map { machine.read(machine.remote + "/" + $0) == contents } ?? false
            }
            #expect(isSent, "\(names(machine.remote)) \(machine.logTail)")
            #expect(machine.read(machine.remote + "/b.txt") == "theirs\n")
            let name = try #require(copy(in: machine.remote))
            #expect(Machine.eventually { names(folder) == [name] }, "\(names(folder))")
            #expect(machine.read(folder + "/" + name) == contents)
            #expect(try machine.succeed("cat", "d:/b.txt") == "theirs\n")
            #expect(try Machine.eventually { try machine.succeed("status").contains("in sync") })
        }
    }

    @Test("DOWN-3: a document in conflict follows its file, also to a name that is taken, and can be resolved there")
    func inConflict() throws {
        try withDocuments { machine, folder in
            try machine.succeed("host", "stop")
            try machine.write("mine\n", to: folder + "/a.txt")
            try machine.write("changed there\n", to: machine.remote + "/a.txt")
            try machine.succeed("host", "start")
            #expect(try Machine.eventually { try state("a.txt", machine) == "conflict" }, "\(machine.logTail)")
            try rename(folder + "/a.txt", folder + "/c.txt")
            #expect(
                Machine.eventually(within: 30) { names(machine.remote) == ["b.txt", "c.txt"] }, "\(machine.logTail)")
            #expect(try Machine.eventually { try state("c.txt", machine) == "conflict" }, "\(machine.logTail)")
            try rename(folder + "/c.txt", folder + "/b.txt")
            #expect(Machine.eventually(within: 30) { copy(in: machine.remote) != nil }, "\(machine.logTail)")
            let name = try #require(copy(in: machine.remote))
            #expect(try Machine.eventually { try state(name, machine) == "conflict" }, "\(machine.logTail)")
            try machine.succeed("resolve", "d:/" + name, "--keep", "both")
            #expect(try machine.succeed("cat", "d:/" + name) == "changed there\n")
            let all = names(machine.remote).map { machine.read(machine.remote + "/" + $0) ?? "" }
            #expect(Set(all) == ["theirs\n", "changed there\n", "mine\n"] && all.count == 3, "\(machine.logTail)")
        }
    }

    @Test("DOWN-3, VER-5: what is told of a conflict names its document as it is called by now")
    func toldByItsNewName() throws {
        try withDocuments { machine, folder in
            try machine.succeed("pause", "d:/")
            try machine.write("mine\n", to: folder + "/a.txt")
            #expect(try Machine.eventually { try state("a.txt", machine) == "changed" }, "\(machine.logTail)")
            try machine.write("changed there\n", to: machine.remote + "/a.txt")
            // So that nobody has to be refused for it to be known.
            try machine.succeed("refresh", "d:/")
            try machine.succeed("resume", "d:/")
            #expect(try Machine.eventually { try state("a.txt", machine) == "conflict" }, "\(machine.logTail)")
            #expect(try machine.succeed("status").contains("resolve d:/a.txt --keep local, remote or both, or --merge"))
            try rename(folder + "/a.txt", folder + "/c.txt")
            #expect(try Machine.eventually { try state("c.txt", machine) == "conflict" }, "\(machine.logTail)")
            #expect(try machine.succeed("status").contains("resolve d:/c.txt --keep local, remote or both, or --merge"))
            let status = try machine.succeed("status")
            #expect(
                !status.contains("docent resolve d:/a.txt") && !status.contains("docent status d:/a.txt"), "\(status)")
            // The former name is in it, as of what was opened last.
            let listed = try machine.run(machine.folder + "/bin/docent", ["status", "--json"]).output
            #expect(listed.contains("docent resolve d:/c.txt --keep"), "\(listed)")
            #expect(!listed.contains("d:/a.txt was changed") && !listed.contains("resolve d:/a.txt"), "\(listed)")
            for words in [
                ["conflicts"], ["conflicts", "--json"], ["stat", "d:/c.txt"], ["stat", "d:/c.txt", "--json"],
            ] {
                let told = try machine.run(machine.folder + "/bin/docent", words).output
                #expect(!told.contains("d:/a.txt"), "\(words): \(told)")
            }
        }
    }

    @Test("DOWN-3, VER-15: what was changed here, is gone on the remote and has another name in its folder is sent")
    func goneThere() throws {
        try withDocuments { machine, folder in
            // Before anybody hears of it.
            try rename(machine.remote, machine.remote + "-away")
            try machine.write("mine\n", to: folder + "/a.txt")
            #expect(try Machine.eventually { try state("a.txt", machine) == "changed" }, "\(machine.logTail)")
            try rename(folder + "/a.txt", folder + "/c.txt")
            sleep(3)
            try FileManager.default.removeItem(atPath: machine.remote + "-away/a.txt")
            try rename(machine.remote + "-away", machine.remote)
            let isSent = Machine.eventually(within: 40) {
                names(machine.remote).contains { machine.read(machine.remote + "/" + $0) == "mine\n" }
            }
            #expect(isSent, "\(names(machine.remote)) \(machine.logTail)")
            #expect(Machine.eventually { names(folder) == names(machine.remote).filter { $0 != "b.txt" } })
            #expect(try Machine.eventually { try machine.succeed("status").contains("in sync") })
        }
    }

    @Test("DOWN-3: a file that a program renames where nothing can be renamed gets its name back")
    func refused() throws {
        try withDocuments(readOnly: true) { machine, folder in
            try rename(folder + "/a.txt", folder + "/c.txt")
            sleep(1)
            #expect(Machine.eventually(within: 30) { names(folder) == ["a.txt"] }, "\(machine.logTail)")
            // Nor is that a change of it, when somebody looks again.
            sleep(4)
            #expect(try state("a.txt", machine) == "materialised")
            #expect(try machine.succeed("cat", "d:/a.txt") == "first\n")
        }
    }
}
