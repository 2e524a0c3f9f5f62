import Foundation
import Testing

/// Two hosts, each with a storage root of its own, at one server: in short what `scripts/check-webdav` does at length, with
/// one server whose conditions are kept and one where documents are claimed.
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
        arguments: KnownServer.allCases)
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
        arguments: KnownServer.allCases)
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
}
