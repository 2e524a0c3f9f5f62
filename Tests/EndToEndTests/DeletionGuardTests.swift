import Foundation
import Testing

/// Deletions of many documents at once need a yes, wherever they come from.
@Suite(.serialized) struct DeletionGuardTests {
    private static let names = (1...8).map { "document \($0).txt" }

    /// Eight documents in a folder and one beside it; half of the eight are here. From three on, deletions ask.
    private func withDocuments(_ body: (Machine) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/Box", withIntermediateDirectories: false)
            for name in Self.names { try machine.write("of \(name)\n", to: machine.remote + "/Box/" + name) }
            try machine.write("other\n", to: machine.remote + "/other.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("domain", "set", "d", "--ask-from", "3", "--ask-from-percent", "10")
            try machine.succeed("ls", "d:/")
            try machine.succeed("ls", "d:/Box")
            for name in Self.names.prefix(4) { try machine.succeed("cat", "d:/Box/" + name) }
            try body(machine)
        }
    }

    private func held(_ machine: Machine) throws -> [[String: Any]] {
        try machine.json("domain", "deletions", "d") as? [[String: Any]] ?? []
    }

    private func here(_ machine: Machine) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: machine.root + "/documents/d/Box")) ?? []
        return files.filter { $0.hasSuffix(".txt") }.sorted()
    }

    private func remote(_ machine: Machine) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: machine.remote + "/Box")) ?? []).sorted()
    }

    @Test("CONT-13, CONT-9: a move out of much waits for a yes, over a restart; with a no both stay")
    func movedOut() throws {
        for answer in ["--no", "--yes"] {
            try withDocuments { machine in
                let out = machine.folder + "/work/out"
                let result = try machine.docent("move", "d:/Box", out)
                #expect(result.status != 0)
                #expect(result.errors.contains("docent domain deletions d --yes"), "\(result.errors)")
                #expect(machine.read(out + "/document 8.txt") == "of document 8.txt\n")
                #expect(remote(machine).count == 8)
                #expect(try held(machine).first?["direction"] as? String == "toRemote")
                try machine.succeed("host", "stop")
                try machine.succeed("stat", "d:/Box")
                // What was changed since is not in the copy.
                try machine.write("newer\n", to: machine.remote + "/Box/document 8.txt")
                try machine.succeed("refresh", "d:/Box")
                #expect(try held(machine).count == 1)
                #expect(remote(machine).count == 8)
                let said = try machine.docent("domain", "deletions", "d", answer)
                if answer == "--no" {
                    #expect(said.status == 0, "\(said.errors)")
                    #expect(remote(machine).count == 8)
                    #expect(try held(machine).isEmpty)
                    try machine.succeed("host", "stop")
                    try machine.succeed("stat", "d:/Box")
                    #expect(remote(machine).count == 8)
                } else {
                    #expect(said.status != 0)
                    #expect(machine.read(machine.remote + "/Box/document 8.txt") == "newer\n")
                    #expect(machine.read(out + "/document 8.txt") == "of document 8.txt\n")
                }
            }
        }
        try withDocuments { machine in
            let out = machine.folder + "/work/out"
            #expect(try machine.docent("move", "d:/Box", out).status != 0)
            try machine.succeed("domain", "deletions", "d", "--yes")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/Box"))
            #expect(try machine.docent("stat", "d:/Box").status != 0)
            #expect(machine.read(out + "/document 8.txt") == "of document 8.txt\n")
            #expect(try held(machine).isEmpty)
        }
    }

    @Test("CONT-13: much that went from the remote stays here until somebody says yes, over a restart of the host")
    func fromRemote() throws {
        try withDocuments { machine in
            try FileManager.default.removeItem(atPath: machine.remote + "/Box")
            try machine.succeed("refresh", "d:/")
            #expect(try Machine.eventually { try held(machine).count == 1 }, "\(machine.logTail)")
            let question = try #require(try held(machine).first)
            #expect(question["direction"] as? String == "fromRemote")
            #expect(question["items"] as? Int == 9)
            #expect(question["materialised"] as? Int == 4)
            #expect(here(machine).count == 4)
            let status = try machine.succeed("status")
            #expect(status.contains("docent domain deletions d --yes"), "\(status)")
            #expect(try machine.succeed("domain", "show", "d").contains("from 3 items and 10 %"))
            try machine.succeed("host", "stop")
            try machine.succeed("refresh", "d:/")
            #expect(try held(machine).count == 1)
            #expect(here(machine).count == 4)
            try machine.succeed("domain", "deletions", "d", "--yes")
            #expect(Machine.eventually { here(machine).isEmpty }, "\(machine.logTail)")
            #expect(try held(machine).isEmpty)
            #expect(try machine.docent("stat", "d:/Box").status != 0)
            #expect(try machine.succeed("cat", "d:/other.txt") == "other\n")
            // Nothing waits any more.
            #expect(try machine.docent("domain", "deletions", "d", "--yes").status != 0)
        }
    }

    @Test("CONT-13, VER-15: said no, documents that are here stay, and are on the remote again")
    func keptFromRemote() throws {
        try withDocuments { machine in
            try FileManager.default.removeItem(atPath: machine.remote + "/Box")
            try machine.succeed("refresh", "d:/")
            #expect(try Machine.eventually { try held(machine).count == 1 }, "\(machine.logTail)")
            try machine.succeed("domain", "deletions", "d", "--no")
            let kept = Array(Self.names.prefix(4))
            #expect(Machine.eventually(within: 30) { remote(machine) == kept }, "\(machine.logTail)")
            #expect(here(machine) == kept)
            for name in kept { #expect(machine.read(machine.remote + "/Box/" + name) == "of \(name)\n") }
            #expect(try held(machine).isEmpty)
            try machine.succeed("refresh", "d:/Box")
            #expect(here(machine) == kept)
        }
    }

    @Test("CONT-13: what came back on the remote by itself needs no answer any more")
    func cameBack() throws {
        try withDocuments { machine in
            let aside = machine.folder + "/aside"
            // Within the folder that is watched, so that it stays the same folder to its provider.
            try FileManager.default.moveItem(atPath: machine.remote + "/Box", toPath: aside)
            try machine.succeed("refresh", "d:/")
            #expect(try Machine.eventually { try held(machine).count == 1 }, "\(machine.logTail)")
            try FileManager.default.moveItem(atPath: aside, toPath: machine.remote + "/Box")
            try machine.succeed("refresh", "d:/")
            try machine.succeed("ls", "d:/")
            #expect(try machine.succeed("cat", "d:/Box/document 1.txt") == "of document 1.txt\n")
        }
    }

    @Test("CONT-13: much that is to be removed on the remote stays until somebody says yes; no keeps it")
    func toRemote() throws {
        try withDocuments { machine in
            let refused = try machine.docent("rm", "-r", "d:/Box")
            #expect(refused.status != 0)
            #expect(refused.errors.contains("docent domain deletions d --yes"), "\(refused.errors)")
            #expect(remote(machine).count == 8)
            #expect(here(machine).count == 4)
            #expect(try held(machine).first?["direction"] as? String == "toRemote")
            // What is asked for meanwhile waits with it.
            #expect(try machine.docent("rm", "d:/other.txt").status != 0)
            #expect(try held(machine).first?["items"] as? Int == 10)
            try machine.succeed("domain", "deletions", "d", "--no")
            #expect(try held(machine).isEmpty)
            #expect(remote(machine).count == 8)
            // A single one needs no yes.
            try machine.succeed("rm", "d:/Box/document 8.txt")
            #expect(remote(machine).count == 7)
            #expect(try machine.docent("rm", "-r", "d:/Box").status != 0)
            try machine.succeed("host", "stop")
            try machine.succeed("domain", "deletions", "d", "--yes")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/Box"))
            #expect(FileManager.default.fileExists(atPath: machine.remote + "/other.txt"))
            #expect(Machine.eventually { here(machine).isEmpty })
        }
    }

    @Test(
        "CONT-13: a program that removes much through a mount is refused, and all that it tried to remove goes with a yes",
        .enabled(if: Machine.canMount, "This machine has no /dev/fuse for us."))
    func throughTheMount() throws {
        try withDocuments { machine in
            try machine.mounted {
                let refused = try machine.shell("LC_ALL=C rm d/Box/*")
                #expect(refused.status != 0 && refused.errors.contains("Operation not permitted"), "\(refused)")
                let left = try machine.sh("ls d/Box")
                #expect(left.split(separator: "\n").count == 6, "\(left)")
                #expect(try machine.succeed("status").contains("docent domain deletions d --yes"))
                try machine.succeed("domain", "deletions", "d", "--yes")
                #expect(Machine.eventually(within: 30) { remote(machine).isEmpty }, "\(machine.logTail)")
                #expect(try Machine.eventually(within: 30) { try machine.sh("ls d/Box").isEmpty })
                try machine.sh("echo mine > d/Box/new.txt; rm d/Box/new.txt")
            }
        }
    }

    @Test("CONT-13: one by one is as much as all at once")
    func oneByOne() throws {
        try withDocuments { machine in
            #expect(try machine.docent("rm", "d:/Box/document 7.txt").status == 0)
            #expect(try machine.docent("rm", "d:/Box/document 8.txt").status == 0)
            #expect(try machine.docent("rm", "d:/Box/document 6.txt").status != 0)
            #expect(remote(machine).count == 6)
            try machine.succeed("domain", "set", "d", "--ask-from", "never")
            try machine.succeed("domain", "deletions", "d", "--no")
            try machine.succeed("rm", "-r", "d:/Box")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/Box"))
        }
    }
}
