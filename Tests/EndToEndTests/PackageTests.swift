import DocumentModel
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import DocumentClient

/// Packages through the whole product: folders that are treated as one document (COORD-21).
@Suite(.serialized) struct PackageTests: PackageSuite {
    @Test("COORD-21: a package is opened as a whole, edited as one likes, and all of that reaches the remote")
    func edited() throws {
        try withPackage { machine, remote in
            let listing = try machine.succeed("ls", "d:/note.rtfd")
            #expect(listing.contains("TXT.rtf") && listing.contains("inner"), "\(listing)")
            try edit(
                machine,
                "cat inner/b.txt a.png; echo more >> TXT.rtf; rm a.png; mkdir -p new/deep; echo n > new/deep/c.txt")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(remote + "/new/deep/c.txt") == "n\n"
                        && machine.read(remote + "/TXT.rtf") == "text\nmore\n"
                        && machine.read(remote + "/a.png") == nil
                }, "\(machine.logTail)")
            #expect(machine.read(remote + "/inner/b.txt") == "inside\n")
            #expect(try machine.docent("cat", "d:/note.rtfd/a.png").status != 0)
            #expect(try machine.succeed("cat", "d:/note.rtfd/new/deep/c.txt") == "n\n")
            // A save as some programs do it: everything anew, in place of the old.
            try edit(machine, "mkdir .new && cp TXT.rtf .new/x && mv .new/x TXT.rtf && rmdir .new; rm -r new")
            #expect(
                Machine.eventually(within: 30) { !FileManager.default.fileExists(atPath: remote + "/new") },
                "\(machine.logTail)")
            #expect(!FileManager.default.fileExists(atPath: remote + "/.new"))
            #expect(machine.read(remote + "/TXT.rtf") == "text\nmore\n")
        }
    }

    @Test("A package of which only parts were changed counts as changed, and is waited for until it is sent")
    func onlyParts() throws {
        try withPackage { machine, remote in
            let result = try machine.docent(
                "edit", "d:/note.rtfd", "--with", "sh", "-c", "echo changed > \"$1\"/inner/b.txt", "sh", "{}")
            #expect(result.status == 0)
            #expect(result.errors.contains("Sent d:/note.rtfd."), "\(result)")
            #expect(machine.read(remote + "/inner/b.txt") == "changed\n")
            let idle = try machine.docent("edit", "d:/note.rtfd", "--with", "true")
            #expect(idle.errors.contains("d:/note.rtfd was not changed."), "\(idle)")
        }
    }

    @Test("COORD-21: outdated parts are brought anew before a package is given to anybody")
    func outdated() throws {
        try withPackage { machine, remote in
            try edit(machine, "true")
            try machine.write("newer text\n", to: remote + "/TXT.rtf")
            let isOutdated = try Machine.eventually(within: 30) {
                let status = try machine.json("stat", "d:/note.rtfd/TXT.rtf") as? [String: Any]
                return status?["state"] as? String == "outdated"
            }
            #expect(isOutdated)
            let copy = machine.folder + "/copy"
            try edit(machine, "cp TXT.rtf \(copy)")
            #expect(machine.read(copy) == "newer text\n")
        }
    }

    @Test("VER-15: a part that was removed here and changed on the remote comes back")
    func changedThere() throws {
        try withPackage { machine, remote in
            try edit(machine, "true")
            // Nobody tells the host of it before it asks for the removal.
            try edit(machine, "rm a.png; echo 'another picture' > \(remote)/a.png")
            #expect(
                try Machine.eventually(within: 30) {
                    try machine.docent("cat", "d:/note.rtfd/a.png").output == "another picture\n"
                }, "\(machine.logTail)")
            #expect(machine.read(remote + "/a.png") == "another picture\n")
        }
    }

    @Test(
        "VER-5, COORD-21: both sides of a conflict of a part are kept, one as a part beside it",
        arguments: [false, true])
    func bothParts(isNamed: Bool) throws {
        try withPackage { machine, remote in
            try edit(machine, "true")
            try machine.succeed("pause", "d:/")
            try machine.succeed(
                "edit", "--no-wait", "d:/note.rtfd", "--with", "sh", "-c", "echo mine > \"$1\"/TXT.rtf", "sh", "{}")
            try machine.write("theirs, longer\n", to: remote + "/TXT.rtf")
            try machine.succeed("resume", "d:/")
            let part = "d:/note.rtfd/TXT.rtf"
            #expect(try Machine.eventually(within: 30) { try machine.succeed("conflicts").contains(part) })
            let how = isNamed ? ["--as", "mine.rtf"] : ["--keep", "both"]
            let resolved = try machine.run(machine.folder + "/bin/docent", ["resolve", part] + how)
            #expect(resolved.status == 0, "\(resolved)")
            func texts() -> [String: String] {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: remote)) ?? []
                return names.filter { $0.hasSuffix(".rtf") }
                    .reduce(into: [:]) { $0[$1] = machine.read(remote + "/" + $1) }
            }
            #expect(Machine.eventually(within: 30) { texts().values.contains("mine\n") }, "\(texts())")
            #expect(texts()["TXT.rtf"] == "theirs, longer\n")
            if isNamed { #expect(texts()["mine.rtf"] == "mine\n") }
        }
    }

    @Test("COORD-8: a tool that is killed in the middle of a save has removed nothing")
    func killed() throws {
        try withPackage { machine, remote in
            let holder = try Peer(machine, "hold", "write", "d:/note.rtfd", machine.folder + "/never")
            #expect(holder.says("granted"), "\(holder.lines) \(machine.logTail)")
            let here = machine.root + "/documents/d/note.rtfd"
            try FileManager.default.removeItem(atPath: here + "/a.png")
            try machine.write("new\n", to: here + "/new.txt")
            holder.kill()
            #expect(
                Machine.eventually(within: 30) { machine.read(remote + "/new.txt") == "new\n" }, "\(machine.logTail)")
            #expect(machine.read(remote + "/a.png") == "picture\n")
            #expect(try machine.succeed("cat", "d:/note.rtfd/a.png") == "picture\n")
        }
    }

    @Test(
        "COORD-21: what a tool has removed of a package when its write has ended stays so, also when the host is killed before its provider hears of it"
    )
    func killedHost() throws {
        try withPackage { machine, remote in
            try edit(machine, "true")
            let provider = try #require(machine.providers.first)
            Glibc.kill(provider, SIGSTOP)
            let script = "cd \"$0\"; rm a.png; echo more >> TXT.rtf; echo n > new.txt"
            try machine.succeed("edit", "--no-wait", "d:/note.rtfd", "--with", "sh", "-e", "-c", script, timeout: 30)
            let daemon = try #require(machine.daemon)
            Glibc.kill(daemon, SIGKILL)
            Glibc.kill(provider, SIGCONT)
            #expect(Machine.eventually { machine.daemon == nil && machine.providers.isEmpty })
            try machine.succeed("host", "start")
            #expect(
                Machine.eventually(within: 30) {
                    machine.read(remote + "/a.png") == nil && machine.read(remote + "/new.txt") == "n\n"
                        && machine.read(remote + "/TXT.rtf") == "text\nmore\n"
                }, "\(machine.logTail)")
            try machine.succeed("refresh", "d:/note.rtfd")
            #expect(try machine.docent("stat", "d:/note.rtfd/a.png").status != 0)
        }
    }

    @Test(
        "COORD-8: a tool hears that what it has removed of a package does not count, when its host is killed before its end"
    )
    func killedHostBeforeTheEnd() throws {
        try withPackage { machine, remote in
            try edit(machine, "true")
            let gate = machine.folder + "/gate"
            let holder = try Peer(machine, "hold", "write", "d:/note.rtfd", gate)
            #expect(holder.says("granted"), "\(holder.lines) \(machine.logTail)")
            let here = machine.root + "/documents/d/note.rtfd"
            try FileManager.default.removeItem(atPath: here + "/a.png")
            try machine.write("new\n", to: here + "/new.txt")
            let daemon = try #require(machine.daemon)
            Glibc.kill(daemon, SIGKILL)
            #expect(Machine.eventually { machine.daemon == nil })
            try machine.write("", to: gate)
            #expect(holder.ends(within: 60))
            #expect(!holder.lines.contains { $0.hasPrefix("done") }, "\(holder.lines)")
            try machine.succeed("host", "start")
            #expect(
                Machine.eventually(within: 30) { machine.read(remote + "/new.txt") == "new\n" }, "\(machine.logTail)")
            #expect(machine.read(remote + "/a.png") == "picture\n")
        }
    }

    @Test(
        "PICK-21: a tool without paths makes a file in a package, and it is sent; COORD-14: for uploading it is an archive"
    )
    func withoutPaths() async throws {
        try await Machine.with { machine in
            let remote = machine.remote + "/note.rtfd"
            try FileManager.default.createDirectory(atPath: remote, withIntermediateDirectories: true)
            try machine.write("text\n", to: remote + "/TXT.rtf")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try await machine.client { client in
                let location = try Location("d:/note.rtfd")
                try await client.coordinate(writingItemAt: location) { _, item in
                    #expect(item.item.kind == .package)
                    let file = try await client.openAccessed(part: [try ItemName("new.txt")], making: true)
                    try file.closeAfter { _ = try file.writeAll(Array("new\n".utf8)) }
                }
                #expect(
                    Machine.eventually(within: 30) { machine.read(remote + "/new.txt") == "new\n" },
                    "\(machine.logTail)")
                let coordinator = FileCoordinator(client)
                try await coordinator.coordinate(readingItemAt: location, options: .forUploading) { path, _ in
                    let archive = try #require(FileManager.default.contents(atPath: path.string))
                    #expect(archive.starts(with: Array("PK".utf8)))
                    for part in ["note.rtfd/TXT.rtf", "note.rtfd/new.txt"] {
                        #expect(archive.range(of: Data(part.utf8)) != nil, "\(part) is missing")
                    }
                }
            }
        }
    }
}
