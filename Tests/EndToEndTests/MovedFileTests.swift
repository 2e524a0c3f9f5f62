import DocumentTestSupport
import Foundation
import Testing

/// Programs move documents' files without asking, also where nobody watches and while no host runs.
@Suite(.serialized) struct MovedFileTests {
    /// “d:/a.txt”, whose contents are here, and “d:/F”, in which there are none.
    private func withDocument(_ body: (Machine, String) throws -> Void) throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(atPath: machine.remote + "/F", withIntermediateDirectories: false)
            try machine.write("first\n", to: machine.remote + "/a.txt")
            try machine.write("theirs\n", to: machine.remote + "/F/b.txt")
            try machine.succeed(
                "domain", "add", "d", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            for folder in ["d:/", "d:/F"] { try machine.succeed("ls", folder) }
            try machine.succeed("cat", "d:/a.txt")
            try body(machine, machine.root + "/documents/d")
        }
    }

    private func move(_ from: String, _ to: String) throws {
        try FileManager.default.createDirectory(
            atPath: (to as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: from, toPath: to)
    }

    private func append(_ text: String, _ path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    private func identifier(_ location: String, _ machine: Machine) throws -> String? {
        (try? machine.json("stat", location) as? [String: Any])?["identifier"] as? String
    }

    private func isSent(_ text: String, to path: String, _ machine: Machine) -> Bool {
        Machine.eventually(within: 30) {
            machine.read(machine.remote + "/" + path) == text && machine.read(machine.remote + "/a.txt") == nil
        }
    }

    private func isInSync(_ machine: Machine) throws -> Bool {
        try Machine.eventually(within: 20) { try machine.succeed("status").contains("in sync") }
    }

    @Test(
        "DOWN-3, VER-10: a document whose file was renamed or moved while no host ran follows it, and what was changed of it before and after is sent",
        arguments: ["c.txt", "F/a.txt"], [false, true])
    func withoutHost(to place: String, changedBefore: Bool) throws {
        try withDocument { machine, folder in
            let id = try #require(try identifier("d:/a.txt", machine))
            var contents = "first\n"
            if changedBefore {
                try machine.succeed("pause", "d:/")
                try append("before\n", folder + "/a.txt")
                contents += "before\n"
                #expect(try Machine.eventually { try machine.succeed("status", "d:/").contains("changed") })
            }
            try machine.succeed("host", "stop")
            try append("after\n", folder + "/a.txt")
            contents += "after\n"
            try move(folder + "/a.txt", folder + "/" + place)
            try machine.succeed("host", "start")
            if changedBefore { try machine.succeed("resume", "d:/") }
            #expect(isSent(contents, to: place, machine), "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/" + place) == contents)
            #expect(try identifier("d:/" + place, machine) == id)
            #expect(try isInSync(machine))
            #expect(try !machine.succeed("host", "status").contains("belongs to no"))
        }
    }

    @Test("DOWN-3: what is moved and not changed while no host ran is moved, and its contents stay here")
    func unchanged() throws {
        try withDocument { machine, folder in
            try machine.succeed("host", "stop")
            try move(folder + "/a.txt", folder + "/F/c.txt")
            try machine.succeed("host", "start")
            #expect(isSent("first\n", to: "F/c.txt", machine), "\(machine.logTail)")
            let state = (try machine.json("stat", "d:/F/c.txt") as? [String: Any])?["state"] as? String
            #expect(state == "materialised")
        }
    }

    @Test(
        "DOWN-3: a document follows its file to a folder that nobody watches, and from there to another one, with its change"
    )
    func unwatched() throws {
        try withDocument { machine, folder in
            let id = try #require(try identifier("d:/a.txt", machine))
            try move(folder + "/a.txt", folder + "/F/a.txt")
            try append("more\n", folder + "/F/a.txt")
            #expect(isSent("first\nmore\n", to: "F/a.txt", machine), "\(machine.logTail)")
            #expect(try identifier("d:/F/a.txt", machine) == id)
            #expect(try isInSync(machine))
            // On its way, it is moved once more.
            try move(folder + "/F/a.txt", folder + "/c.txt")
            usleep(2_500_000)
            try move(folder + "/c.txt", folder + "/F/c.txt")
            #expect(isSent("first\nmore\n", to: "F/c.txt", machine), "\(machine.logTail)")
            #expect(Machine.eventually { machine.read(machine.remote + "/F/a.txt") == nil })
            #expect(try isInSync(machine))
        }
    }

    @Test("DOWN-3: a document's file that is moved to where none of its domain's folders can be is told of")
    func unknownFolder() throws {
        try withDocument { machine, folder in
            try machine.succeed("ignore", "d", "--add", "made/")
            try move(folder + "/a.txt", folder + "/made/a.txt")
            func isTold() throws -> Bool {
                try machine.succeed("host", "status").contains("made/a.txt belongs to no document")
            }
            #expect(try Machine.eventually(within: 20) { try isTold() }, "\(machine.logTail)")
            #expect(try machine.succeed("cat", "d:/a.txt") == "first\n")
            try FileManager.default.removeItem(atPath: folder + "/made")
            #expect(try !isTold())
        }
    }

    @Test(
        "DOWN-3: a folder that a program makes for a document's file is made on the remote, and the document moves there with its change",
        arguments: [true, false])
    func madeFolders(isRunning: Bool) throws {
        try withDocument { machine, folder in
            let id = try #require(try identifier("d:/a.txt", machine))
            if !isRunning { try machine.succeed("host", "stop") }
            try move(folder + "/a.txt", folder + "/F/made/deep/c.txt")
            try append("more\n", folder + "/F/made/deep/c.txt")
            if !isRunning { try machine.succeed("host", "start") }
            #expect(isSent("first\nmore\n", to: "F/made/deep/c.txt", machine), "\(machine.logTail)")
            #expect(try identifier("d:/F/made/deep/c.txt", machine) == id)
            #expect(try isInSync(machine))
            #expect(try !machine.succeed("host", "status").contains("belongs to no"))
        }
    }

    /// “d:/G/H/c.txt” and “d:/G/e.txt”, with contents here but for “d:/G/none.txt”.
    private func withFolder(_ body: (Machine, String) throws -> Void) throws {
        try withDocument { machine, folder in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/G/H", withIntermediateDirectories: true)
            for name in ["G/H/c.txt", "G/e.txt", "G/none.txt"] {
                try machine.write(name + "\n", to: machine.remote + "/" + name)
            }
            for place in ["d:/", "d:/G", "d:/G/H"] { try machine.succeed("refresh", place) }
            for name in ["G/H/c.txt", "G/e.txt"] { try machine.succeed("cat", "d:/" + name) }
            try body(machine, folder)
        }
    }

    @Test(
        "DOWN-3: a folder that a program renames or moves follows, with all that is in it, and what was changed of it is sent",
        arguments: TestShare.of(["K", "F/K", "made/G"]), [true, false])
    func movedFolders(to place: String, isRunning: Bool) throws {
        try withFolder { machine, folder in
            let ids = try ["", "/H/c.txt", "/e.txt", "/none.txt"].map { try identifier("d:/G" + $0, machine) }
            #expect(!ids.contains(nil))
            if !isRunning { try machine.succeed("host", "stop") }
            try move(folder + "/G", folder + "/" + place)
            try append("more\n", folder + "/" + place + "/H/c.txt")
            if !isRunning { try machine.succeed("host", "start") }
            let remote = machine.remote + "/" + place
            #expect(
                Machine.eventually(within: 30) { machine.read(remote + "/H/c.txt") == "G/H/c.txt\nmore\n" },
                "\(machine.logTail)")
            #expect(machine.read(remote + "/e.txt") == "G/e.txt\n")
            #expect(machine.read(remote + "/none.txt") == "G/none.txt\n")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/G"))
            let now = try ["", "/H/c.txt", "/e.txt", "/none.txt"].map { try identifier("d:/\(place)\($0)", machine) }
            #expect(now == ids)
            #expect(try isInSync(machine))
            #expect(try !machine.succeed("host", "status").contains("belongs to no"))
            let states = try ["/H/c.txt", "/e.txt"].map { name in
                (try machine.json("stat", "d:/\(place)\(name)") as? [String: Any])?["state"] as? String
            }
            #expect(states == ["materialised", "materialised"])
            // It is watched where it is by now.
            try append("again\n", folder + "/" + place + "/e.txt")
            #expect(
                Machine.eventually(within: 20) { machine.read(remote + "/e.txt") == "G/e.txt\nagain\n" },
                "\(machine.logTail)")
        }
    }

    @Test(
        "DOWN-3: all documents of a folder follow it, also those that are saved anew there before, and none is a placeholder"
    )
    func manyInFolder() throws {
        try withDocument { machine, folder in
            let names = (0..<120).map { "\($0).txt" }
            try FileManager.default.createDirectory(atPath: machine.remote + "/G", withIntermediateDirectories: false)
            for name in names { try machine.write(name, to: machine.remote + "/G/" + name) }
            for place in ["d:/", "d:/G"] { try machine.succeed("refresh", place) }
            try machine.succeed("download", "d:/G")
            try move(folder + "/G", folder + "/K")
            try machine.write("anew", to: folder + "/K/save")
            try #require(rename(folder + "/K/save", folder + "/K/7.txt") == 0)
            #expect(
                Machine.eventually(within: 40) { machine.read(machine.remote + "/K/7.txt") == "anew" },
                "\(machine.logTail)")
            #expect(!FileManager.default.fileExists(atPath: machine.remote + "/G"))
            #expect(try isInSync(machine))
            for name in names where name != "7.txt" {
                #expect(machine.read(machine.remote + "/K/" + name) == name)
                #expect(machine.read(folder + "/K/" + name) == name)
            }
            let items = try machine.json("ls", "d:/K") as? [[String: Any]]
            #expect(items?.count == 120 && items?.allSatisfy { $0["state"] as? String == "materialised" } == true)
            #expect(try !machine.succeed("host", "status").contains("belongs to no"))
        }
    }

    @Test("DOWN-3: a folder in the place of a document that has moved goes back, and the document follows its file")
    func folderAtDocument() throws {
        try withFolder { machine, folder in
            try move(folder + "/a.txt", folder + "/x.txt")
            try move(folder + "/G", folder + "/a.txt")
            try append("more\n", folder + "/a.txt/H/c.txt")
            #expect(
                Machine.eventually(within: 40) { machine.read(machine.remote + "/x.txt") == "first\n" },
                "\(machine.logTail)")
            #expect(
                Machine.eventually(within: 40) {
                    machine.read(machine.remote + "/G/H/c.txt") == "G/H/c.txt\nmore\n"
                        || machine.read(machine.remote + "/a.txt/H/c.txt") == "G/H/c.txt\nmore\n"
                }, "\(machine.logTail)")
            #expect(try isInSync(machine))
        }
    }

    @Test(
        "DOWN-3: a folder follows without the remote, whose identifiers are names, and what is changed in it is sent then and later"
    )
    func withoutRemote() throws {
        try Machine.with { machine in
            try FileManager.default.createDirectory(
                atPath: machine.remote + "/G/H", withIntermediateDirectories: true)
            for name in ["G/H/c.txt", "G/e.txt"] { try machine.write(name + "\n", to: machine.remote + "/" + name) }
            try WebDAVServer.with(machine, password: "s3cret-of-ann") { server in
                try server.addDomain()
                for place in ["web:/", "web:/G", "web:/G/H"] { try machine.succeed("ls", place) }
                try machine.succeed("cat", "web:/G/H/c.txt")
                let folder = machine.root + "/documents/web"
                kill(server.process, SIGSTOP)
                try move(folder + "/G", folder + "/K")
                try append("more\n", folder + "/K/H/c.txt")
                let isHere = Machine.eventually(within: 30) {
                    (try? machine.succeed("plan", "web:/"))?.contains("K") == true
                }
                kill(server.process, SIGCONT)
                #expect(isHere, "\(machine.logTail)")
                func isSent(_ text: String) -> Bool {
                    Machine.eventually(within: 60) { machine.read(machine.remote + "/K/H/c.txt") == text }
                }
                #expect(isSent("G/H/c.txt\nmore\n"), "\(machine.logTail)")
                #expect(!FileManager.default.fileExists(atPath: machine.remote + "/G"))
                try append("again\n", folder + "/K/H/c.txt")
                #expect(isSent("G/H/c.txt\nmore\nagain\n"), "\(machine.logTail)")
            }
        }
    }

    @Test("DOWN-3: a folder that cannot be moved on the remote has its place back, with what was changed in it")
    func unmovableFolder() throws {
        try withFolder { machine, folder in
            try machine.succeed("pause", "d:/")
            try move(folder + "/G", folder + "/K")
            try append("more\n", folder + "/K/H/c.txt")
            // What is called so on the remote by then.
            try machine.write("theirs\n", to: machine.remote + "/K")
            try machine.succeed("resume", "d:/")
            #expect(
                Machine.eventually(within: 30) { machine.read(machine.remote + "/G/H/c.txt") == "G/H/c.txt\nmore\n" },
                "\(machine.logTail)")
            #expect(machine.read(folder + "/G/e.txt") == "G/e.txt\n")
            #expect(machine.read(machine.remote + "/K") == "theirs\n")
        }
    }
}
