import Foundation
import Testing

/// What was here when it was removed can be brought back.
@Suite(.serialized) struct TrashTests {
    private func withWork(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote + "/Box", withIntermediateDirectories: false)
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("boxed\n", to: machine.remote + "/Box/b.txt")
            try machine.write("never looked at\n", to: machine.remote + "/Box/c.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try machine.succeed("ls", "work:/Box")
            try machine.succeed("cat", "work:/a.txt")
            try machine.succeed("cat", "work:/Box/b.txt")
            try body(machine)
        }
    }

    private func trash(_ machine: Machine, _ place: String = "work:/") throws -> [[String: Any]] {
        try machine.json("trash", "list", place) as? [[String: Any]] ?? []
    }

    private func places(_ machine: Machine) throws -> [String] {
        try trash(machine).compactMap { $0["location"] as? String }
    }

    @Test(
        "CONT-13: what is removed here comes back from the trash, with its folder, and is on the remote again, over a restart"
    )
    func removedHere() throws {
        try withWork { machine in
            try machine.succeed("rm", "-r", "work:/Box")
            try machine.succeed("rm", "work:/a.txt")
            #expect(try places(machine) == ["work:/a.txt", "work:/Box/b.txt"], "what was not here is not there")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/Box"))
            try machine.succeed("host", "stop")
            #expect(try machine.succeed("trash").contains("work:/Box/b.txt"))
            #expect(try machine.succeed("trash", "restore", "work:/Box") == "work:/Box/b.txt is back.\n")
            #expect(Machine.eventually(within: 30) { machine.read(machine.remote + "/Box/b.txt") == "boxed\n" })
            #expect(try machine.succeed("cat", "work:/Box/b.txt") == "boxed\n")
            #expect(try places(machine) == ["work:/a.txt"])
            #expect(try machine.succeed("trash", "limits").contains("1 document, 6 B"))
        }
    }

    @Test("CONT-13: what is removed on the remote, and by a program in a mounted tree, comes back")
    func removedElsewhere() throws {
        guard Machine.canMount else { return }
        try withWork { machine in
            try FileManager.default.removeItem(atPath: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            #expect(Machine.eventually(within: 30) { (try? places(machine)) == ["work:/a.txt"] })
            try machine.mounted {
                _ = try machine.sh("rm work/Box/b.txt; echo new > work/n.txt; rm work/n.txt")
            }
            #expect(try places(machine) == ["work:/Box/b.txt", "work:/a.txt"], "what was never sent is not kept")
            try machine.succeed("trash", "restore", "work:/")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(machine.remote + "/a.txt") == "first\n"
                        && machine.read(machine.remote + "/Box/b.txt") == "boxed\n"
                })
            #expect(try places(machine).isEmpty)
        }
    }

    @Test(
        "CONT-13: where something is by now nothing is replaced; to another place it comes, and of several the newest")
    func taken() throws {
        try withWork { machine in
            try machine.succeed("rm", "work:/a.txt")
            try machine.write("second\n", to: machine.remote + "/a.txt")
            try machine.succeed("refresh", "work:/")
            let refused = try machine.docent("trash", "restore", "work:/a.txt")
            #expect(refused.status == 1 && refused.errors.contains("work:/a.txt exists already"), "\(refused)")
            #expect(try machine.succeed("cat", "work:/a.txt") == "second\n")
            try machine.succeed("rm", "work:/a.txt")
            let both = try trash(machine, "work:/a.txt")
            #expect(both.count == 2)
            let older = try #require(both.last?["id"] as? String)
            let many = try machine.docent("trash", "restore", older, "work:/Box", "--to", "work:/b.txt")
            #expect(many.status == 1 && many.errors.contains("Nothing of work:/Box is in the trash"), "\(many)")
            try machine.succeed("trash", "restore", older, "--to", "work:/Old/first.txt")
            try machine.succeed("trash", "restore", "work:/a.txt")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(machine.remote + "/a.txt") == "second\n"
                        && machine.read(machine.remote + "/Old/first.txt") == "first\n"
                })
            let gone = try machine.docent("trash", "restore", older)
            #expect(gone.status == 1 && gone.errors.contains("docent trash shows what there is"), "\(gone)")
        }
    }

    @Test(
        "CONT-13: the trash is emptied for good by place, by age and as a whole, and never by leaving out what is meant"
    )
    func emptied() throws {
        try withWork { machine in
            try machine.succeed("rm", "-r", "work:/Box")
            try machine.succeed("rm", "work:/a.txt")
            #expect(try machine.docent("trash", "empty").status == 64)
            #expect(try machine.docent("trash", "empty", "--all", "work:/a.txt").status == 64)
            #expect(
                try machine.succeed("trash", "empty", "--older-than", "1") == "0 documents, 0 B, removed for good.\n")
            #expect(try machine.succeed("trash", "empty", "work:/Box") == "1 document, 6 B, removed for good.\n")
            #expect(try places(machine) == ["work:/a.txt"])
            try machine.succeed("trash", "empty", "--all")
            #expect(try machine.succeed("trash") == "Nothing is in the trash.\n")
            let files = FileManager.default.enumerator(atPath: machine.root + "/.docent/trash")?.allObjects as? [String]
            #expect(files == ["work"], "\(files ?? [])")
            #expect(try machine.docent("trash", "limits", "--days", "36501").status == 64)
            let off = try machine.succeed("trash", "limits", "--size", "0")
            #expect(off.contains("Nothing that is removed is kept"))
        }
    }

    @Test("CONT-13: what is moved out of the domain, replaced or evicted is not in the trash")
    func elsewhere() throws {
        try withWork { machine in
            try machine.succeed("move", "work:/a.txt", machine.folder + "/out.txt")
            try machine.succeed("evict", "work:/Box/b.txt")
            #expect(try places(machine).isEmpty)
            #expect(machine.read(machine.folder + "/out.txt") == "first\n")
        }
    }

    @Test(
        "VER-2, CONT-13: a document in conflict leaves both sides in the trash when somebody says so, and nobody removes it who does not"
    )
    func inConflict() throws {
        guard Machine.canMount else { return }
        try withWork { machine in
            let names = ["a", "d", "e", "h"]
            for name in names { try machine.write("first\n", to: machine.remote + "/\(name).txt") }
            try machine.succeed("refresh", "work:/")
            try machine.mounted {
                _ = try machine.sh("cat work/*.txt")
                try machine.succeed("pause", "work:/")
                for name in ["a", "d", "e"] {
                    _ = try machine.sh("echo here \(name) > work/\(name).txt")
                    try machine.write("there \(name)\n", to: machine.remote + "/\(name).txt")
                }
                try machine.succeed("refresh", "work:/")
                try machine.succeed("resume", "work:/")
                for name in ["a", "d", "e"] {
                    #expect(try Machine.eventually(within: 30) { try machine.state("work:/\(name).txt") == "conflict" })
                }
                let refused = try machine.docent("rm", "work:/d.txt")
                #expect(refused.status == 1)
                #expect(refused.errors.contains("docent resolve work:/d.txt"), "\(refused.errors)")
                #expect(refused.errors.contains("--discard-unsent"), "\(refused.errors)")
                try machine.succeed("rm", "--discard-unsent", "work:/d.txt")
                for command in ["rm work/a.txt", "mv -f work/e.txt work/h.txt"] {
                    let kept = try machine.shell(command)
                    #expect(kept.errors.contains("Device or resource busy"), "\(command): \(kept)")
                }
                #expect(try machine.sh("cat work/a.txt work/e.txt work/h.txt") == "here a\nhere e\nfirst\n")
            }
            let found = try trash(machine).map { entry in
                let id = entry["id"] as? String ?? ""
                let place = entry["location"] as? String ?? ""
                return "\(place) \(machine.read(machine.root + "/.docent/trash/work/\(id)") ?? "")"
            }
            #expect(
                found == ["work:/d.txt here d\n", "work:/d.txt there d\n"])
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/d.txt"))
            for name in ["a", "e"] {
                #expect(machine.read(machine.remote + "/\(name).txt") == "there \(name)\n")
                #expect(try machine.state("work:/\(name).txt") == "conflict")
            }
        }
    }

    @Test("CONT-13: a package comes back with all that it was made of, and is a package again")
    func package() throws {
        try Machine.with { machine in
            let remote = machine.remote + "/note.rtfd"
            try FileManager.default.createDirectory(atPath: remote + "/inner", withIntermediateDirectories: true)
            try machine.write("text\n", to: remote + "/TXT.rtf")
            try machine.write("inside\n", to: remote + "/inner/b.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("open", "work:/note.rtfd", "--with", "true")
            try machine.succeed("rm", "-r", "work:/note.rtfd")
            #expect(Set(try places(machine)) == ["work:/note.rtfd/TXT.rtf", "work:/note.rtfd/inner/b.txt"])
            try machine.succeed("trash", "restore", "work:/note.rtfd")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(remote + "/TXT.rtf") == "text\n" && machine.read(remote + "/inner/b.txt") == "inside\n"
                }, "\(machine.logTail)")
            let status = try machine.json("stat", "work:/note.rtfd") as? [String: Any]
            #expect(status?["kind"] as? String == "package", "\(status ?? [:])")
            #expect(try places(machine).isEmpty)
        }
    }
}
