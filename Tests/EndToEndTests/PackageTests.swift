import DocumentModel
import Foundation
import Glibc
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

    @Test(
        "PROV-10, PROV-16: of a package that nobody uses any more, it is the parts that need not be provided, once nobody has them"
    )
    func stopped() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            try machine.provide(
                RemoteTree(items: [
                    "p": ["/", "note.rtfd", nil], "a": ["p", "TXT.rtf", "text\n"], "b": ["p", "b.png", "picture\n"],
                ]), in: "d")
            try machine.succeed("refresh", "d:/")
            func stops() -> [String] {
                (machine.read(machine.root + "/.docent/providers/d/stops") ?? "").split(separator: "\n").map(
                    String.init)
            }
            try await machine.client { client async throws in
                let (package, text) = (try Location("d:/note.rtfd"), try Location("d:/note.rtfd/TXT.rtf"))
                let (part, whole) = (Hold(client, text), Hold(client, package))
                try await whole.begin()
                // Another one reads a part of it, and ends: the first has it still.
                #expect(try machine.succeed("cat", "d:/note.rtfd/TXT.rtf") == "text\n")
                try await Task.sleep(for: .milliseconds(600))
                #expect(stops() == [])
                try await part.begin()
                try await whole.end()
                try await Task.sleep(for: .milliseconds(600))
                #expect(!stops().contains("a"), "somebody reads it")
                try await part.end()
                #expect(Machine.eventually(within: 10) { Set(stops()) == ["a", "b"] }, "\(stops())")
            }
        }
    }

    @Test("PROV-10: a part that was brought by itself need not be provided when the package around it is read no more")
    func stoppedPart() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            try machine.provide(
                RemoteTree(items: ["p": ["/", "note.rtfd", nil], "a": ["p", "TXT.rtf", "text\n"]]), in: "d")
            try machine.succeed("refresh", "d:/")
            try await machine.client { client async throws in
                let part = Hold(client, try Location("d:/note.rtfd/TXT.rtf"))
                let whole = Hold(client, try Location("d:/note.rtfd"))
                try await part.begin()
                try await whole.begin()
                try await part.end()
                try await Task.sleep(for: .milliseconds(600))
                let stops = machine.root + "/.docent/providers/d/stops"
                #expect(machine.read(stops) == nil, "somebody has the whole package")
                try await whole.end()
                #expect(Machine.eventually(within: 10) { machine.read(stops) == "a\n" }, "\(machine.read(stops) ?? "")")
            }
        }
    }

    @Test("PICK-1, CONT-12: a package of which a part is not here, because of its name, is not imported without it")
    func clash() async throws {
        try await Machine.with { machine async throws in
            try machine.addRemoteTree("d")
            try machine.provide(
                RemoteTree(items: [
                    "p": ["/", "note.rtfd", nil], "a": ["p", "Image.png", "one\n"], "b": ["p", "image.png", "two\n"],
                ]), in: "d")
            try machine.succeed("refresh", "d:/")
            try await machine.client { client async throws in
                let copy = FilePath(machine.folder + "/copy.rtfd")
                let refusal: DocumentError?
                do {
                    try await client.withPickerSession(try PickerRequest(.import, types: [.content])) { session in
                        let root = try #require(session.roots.first)
                        let entry = try #require(try await session.listing(of: root.id).entries.first)
                        _ = try await session.importDocument(entry.id, to: copy)
                    }
                    refusal = nil
                } catch {
                    refusal = error as? DocumentError
                }
                #expect(refusal?.code == .nameClash, "\(refusal as Any)")
                #expect(refusal?.message.contains("rename one of them") == true)
                #expect(!FileManager.default.fileExists(atPath: copy.string))
            }
        }
    }

    /// A read that goes on until it is told to end.
    private final class Hold: Sendable {
        private let reading: Task<Void, any Error>
        private let began = AsyncStream<Void>.makeStream()
        private let ends = AsyncStream<Void>.makeStream()

        init(_ client: DocumentClient, _ location: Location) {
            let (began, ends) = (began, ends)
            reading = Task {
                defer { began.continuation.finish() }
                // It is to begin when the test says so.
                for await _ in ends.stream { break }
                try await client.coordinate(readingItemAt: location) { _, _ in
                    began.continuation.finish()
                    for await _ in ends.stream { break }
                }
            }
        }

        func begin() async throws {
            ends.continuation.yield()
            for await _ in began.stream {}
        }

        func end() async throws {
            ends.continuation.yield()
            try await reading.value
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

    /// A local package with parts in folders, and what is in it.
    private func makeLocal(_ machine: Machine) throws -> (path: String, parts: [String]) {
        let path = machine.folder + "/work/local.rtfd"
        let parts = ["TXT.rtf", "inner/deep/b.txt", "a.png"]
        try FileManager.default.createDirectory(atPath: path + "/inner/deep", withIntermediateDirectories: true)
        for part in parts { try machine.write("of \(part)", to: path + "/" + part) }
        return (path, parts)
    }

    @Test("PICK-3, COORD-21: a package is exported with all of its parts, and the original stays")
    func exported() throws {
        try withPackage { machine, remote in
            let (local, parts) = try makeLocal(machine)
            #expect(try machine.succeed("export", local, "d:/").contains("d:/local.rtfd"))
            for part in parts {
                #expect(machine.read(machine.remote + "/local.rtfd/" + part) == "of \(part)")
                #expect(machine.read(local + "/" + part) == "of \(part)")
            }
            #expect((try machine.json("stat", "d:/local.rtfd") as? [String: Any])?["kind"] as? String == "package")
            let again = try machine.docent("export", local, "d:/note.rtfd")
            #expect(again.status != 0 && again.errors.contains("exists already"))
            let replacing = try machine.docent("export", "--force", local, "d:/note.rtfd")
            #expect(replacing.status != 0 && replacing.errors.contains("a package replaces nothing"))
            let folder = try machine.docent("export", local, "d:/local")
            #expect(folder.status != 0 && folder.errors.contains("mere folder"))
            #expect(machine.read(remote + "/TXT.rtf") == "text\n")
            let plain = machine.folder + "/work/folder"
            try FileManager.default.createDirectory(atPath: plain, withIntermediateDirectories: false)
            #expect(try machine.docent("export", plain, "d:/").status != 0)
        }
    }

    @Test("PICK-3, PICK-6, COORD-21: of a package that cannot be sent as it is, nothing is made and nothing is lost")
    func notExported() throws {
        try withPackage { machine, _ in
            let (local, parts) = try makeLocal(machine)
            symlink("/etc/passwd", local + "/link")
            let refused = try machine.docent("export", local, "d:/")
            #expect(refused.status != 0 && machine.read(machine.remote + "/local.rtfd/TXT.rtf") == nil)
            #expect(try machine.docent("stat", "d:/local.rtfd").status != 0)
            unlink(local + "/link")

            try machine.succeed("ls", "d:/")
            rename(machine.remote, machine.remote + "-away")
            let failed = try machine.docent("export", local, "d:/")
            #expect(failed.status != 0, "\(failed)")
            rename(machine.remote + "-away", machine.remote)
            for part in parts { #expect(machine.read(local + "/" + part) == "of \(part)") }
        }
    }

    @Test("PICK-4, PICK-6, COORD-21: a package is moved in a picker session as a whole, and its old place is empty")
    func moved() async throws {
        try await Machine.with { (machine: Machine) async throws in
            let (local, parts) = try makeLocal(machine)
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try await machine.client { client async throws in
                let request = try PickerRequest(.move, originalPath: local)
                try await client.withPickerSession(request) { session in
                    let root = try #require(session.roots.first)
                    do {
                        _ = try await session.put(as: ItemName("plain"), in: root.id)
                        Issue.record("a package became a folder")
                    } catch { #expect((error as? DocumentError)?.code == .invalidArgument) }
                }
                try await client.withPickerSession(request) { session in
                    let root = try #require(session.roots.first)
                    let picked = try await session.put(as: ItemName("moved.rtfd"), in: root.id)
                    #expect(picked.status.item.kind == .package && picked.path != nil)
                }
                for part in parts { #expect(machine.read(machine.remote + "/moved.rtfd/" + part) == "of \(part)") }
                #expect(!FileManager.default.fileExists(atPath: local))
                try await client.coordinate(readingItemAt: Location("d:/moved.rtfd")) { path, _ in
                    for part in parts { #expect(machine.read(path.string + "/" + part) == "of \(part)") }
                }
            }
        }
    }
}
