import DocumentModel
import Foundation
import SystemPackage
import Testing

@testable import DocumentClient

/// Packages through the whole product: folders that are treated as one document (COORD-21).
@Suite(.serialized) struct PackageTests {
    private func withPackage(_ body: (Machine, _ remote: String) throws -> Void) throws {
        try Machine.with { machine in
            let remote = machine.remote + "/note.rtfd"
            try FileManager.default.createDirectory(atPath: remote + "/inner", withIntermediateDirectories: true)
            try machine.write("text\n", to: remote + "/TXT.rtf")
            try machine.write("picture\n", to: remote + "/a.png")
            try machine.write("inside\n", to: remote + "/inner/b.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try body(machine, remote)
        }
    }

    private func edit(_ machine: Machine, _ script: String) throws {
        try machine.succeed("edit", "d:/note.rtfd", "--with", "sh", "-e", "-c", "cd \"$0\"; " + script)
    }

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
