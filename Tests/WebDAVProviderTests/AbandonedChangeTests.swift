import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import WebDAVProvider

/// Changes that died in their middle, on servers that people run: what they took away comes back.
@Suite("Abandoned changes on servers that people run", .serialized)
struct AbandonedChangeTests {
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
}
