import DocumentModel
import DocumentProvider
import DocumentTestSupport
import SystemPackage
import Testing

@testable import WebDAVProvider

/// What changes that died have left on a server, and nobody needs.
@Suite("What is left on servers that people run", .serialized)
struct LeftoverTests {
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
}
