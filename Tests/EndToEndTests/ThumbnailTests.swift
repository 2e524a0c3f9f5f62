import DocumentModel
import DocumentTestSupport
import Foundation
import Testing

@testable import DocumentClient

/// Thumbnails from the folder's provider to the tool, through the real daemon.
@Suite(.timeLimit(.minutes(3))) struct ThumbnailTests {
    private func withPictures(_ body: (Machine) async throws -> Void) async throws {
        try await Machine.with { machine async throws in
            try write(TestPicture.png(20, 30), "dot.png", machine)
            try machine.write("words", to: machine.remote + "/note.txt")
            for number in 0..<40 { try write(TestPicture.jpeg(number + 1, 9), "many-\(number)", machine) }
            try machine.succeed(
                "domain", "add", "work", "--provider", "org.docent.folder", "--set", "folder=\(machine.remote)")
            try machine.succeed("ls", "work:/")
            try await body(machine)
        }
    }

    private func write(_ picture: [UInt8], _ name: String, _ machine: Machine) throws {
        try Data(picture).write(to: URL(fileURLWithPath: machine.remote + "/" + name))
    }

    private func kept(_ machine: Machine) -> [String] {
        let folder = machine.root + "/.docent/thumbnails/work"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private func code(_ outcome: ThumbnailOutcome?) -> DocumentError.Code? {
        if case .failed(let error)? = outcome { error.code } else { nil }
    }

    @Test("PICK-17: docent thumbnail writes the picture of a document, and says in a sentence when there is none")
    func command() async throws {
        try await withPictures { machine in
            let file = machine.folder + "/work/picture"
            try machine.succeed("thumbnail", "work:/dot.png", "-o", "picture")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(TestPicture.png(20, 30)))
            try machine.succeed("thumbnail", "work:/many-6", "--size", "64", "--output", "picture")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(TestPicture.jpeg(7, 9)))
            let piped = try machine.run(
                "/bin/sh", ["-c", "\(machine.folder)/bin/docent thumbnail work:/dot.png >picture"])
            #expect(piped.status == 0 && piped.output.isEmpty)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(TestPicture.png(20, 30)))
            for (words, status, sentence) in [
                (["work:/note.txt", "-o", "picture"], Int32(1), "There is no thumbnail of work:/note.txt"),
                (["work:/", "-o", "picture"], 1, "There is no thumbnail of work:/"),
                (["work:/nobody", "-o", "picture"], 1, "There is no work:/nobody"),
                (["work:/dot.png", "-o", "no/such/folder"], 1, "cannot be written"),
                (["work:/dot.png", "--size", "15", "-o", "picture"], 64, "write 16 to 1024"),
            ] {
                let result = try machine.run(machine.folder + "/bin/docent", ["thumbnail"] + words)
                #expect(result.status == status && result.errors.contains(sentence), "\(words): \(result.errors)")
                #expect(result.output.isEmpty)
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(TestPicture.png(20, 30)))
            let left = try FileManager.default.contentsOfDirectory(atPath: machine.folder + "/work")
            #expect(left == ["picture"])
            // Nothing was downloaded for it.
            #expect(!FileManager.default.fileExists(atPath: machine.root + "/documents/work/dot.png"))
            #expect(try machine.succeed("provider", "show", "org.docent.folder").contains("(thumbnails)"))
        }
    }

    @Test("PICK-17, PICK-20: many are asked for at once, each answered on its own, in a picker and by location")
    func many() async throws {
        try await withPictures { machine in
            try await machine.client { client async throws in
                let names = (0..<40).map { "many-\($0)" } + ["note.txt", "nobody", "dot.png"]
                let outcomes = try await client.thumbnails(of: try names.map { try Location("work:/\($0)") })
                #expect(outcomes.count == names.count)
                for number in 0..<40 { #expect(try outcomes[number].get()?.header.width == number + 1) }
                #expect(outcomes[40] == .missing && code(outcomes[41]) == .noSuchItem)
                #expect(try outcomes[42].get()?.bytes == TestPicture.png(20, 30))
                #expect(try await client.thumbnails(of: []).isEmpty)
                await #expect(throws: DocumentError.self) {
                    try await client.thumbnails(of: [try Location("work:/dot.png")], size: 15)
                }
                let open = try PickerRequest(.open, types: [.content])
                try await client.withPickerSession(open) { session in
                    #expect(session.roots[0].actions.contains(.thumbnail))
                    let listing = try await session.listing(of: session.roots[0].id)
                    let ids = listing.entries.map(\.id)
                    #expect(listing.entries.allSatisfy { $0.actions.contains(.thumbnail) })
                    for (entry, outcome) in zip(listing.entries, try await session.thumbnails(of: ids)) {
                        let name = entry.status.item.name?.rawValue ?? ""
                        #expect((try outcome.get() == nil) == (name == "note.txt"), "\(name)")
                    }
                    let made = try PickerEntryID(Array("0123456789work\u{0}/".utf8))
                    #expect(code(try await session.thumbnails(of: [made]).first) == .invalidArgument)
                }
            }
        }
    }

    @Test("PICK-17: a provider without thumbnails is not even started for them")
    func without() async throws {
        try await Machine.with { machine async throws in
            try machine.succeed("domain", "add", "mem", "--provider", "org.example.memory")
            #expect(try machine.succeed("ls", "mem:/").contains("Welcome.md"))
            try machine.succeed("host", "stop")
            try machine.succeed("host", "start")
            try await machine.client { client async throws in
                #expect(try await client.thumbnails(of: [try Location("mem:/Welcome.md")]) == [.missing])
                #expect(try await client.domains().map(\.providerState) == [.idle])
                let open = try PickerRequest(.open, types: [.content])
                try await client.withPickerSession(open) { session in
                    #expect(!session.roots[0].actions.contains(.thumbnail))
                }
            }
        }
    }

    @Test(
        "PICK-17: what was given once is given without the provider, and never of other contents than the document has")
    func keptHere() async throws {
        try await withPictures { machine in
            let dot = try Location("work:/dot.png")
            try machine.succeed("thumbnail", "work:/dot.png", "-o", "picture")
            #expect(kept(machine).count == 1)
            let space = try machine.succeed("space")
            // The remote is away, and the host is another one.
            try machine.succeed("host", "stop")
            rename(machine.remote, machine.remote + "-away")
            try machine.succeed("host", "start")
            try await machine.client { client async throws in
                #expect(try await client.thumbnails(of: [dot])[0].get()?.header.height == 30)
                // In another size, when there is no other.
                #expect(try await client.thumbnails(of: [dot], size: 1024)[0].get()?.header.height == 30)
                #expect(code(try await client.thumbnails(of: [try Location("work:/many-1")])[0]) == .serverUnreachable)
                // VER-9
                #expect(try await client.versions(of: dot).map(\.hasThumbnail) == [true])
                #expect(try await client.versions(of: try Location("work:/many-1")).map(\.hasThumbnail) == [false])
            }
            #expect(try machine.succeed("space") == space, "it is not of the document's contents")
            rename(machine.remote + "-away", machine.remote)
            // Changed on the remote: the old one is not given any more.
            try write(TestPicture.png(33, 44), "dot.png", machine)
            try machine.succeed("refresh", "work:/")
            try await machine.client { client async throws in
                #expect(try await client.thumbnails(of: [dot])[0].get()?.header.height == 44)
                #expect(kept(machine).count == 1, "in the place of the old one")
                // Changed here: the provider has none of that.
                try await client.coordinate(writingItemAt: dot) { path, _ in
                    try machine.write("no picture", to: path.string)
                    #expect(rename(machine.remote, machine.remote + "-away") == 0)
                }
                #expect(try await client.thumbnails(of: [dot])[0] == .missing)
                rename(machine.remote + "-away", machine.remote)
            }
            try machine.succeed("domain", "remove", "work", "--discard-unsent")
            #expect(kept(machine) == [])
        }
    }
}

extension EntitlementTests {
    @Test("PICK-17, CONT-2: a confined tool gets thumbnails of what it may read, and of nothing else")
    func thumbnails() async throws {
        try await withDomains { machine async throws in
            for domain in ["work", "home", "store"] {
                let file = machine.remote + "/\(domain)/dot.png"
                try Data(TestPicture.png(12, 8)).write(to: URL(fileURLWithPath: file))
                try machine.succeed("ls", "\(domain):/")
            }
            try register("confined = true\nread-domains = [\"home\"]", on: machine)
            let made = try machine.succeed("bookmark", "create", "store:/dot.png", "--for", "org.example.notes")
            let bookmark = try Bookmark(text: String(try #require(made.split(whereSeparator: \.isWhitespace).last)))
            try await machine.client { client async throws in
                let places = try ["home:/dot.png", "work:/dot.png", "store:/dot.png", "home:/a.txt"].map {
                    try Location($0)
                }
                var outcomes = try await client.thumbnails(of: places)
                #expect(try outcomes[0].get()?.header.width == 12)
                for refused in outcomes[1...2] {
                    #expect(throws: DocumentError.self) { try refused.get() }
                }
                #expect(outcomes[3] == .missing)
                // By a bookmark that it has started, too.
                let isStarted = try await client.startAccessing(bookmark)
                #expect(isStarted)
                outcomes = try await client.thumbnails(of: places)
                #expect(try outcomes[2].get()?.header.width == 12)
                #expect(throws: DocumentError.self) { try outcomes[1].get() }
            }
        }
    }
}
