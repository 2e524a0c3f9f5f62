import DocumentModel
import DocumentProvider
import DocumentTestSupport
import SystemPackage
import Testing

@testable import WebDAVProvider

/// Changes, on servers that people run, each by the way that the server is fit for.
@Suite("Writing to servers that people run", .serialized)
struct WritingTests {
    @Test("documents are made, changed, renamed, moved and removed", arguments: RealServer.Kind.allCases)
    func changes(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try server.makeFolder("data/Folder")
            try await WritingFixture.with(kind, url: server.url) { fixture async throws in
                let made = try await fixture.create("a & b.txt", "one")
                #expect(made.id.rawValue == "a & b.txt" && made.size == 3 && made.capabilities == .all)
                #expect(try await fixture.provide("a & b.txt").text == "one")

                var changed = try await fixture.change("a & b.txt", "two!", base: made.version)
                #expect(changed.version.content != made.version.content && changed.size == 4)
                #expect(try server.read("data/a & b.txt") == "two!")
                let emptied = try await fixture.change("a & b.txt", "", base: changed.version)
                #expect(emptied.size == 0)
                changed = try await fixture.change("a & b.txt", "two!", base: emptied.version)

                let renamed = try await fixture.move("a & b.txt", to: "ü.txt", base: changed.version.contentOnly)
                #expect(renamed.version.content == changed.version.content, "a rename is no change of contents")
                let moved = try await fixture.move("ü.txt", to: "Folder/ü 2.txt", base: .none)
                #expect(moved.parentID?.rawValue == "Folder")
                #expect(try server.read("data/Folder/ü 2.txt") == "two!")
                #expect(try await fixture.names() == ["Folder"])

                try await fixture.delete("Folder/ü 2.txt", base: moved.version.contentOnly)
                try await fixture.delete("Folder/ü 2.txt", base: moved.version.contentOnly)
                #expect(try server.names(in: "data/Folder").isEmpty, "nothing of Docent's own stays behind")
                let left = try server.names(in: "data").filter { $0.hasPrefix(".docent") }
                #expect(left.isEmpty)
            }
        }
    }

    @Test(
        "folders are made, moved with what is in them, and removed when they are empty, or as a whole",
        arguments: RealServer.Kind.allCases)
    func folders(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { fixture async throws in
                let folder = try await fixture.createFolder("A folder")
                #expect(folder.kind == .folder)
                #expect(await failure { try await fixture.createFolder("A folder") }?.code == .nameCollision)
                _ = try await fixture.create("A folder/in.txt", "in")
                _ = try await fixture.move("A folder", to: "B", base: .none)
                #expect(try await fixture.provide("B/in.txt").text == "in")
                let full = await failure { try await fixture.delete("B", base: .none) }
                #expect(full?.code == .directoryNotEmpty)
                #expect(try await fixture.names() == ["B"])
                try await fixture.delete("B", base: .none, recursive: true)
                #expect(try server.names(in: "data").filter { !$0.hasPrefix(".DAV") }.isEmpty)
            }
        }
    }

    @Test("what began from another version is refused, and changes nothing", arguments: RealServer.Kind.allCases)
    func baseVersions(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { fixture async throws in
                let old = try await fixture.create("note", "one")
                let now = try await fixture.change("note", "two", base: old.version)
                for attempt in [
                    { try await fixture.change("note", "lost", base: old.version) },
                    { try await fixture.move("note", to: "other", base: old.version) },
                    { try await fixture.move("note", to: "other", "lost", base: old.version) },
                ] as [@Sendable () async throws -> Item] {
                    #expect(await failure { try await attempt() }?.code == .versionNoLongerAvailable)
                }
                let removal = await failure { try await fixture.delete("note", base: old.version) }
                #expect(removal?.code == .versionNoLongerAvailable)
                #expect(removal?.message.contains("list its folder again, and try again") == true)
                #expect(await failure { try await fixture.create("note", "lost") }?.code == .nameCollision)
                _ = try await fixture.create("taken", "mine")
                let taken = await failure { try await fixture.move("note", to: "taken", base: .none) }
                #expect(taken?.code == .nameCollision)
                let gone = await failure { try await fixture.change("none", "x", base: .none) }
                #expect(gone?.code == .noSuchItem)
                let folderless = await failure { try await fixture.create("no/where", "x") }
                #expect(folderless?.code == .noSuchItem)
                #expect(try server.read("data/note") == "two" && server.read("data/taken") == "mine")
                #expect(
                    try await fixture.domain.item(for: ItemIdentifier("note")).version.content == now.version.content)
            }
        }
    }

    @Test(
        "names that mean something in addresses are kept as they are, or refused where the server misreads them",
        arguments: RealServer.Kind.allCases)
    func oddNames(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try server.makeFolder("data/what?")
            try await WritingFixture.with(kind, url: server.url) { fixture async throws in
                let plain = try await fixture.create("plain", "one")
                let attempts: [@Sendable () async throws -> Item] = [
                    { try await fixture.create("a;b", "one") }, { try await fixture.create("what?/in", "one") },
                    { try await fixture.createFolder("a?c") },
                    { try await fixture.move("plain", to: "plain?", base: plain.version.contentOnly) },
                ]
                for attempt in attempts {
                    guard kind == .wsgidav else {
                        _ = try await attempt()
                        continue
                    }
                    let refusal = await failure { try await attempt() }
                    #expect(refusal?.code == .invalidArgument)
                    #expect(refusal?.message.contains("choose another name") == true)
                }
                _ = try await fixture.create("100%", "one")
                let names = kind == .wsgidav ? ["100%", "plain", "what?"] : ["100%", "a;b", "a?c", "plain?", "what?"]
                #expect(try await fixture.names() == names)
            }
        }
    }

    @Test(
        "a domain whose own folder has a name that the server misreads is not written to; one with another odd name is")
    func oddAddress() async throws {
        try await RealServer.with(.wsgidav) { server in
            try server.makeFolder("data/what?")
            try server.makeFolder("data/a;b")
            try await ProbeTests.withFinder(url: server.url + "what%3F/") { finder in
                let certificate = try await finder.find()
                #expect(certificate.guarantee == .nothing)
            }
            try await WritingFixture.with(.wsgidav, url: server.url + "a;b/") { fixture async throws in
                let made = try await fixture.create("note", "one")
                _ = try await fixture.change("note", "two", base: made.version)
            }
            #expect(try server.names(in: "data/a;b") == ["note"] && server.read("data/a;b/note") == "two")
            #expect(try server.names(in: "data/what?").isEmpty)
        }
    }

    @Test(
        "a repeated operation is answered and not done again, also after a restart",
        arguments: [RealServer.Kind.lighttpd, .nginx])
    func repetition(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            let folder = try TemporaryFolder.make()
            defer { TemporaryFolder.remove(folder) }
            let (made, changed) = try await WritingFixture.with(kind, url: server.url, state: folder) { fixture in
                let made = try await fixture.create("note", "one", operation: "create")
                #expect(try await fixture.create("note", "one", operation: "create") == made)
                let changed = try await fixture.change("note", "two", base: made.version, operation: "change")
                return (made, changed)
            }
            try await WritingFixture.with(kind, url: server.url, state: folder) { fixture async throws in
                #expect(try await fixture.create("note", "one", operation: "create") == made)
                #expect(
                    try await fixture.change("note", "two", base: made.version, operation: "change") == changed)
                try await fixture.delete("note", base: .none, operation: "delete")
                try await fixture.delete("note", base: .none, operation: "delete")
                #expect(try await fixture.names().isEmpty)
            }
        }
    }

    @Test(
        "RS-1: of many who change a document from one version at the same time exactly one does",
        arguments: RealServer.Kind.allCases)
    func races(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { one async throws in
                try await WritingFixture.with(kind, url: server.url) { other async throws in
                    var base = try await one.create("note", "start").version
                    for round in 0..<3 {
                        let from = base
                        let winners = try await withThrowingTaskGroup(of: (String, Item)?.self) { group in
                            for racer in 0..<6 {
                                group.addTask {
                                    let text = "round \(round) racer \(racer)"
                                    do {
                                        let fixture = racer % 2 == 0 ? one : other
                                        return (text, try await fixture.change("note", text, base: from))
                                    } catch let error as DocumentError
                                        where [.versionNoLongerAvailable, .busy].contains(error.code)
                                    {
                                        return nil
                                    }
                                }
                            }
                            return try await group.reduce(into: [(String, Item)]()) {
                                if let won = $1 { $0.append(won) }
                            }
                        }
                        let winner = try #require(winners.first)
                        #expect(winners.count == 1)
                        #expect(try server.read("data/note") == winner.0)
                        base = winner.1.version
                    }
                }
            }
        }
    }
}
