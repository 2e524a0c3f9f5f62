import Foundation
import Testing

@Suite(.serialized)
struct EditCommandTests {
    private func withWork(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            let manager = FileManager.default
            try manager.createDirectory(atPath: machine.remote + "/Letters", withIntermediateDirectories: false)
            try machine.write("one\n", to: machine.remote + "/one.txt")
            try machine.write("two two\n", to: machine.remote + "/Letters/two.txt")
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine)
        }
    }

    @Test("What was changed here and removed on the remote is listed, as it is kept")
    func goneAndUnsent() throws {
        try withWork { machine in
            try machine.succeed("open", "work:/one.txt")
            try machine.succeed("pause", "work:/")
            try machine.succeed("edit", "work:/one.txt", "--no-wait", "--with", "sh", "-c", "echo two >> '{}'")
            try FileManager.default.removeItem(atPath: machine.remote + "/one.txt")
            #expect(
                try Machine.eventually(within: 60) {
                    try machine.succeed("stat", "work:/one.txt").contains("removed at the provider")
                })
            #expect(try machine.succeed("ls", "work:/").contains("one.txt"))
            #expect(try machine.succeed("cat", "work:/one.txt") == "one\ntwo\n")
        }
    }

    @Test("An edit whose program takes the file away is no edit, and is said to be none")
    func fileTakenAway() throws {
        try withWork { machine in
            for command in ["rm '{}'", "mv '{}' '\(machine.folder)/aside.txt'"] {
                let edit = try machine.docent("edit", "work:/one.txt", "--with", "sh", "-c", command)
                #expect(edit.status == 1)
                #expect(edit.errors.contains("sh took the file of work:/one.txt away"), "\(edit.errors)")
                #expect(try machine.succeed("cat", "work:/one.txt") == "one\n")
            }
            let resolve = try machine.docent("resolve", "work:/one.txt", "--keep", "local")
            #expect(resolve.status == 0 && resolve.errors.contains("is not in conflict"), "\(resolve.errors)")
        }
    }

    @Test("DOWN-3: a document follows its file when the program of an edit has given it another name")
    func fileRenamed() throws {
        try withWork { machine in
            let edit = try machine.docent("edit", "work:/one.txt", "--with", "sh", "-c", "mv '{}' '{}'.x")
            #expect(edit.status == 1)
            #expect(edit.errors.contains("the document follows it there"), "\(edit.errors)")
            #expect(
                try Machine.eventually(within: 60) {
                    try FileManager.default.contentsOfDirectory(atPath: machine.remote).sorted()
                        == ["Letters", "one.txt.x"]
                }, "\(machine.logTail)")
            #expect(try machine.succeed("cat", "work:/one.txt.x") == "one\n")
        }
    }

    @Test("A name that is not UTF-8 is refused: another one would be meant")
    func notUTF8() throws {
        try withWork { machine in
            let script = "'\(machine.folder)/bin/docent' mkdir \"$(printf 'work:/caf\\351')\""
            let result = try machine.run("/bin/bash", ["-c", script])
            #expect(result.status == 64 && result.errors.contains("is not UTF-8"), "\(result.errors)")
            let names = try FileManager.default.contentsOfDirectory(atPath: machine.remote)
            #expect(names.sorted() == ["Letters", "one.txt"])
        }
    }
}
