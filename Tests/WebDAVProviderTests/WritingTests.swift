import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Glibc
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

    @Test(
        "RS-5: a move that ended when the document was in its claim goes on when it is asked for again",
        arguments: [RealServer.Kind.lighttpd, .apache])
    func brokenOffMove(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { fixture async throws in
                let made = try await fixture.create("note", "one")
                let key = try OwnNames.key(of: "op", or: 0)
                let (source, target) = (RemotePath.root.appending(try ItemName("note")), try ItemName("other"))
                let own = try ClaimNames(key, from: source, to: .root.appending(target)).own
                let folder = "data/" + own.names.map(\.rawValue).joined(separator: "/")
                try server.makeFolder(folder)
                #expect(rename("\(server.base)/data/note", "\(server.base)/\(folder)/old") == 0)
                let modification = ItemModification(
                    id: made.id, baseVersion: made.version, name: try ItemName("other"), operation: "op")
                let moved = try await fixture.domain.modify(modification, Transfer())
                #expect(moved.id.rawValue == "other" && moved.version.content == made.version.content)
                #expect(try server.read("data/other") == "one")
                #expect(try server.names(in: "data").filter { !$0.hasPrefix(".DAV") } == ["other"])
                let again = try await fixture.domain.modify(modification, Transfer())
                #expect(again == moved, "once more is the same")
            }
        }
    }

    @Test(
        "an edit that was broken off when it had taken the document away is made when it is asked for again",
        arguments: [RealServer.Kind.apache, .nginx, .rclone])
    func brokenOffEdit(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { fixture async throws in
                let made = try await fixture.create("note", "one")
                let key = try OwnNames.key(of: "op", or: 0)
                let path = RemotePath.root.appending(try ItemName("note"))
                let own = try ClaimNames(key, from: path, to: path).own
                let folder = "data/" + own.names.map(\.rawValue).joined(separator: "/")
                try server.makeFolder(folder)
                try server.move("data/note", to: "\(folder)/\(ClaimNames.old)")
                let new = "\(folder)/\(ClaimNames.new)"
                try server.write("two", to: new)
                try Loopback.run("/usr/bin/touch", ["-d", "5 seconds", server.base.appending(new).string])
                let changed = try await fixture.change("note", "two", base: made.version, operation: "op")
                #expect(changed.id == made.id)
                #expect(try server.read("data/note") == "two")
                #expect(try server.names(in: "data").filter { !$0.hasPrefix(".DAV") } == ["note"])
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
        "a document whose change died in its middle is seen again by those who list its folder",
        arguments: [RealServer.Kind.apache, .nginx])
    func abandonedChange(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { _, timing in
                timing.abandoned = .seconds(3)
            } body: { fixture async throws in
                _ = try await fixture.create("note", "one")
                #expect(try await fixture.names() == ["note"])
                // Somebody has taken it away to change it, and is gone.
                let source = try #require(RemotePath(try ItemIdentifier("note")))
                let claim = "data/\(try OwnNames.claim(on: RemoteName("note")))"
                try server.makeFolder("\(claim)/op-gone")
                try server.move("data/note", to: "\(claim)/op-gone/\(ClaimNames.old)")
                try server.write("two", to: "\(claim)/op-gone/\(ClaimNames.new)")
                let note = ClaimNote(kind: .put, source: source).text(fixture.domain.link.address)
                try server.write(note, to: "\(claim)/op-gone/\(ClaimNames.note)")

                #expect(try await fixture.names().isEmpty)
                let sought = await failure { try await fixture.domain.item(for: ItemIdentifier("note")) }
                #expect(sought?.code.errorClass == .transient, "PROV-22: out of sight, and not gone: \(sought as Any)")
                #expect(try server.names(in: claim) == ["op-gone"], "nobody's claim is ended while its owner may live")
                try await Task.sleep(for: .milliseconds(3_200))
                // It has got on meanwhile.
                let folder = server.base.appending("\(claim)/op-gone").string
                try Loopback.run("/usr/bin/touch", ["-d", "2026-01-01", folder])
                #expect(try await fixture.names().isEmpty)
                #expect(try server.names(in: claim) == ["op-gone"])
                try await Task.sleep(for: .milliseconds(3_200))
                #expect(try await fixture.names() == ["note"])
                #expect(try await fixture.provide("note").text == "one")
                #expect(try server.names(in: "data").filter { $0 != ".DAV" } == ["note"])
            }
        }
    }

    @Test(
        "a document whose change died in its middle is read and changed again by those who never list its folder",
        arguments: [RealServer.Kind.apache, .nginx])
    func abandonedUnlisted(_ kind: RealServer.Kind) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { _, timing in
                timing.abandoned = .milliseconds(500)
            } body: { fixture async throws in
                let made = try await fixture.create("note", "one")
                let source = try #require(RemotePath(try ItemIdentifier("note")))
                let claim = "data/\(try OwnNames.claim(on: RemoteName("note")))"
                try server.makeFolder("\(claim)/op-gone")
                try server.move("data/note", to: "\(claim)/op-gone/\(ClaimNames.old)")
                try server.write("two", to: "\(claim)/op-gone/\(ClaimNames.new)")
                let note = ClaimNote(kind: .put, source: source).text(fixture.domain.link.address)
                try server.write(note, to: "\(claim)/op-gone/\(ClaimNames.note)")

                let early = await failure { try await fixture.change("note", "three", base: made.version) }
                #expect(early?.code.errorClass == .transient, "\(early as Any)")
                #expect(try server.names(in: claim) == ["op-gone"], "nobody's claim is ended while its owner may live")
                try await Task.sleep(for: .milliseconds(600))
                // As a host tries: again and again.
                _ = await failure { try await fixture.change("note", "three", base: made.version) }
                _ = try await fixture.change("note", "three", base: .none)
                #expect(try server.read("data/note") == "three")
                #expect(try server.names(in: "data").filter { $0 != ".DAV" } == ["note"])
            }
        }
    }

    @Test(
        "a document that the end of a dead change has left is seen again, and its folder does not count as empty until then"
    )
    func brokenTakeOver() async throws {
        try await RealServer.with(.apache) { server in
            try await WritingFixture.with(.apache, url: server.url) { _, timing in
                timing.abandoned = .milliseconds(500)
            } body: { fixture async throws in
                _ = try await fixture.createFolder("F")
                _ = try await fixture.create("F/note", "one")
                let folder = try ItemIdentifier("F")
                #expect(try await fixture.reading.names(in: folder) == ["note"])
                // Somebody was ending a claim, and is gone.
                let source = try #require(RemotePath(try ItemIdentifier("F/note")))
                let rest = "data/F/\(try OwnNames.rest(OwnNames.key(of: "", or: 7)))"
                try server.makeFolder("\(rest)/op-gone")
                try server.move("data/F/note", to: "\(rest)/op-gone/\(ClaimNames.old)")
                try server.write("two", to: "\(rest)/op-gone/\(ClaimNames.new)")
                let note = ClaimNote(kind: .put, source: source).text(fixture.domain.link.address)
                try server.write(note, to: "\(rest)/op-gone/\(ClaimNames.note)")

                let removal = await failure { try await fixture.delete("F", base: .none) }
                #expect(removal?.code == .directoryNotEmpty)
                #expect(try await fixture.reading.names(in: folder).isEmpty)
                try await Task.sleep(for: .milliseconds(600))
                #expect(try await fixture.reading.names(in: folder) == ["note"])
                #expect(try await fixture.provide("F/note").text == "one")
                #expect(try server.names(in: "data/F").filter { $0 != ".DAV" } == ["note"])
            }
        }
    }

    @Test(
        "SLOT-6: what was staged and given up is removed after a week by whoever lists the folder, and nothing younger")
    func leftovers() async throws {
        try await RealServer.with(.apache) { server in
            let names = [try OwnNames.stage(RemoteName("op-old")), try OwnNames.stage(RemoteName("op-young"))]
            for name in names {
                try server.makeFolder("data/\(name)/op")
                try server.write("staged", to: "data/\(name)/op/\(ClaimNames.new)")
            }
            let old = server.base.appending("data/\(names[0])").string
            try Loopback.run("/usr/bin/touch", ["-d", "8 days ago", old])
            try Loopback.run("/usr/bin/touch", ["-d", "6 days ago", server.base.appending("data/\(names[1])").string])
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names().isEmpty)
                #expect(
                    try server.names(in: "data").count { $0.hasPrefix(".docent") } == 2,
                    "who only reads removes nothing")
            }
            try await WritingFixture.with(.apache, url: server.url) { fixture async throws in
                #expect(try await fixture.names().isEmpty)
                #expect(try server.names(in: "data").filter { $0.hasPrefix(".docent") } == ["\(names[1])"])
            }
        }
    }

    @Test("what the ends of claims have left goes after a week, too, unless a document of somebody's is in it")
    func rests() async throws {
        try await RealServer.with(.apache) { server in
            let names = try ["empty", "spent", "taken", "folder", "renamed", "theirs"].map {
                try OwnNames.rest(RemoteName("op-\($0)"))
            }
            let paths = names.map { "data/\($0)" }
            try server.makeFolder(paths[0])
            let source = try #require(RemotePath(try ItemIdentifier("note")))
            let note = ClaimNote(kind: .put, source: source).text(try ServerAddress(server.url))
            for path in [paths[1], paths[2], paths[4], paths[5]] {
                try server.makeFolder(path + "/op")
                try server.write(note, to: path + "/op/\(ClaimNames.note)")
            }
            try server.write("one", to: paths[2] + "/op/\(ClaimNames.old)")
            // Renames, with the claim on the new name: the own one, and that of somebody who has come meanwhile.
            for path in [paths[4], paths[5]] { try server.makeFolder("\(path)/op/\(ClaimNames.spent)") }
            try server.write(note, to: "\(paths[4])/op/\(ClaimNames.spent)/op-renamed")
            try server.makeFolder("\(paths[5])/op/\(ClaimNames.spent)/op-theirs")
            try server.write("one", to: "\(paths[5])/op/\(ClaimNames.spent)/op-theirs/\(ClaimNames.old)")
            // A folder whose removal was broken off, with what somebody has put into it.
            try server.makeFolder(paths[3] + "/op")
            try server.write("somebody's", to: paths[3] + "/op/\(ClaimNames.new)")
            for path in paths {
                try Loopback.run("/usr/bin/touch", ["-d", "8 days ago", server.base.appending(path).string])
            }
            try await WritingFixture.with(.apache, url: server.url) { fixture async throws in
                _ = try await fixture.names()
                let left = try server.names(in: "data")
                for name in [names[0], names[1], names[4]] { #expect(!left.contains("\(name)"), "\(left)") }
                for name in [names[2], names[3], names[5]] { #expect(left.contains("\(name)"), "\(left)") }
            }
        }
    }

    @Test("what an end has left gets its turn to go, also behind much that nobody here can remove")
    func manyRests() async throws {
        try await RealServer.with(.apache) { server in
            for number in 0..<60 {
                let path = "data/\(try OwnNames.rest(RemoteName("op-a\(number)")))"
                try server.makeFolder(path + "/op")
                try server.write("somebody's", to: path + "/op/\(ClaimNames.new)")
                try Loopback.run("/usr/bin/touch", ["-d", "8 days ago", server.base.appending(path).string])
            }
            let empty = try OwnNames.rest(RemoteName("op-z"))
            try server.makeFolder("data/\(empty)")
            try Loopback.run("/usr/bin/touch", ["-d", "8 days ago", server.base.appending("data/\(empty)").string])
            try await WritingFixture.with(.apache, url: server.url) { fixture async throws in
                for _ in 0..<4 { _ = try await fixture.names() }
                let left = try server.names(in: "data")
                #expect(!left.contains("\(empty)"), "\(left)")
                #expect(left.count { $0.hasPrefix(".docent-rest-op-a") } == 60)
            }
        }
    }

    @Test("a change of which this address of the folder does not know where its document was is left alone")
    func foreignClaim() async throws {
        try await RealServer.with(.apache) { server in
            try await WritingFixture.with(.apache, url: server.url) { _, timing in
                timing.abandoned = .milliseconds(300)
            } body: { fixture async throws in
                let claim = "data/\(try OwnNames.claim(on: RemoteName("note")))"
                try server.makeFolder("\(claim)/op-gone")
                try server.write("one", to: "\(claim)/op-gone/\(ClaimNames.old)")
                let source = try #require(RemotePath(try ItemIdentifier("note")))
                let note = ClaimNote(kind: .put, source: source)
                    .text(try ServerAddress("https://example.org/another/way"))
                try server.write(note, to: "\(claim)/op-gone/\(ClaimNames.note)")
                for _ in 0..<3 {
                    #expect(try await fixture.names().isEmpty)
                    try await Task.sleep(for: .milliseconds(200))
                }
                #expect(try server.read("\(claim)/op-gone/\(ClaimNames.old)") == "one")
            }
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
