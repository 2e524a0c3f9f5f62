import Foundation
import Glibc
import Testing

/// Two hosts, each with a storage root of its own, at one server: in short what `scripts/check-webdav` does at length, with
/// each of the servers.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TwoHostsTests {
    private func withTwo(
        _ kind: KnownServer, _ documents: [String: String], _ body: (SharedServer, Machine, Machine) throws -> Void
    ) throws {
        try SharedServer.with(kind.rawValue, documents) { server in
            try Machine.with { ann in
                try Machine.with { ben in
                    let url = "http://127.0.0.1:\(server.port)/dav/"
                    for machine in [ann, ben] {
                        try machine.believe(kind, of: url)
                        try machine.succeed(
                            "domain", "add", "web", "--provider", "org.docent.webdav", "--set", "url=\(url)")
                    }
                    try body(server, ann, ben)
                }
            }
        }
    }

    private func isConflict(_ machine: Machine) throws -> Bool {
        try machine.succeed("conflicts").contains("web:/note.txt")
    }

    @Test(
        "of two edits of one version on two machines one is there, the other is kept and shown, and both come to both",
        arguments: KnownServer.tried)
    func conflict(_ kind: KnownServer) throws {
        try withTwo(kind, ["note.txt": "begin\n"]) { server, ann, ben in
            let texts = ["begin\nof ann\n", "begin\nof ben\n"]
            for (machine, text) in zip([ann, ben], texts) {
                #expect(try machine.succeed("cat", "web:/note.txt") == "begin\n")
                try machine.succeed("pause", "web:/")
                try machine.write(text, to: machine.root + "/documents/web/note.txt")
                #expect(try Machine.eventually { try machine.state("web:/note.txt") == "changed" })
            }
            for machine in [ann, ben] { try machine.succeed("resume", "web:/") }
            let isDone = try Machine.eventually(within: 60) { try isConflict(ann) != isConflict(ben) }
            try #require(isDone, "\((try? server.contents()) ?? [:])\n\(ann.logTail)\n\(ben.logTail)")
            let winner = try isConflict(ann) ? 1 : 0
            let (loser, other) = winner == 1 ? (ann, ben) : (ben, ann)
            #expect(try server.contents()["note.txt"] == texts[winner])
            // Both sides of it are here, each under a name.
            let item = try loser.json("stat", "web:/note.txt") as? [String: Any]
            let sides = ["path", "conflictPath"].map { (item?[$0] as? String).flatMap(loser.read) }
            #expect(sides == [texts[1 - winner], texts[winner]])
            #expect(try loser.succeed("status").contains("conflict"))

            try loser.succeed("resolve", "web:/note.txt", "--keep", "both")
            let isKept = try Machine.eventually(within: 60) { try server.contents().values.sorted() == texts }
            #expect(isKept, "\((try? server.contents()) ?? [:])\n\(loser.logTail)")
            for machine in [loser, other] {
                try machine.succeed("refresh", "web:/")
                for (name, text) in try server.contents() {
                    #expect(try machine.succeed("cat", "web:/\(name)") == text, "\(name)")
                }
                #expect(try !isConflict(machine))
            }
        }
    }

    @Test(
        "of edits that two machines make of the same documents at the same time no line that was taken is lost",
        arguments: KnownServer.reliable)
    func sharing(_ kind: KnownServer) throws {
        let (documents, rounds) = (2, 3)
        try withTwo(kind, ["0.txt": "begin\n", "1.txt": "begin\n"]) { server, ann, ben in
            let peers = try [ann, ben].enumerated().map { index, machine in
                try Peer(
                    machine, "share", "web", "\(documents)", "\(rounds)", "host\(index)", machine.folder + "/lines")
            }
            for (peer, machine) in zip(peers, [ann, ben]) {
                #expect(peer.says("done", within: 120), "\(peer.lines) \(machine.logTail)")
            }
            let lines = [ann, ben].flatMap { (machine: Machine) -> [String] in
                (machine.read(machine.folder + "/lines") ?? "").split(separator: "\n").map(String.init)
            }
            #expect(Set(lines).count == 2 * documents * rounds)
            let contents = try server.contents()
            for line in lines {
                let words = line.split(separator: " ")
                let text = contents["\(words[0]).txt"] ?? ""
                #expect(text.split(separator: "\n").contains(words[1]), "\(line) is lost: \(contents)")
            }
            #expect(contents.count == documents, "nothing stays beside them: \(contents.keys.sorted())")
            for machine in [ann, ben] {
                #expect(try machine.succeed("conflicts") == "Nothing is in conflict.\n")
            }
        }
    }

    /// All documents on the server with their folders, and nothing of Docent's own.
    private func documents(_ server: SharedServer) -> [String: String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: server.documents)) ?? []
        return paths.filter { !$0.contains(".docent-") && !$0.contains(".DAV") }.reduce(into: [:]) { documents, path in
            documents[path] = try? String(contentsOfFile: server.documents + "/" + path, encoding: .utf8)
        }
    }

    @Test(
        "an edit on one machine is not lost when the other one renames the folder around it at the same time",
        arguments: KnownServer.reliable)
    func renamedFolder(_ kind: KnownServer) throws {
        let pauses: [UInt32] = [0, 100_000, 400_000]
        try withTwo(kind, [:]) { server, ann, ben in
            for (round, pause) in pauses.enumerated() {
                let (old, new) = ("F\(round)", "G\(round)")
                let folder = server.documents + "/" + old
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
                try Data("begin\n".utf8).write(to: URL(fileURLWithPath: folder + "/note.txt"))
                chmod(folder, 0o777)
                chmod(folder + "/note.txt", 0o666)
                for machine in [ann, ben] {
                    try machine.succeed("ls", "web:/", "--refresh")
                    #expect(try machine.succeed("cat", "web:/\(old)/note.txt") == "begin\n")
                }
                let text = "begin\nof ben \(round)\n"
                // As any program does; it is sent in a moment.
                try ben.write(text, to: ben.root + "/documents/web/\(old)/note.txt")
                usleep(pause)
                // It is refused while it is not as it was known.
                let isRenamed = try Machine.eventually(within: 30) {
                    try ann.succeed("ls", "web:/", "--refresh")
                    return try ann.docent("rename", "web:/\(old)", "web:/\(new)").status == 0
                }
                #expect(isRenamed, "\(ann.logTail)")
                let isThere = Machine.eventually(within: 60) { documents(server).values.contains(text) }
                #expect(isThere, "\(pause) µs: \(documents(server))\n\(ann.logTail)\n\(ben.logTail)")
            }
            for machine in [ann, ben] {
                for round in pauses.indices {
                    let isSeen = try Machine.eventually(within: 60) {
                        for name in ["", "F\(round)", "G\(round)"] {
                            _ = try machine.docent("ls", "web:/" + name, "--refresh")
                        }
                        return try documents(server).filter { $0.value.contains("of ben \(round)") }.allSatisfy {
                            try machine.docent("cat", "web:/" + $0.key).output == $0.value
                        }
                    }
                    #expect(isSeen, "round \(round): \(documents(server))\n\(machine.logTail)")
                }
            }
        }
    }
}
