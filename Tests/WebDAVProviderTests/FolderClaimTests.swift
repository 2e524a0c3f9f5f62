import DocumentModel
import DocumentTestSupport
import Synchronization
import Testing

@testable import WebDAVProvider

/// Folders that are moved and removed while somebody has taken a document in them away, on servers that people run.
@Suite("Folders around documents that are being changed", .serialized)
struct FolderClaimTests {
    private typealias Server = FaultServer

    private func withFolder(
        _ kind: RealServer.Kind, abandoned: Duration = .milliseconds(500), patience: Duration = .zero,
        _ body: (RealServer, WritingFixture) async throws -> Void
    ) async throws {
        try await RealServer.with(kind) { server in
            try await WritingFixture.with(kind, url: server.url) { _, timing in
                (timing.abandoned, timing.patience) = (abandoned, patience)
            } body: { fixture async throws in
                _ = try await fixture.createFolder("F")
                _ = try await fixture.create("F/note", "one")
                #expect(try await fixture.reading.names(in: ItemIdentifier("F")) == ["note"])
                try await body(server, fixture)
            }
        }
    }

    /// Somebody has taken “note” away to rename it.
    private func takeAway(_ server: RealServer, _ fixture: WritingFixture, in folder: String = "F") throws {
        let claim = "data/\(folder)/\(try OwnNames.claim(on: RemoteName("other")))"
        try server.makeFolder("\(claim)/op-theirs")
        try server.move("data/\(folder)/note", to: "\(claim)/op-theirs/\(ClaimNames.old)")
        let source = try #require(RemotePath(try ItemIdentifier("\(folder)/note")))
        let note = ClaimNote(kind: .move, source: source).text(fixture.domain.link.address)
        try server.write(note, to: "\(claim)/op-theirs/\(ClaimNames.note)")
    }

    private func names(_ fixture: WritingFixture, in folder: String) async throws -> [String] {
        try await fixture.reading.names(in: ItemIdentifier(folder))
    }

    @Test("a document that a dead rename has left is seen again where its folder is now, when that was renamed with it")
    func renamedAround() async throws {
        try await withFolder(.apache) { server, fixture async throws in
            try takeAway(server, fixture)
            // Another program knows nothing of claims.
            try server.move("data/F", to: "data/G")
            #expect(try await names(fixture, in: "G").isEmpty)
            try await Task.sleep(for: .milliseconds(600))
            #expect(try await names(fixture, in: "G") == ["note"])
            #expect(try await fixture.provide("G/note").text == "one")
            #expect(try server.names(in: "data/G").filter { $0 != ".DAV" } == ["note"])
        }
    }

    @Test(
        "a folder is not renamed while somebody has taken a document in it away, and is when that was put back",
        arguments: [RealServer.Kind.lighttpd, .apache])
    func renaming(_ kind: RealServer.Kind) async throws {
        try await withFolder(kind) { server, fixture async throws in
            try takeAway(server, fixture)
            let early = await failure { try await fixture.move("F", to: "G", base: .none) }
            #expect(early?.code == .busy, "\(early as Any)")
            #expect(try server.names(in: "data").contains("F"))
            try await Task.sleep(for: .milliseconds(600))
            _ = try await fixture.move("F", to: "G", base: .none)
            #expect(try await names(fixture, in: "G") == ["note"])
        }
    }

    @Test("who renames a folder waits for a while for what somebody has taken away in it")
    func waiting() async throws {
        try await withFolder(.apache, patience: .seconds(20)) { server, fixture async throws in
            try takeAway(server, fixture)
            _ = try await fixture.move("F", to: "G", base: .none)
            #expect(try await names(fixture, in: "G") == ["note"])
        }
    }

    @Test("the same where claims are on the name that is missing, and the server does not list them")
    func renamingUnlisted() async throws {
        try await withFolder(.nginx) { server, fixture async throws in
            let claim = "data/F/\(try OwnNames.claim(on: RemoteName("note")))"
            try server.makeFolder("\(claim)/op-theirs")
            try server.move("data/F/note", to: "\(claim)/op-theirs/\(ClaimNames.old)")
            let early = await failure { try await fixture.move("F", to: "G", base: .none) }
            #expect(early?.code == .busy, "\(early as Any)")
            try server.move("\(claim)/op-theirs/\(ClaimNames.old)", to: "data/F/note")
            _ = try await fixture.move("F", to: "G", base: .none)
            #expect(try await names(fixture, in: "G") == ["note"])
            // What was known of the folder is known of it still.
            let path = try #require(RemotePath(try ItemIdentifier("G/note")))
            #expect(fixture.domain.known(below: try #require(path.parent)) == [path])
        }
    }

    @Test(
        "a folder is not removed with a document in it that somebody has taken away, also when all in it was to be removed",
        arguments: ["F", "F/deep"])
    func removing(_ place: String) async throws {
        try await withFolder(.apache) { server, fixture async throws in
            if place != "F" {
                try server.makeFolder("data/\(place)")
                try server.move("data/F/note", to: "data/\(place)/note")
            }
            try takeAway(server, fixture, in: place)
            let early = await failure { try await fixture.delete("F", base: .none, recursive: true) }
            #expect(early?.code == .busy, "\(early as Any)")
            try await Task.sleep(for: .milliseconds(600))
            // Its owner is gone: it gets its place again, and is news.
            let late = await failure { try await fixture.delete("F", base: .none, recursive: true) }
            #expect(late?.code == .busy, "\(late as Any)")
            #expect(try await names(fixture, in: place) == ["note"])
            try await fixture.delete("F", base: .none, recursive: true)
            #expect(try server.names(in: "data").filter { $0 != ".DAV" }.isEmpty)
        }
    }

    @Test(
        "a document whose claim a host took for its own after a long sleep, and died, is seen again, and its folder stays"
    )
    func behindSleeper() async throws {
        try await withFolder(.apache) { server, fixture async throws in
            let own = "data/F/\(try OwnNames.rest(RemoteName("op-slept")))/op-slept"
            let theirs = "\(own)/\(ClaimNames.spent)/op-theirs"
            try server.makeFolder(theirs)
            for (change, name) in [(own, "other"), (theirs, "note")] {
                let source = try #require(RemotePath(try ItemIdentifier("F/\(name)")))
                let note = ClaimNote(kind: .move, source: source).text(fixture.domain.link.address)
                try server.write(note, to: "\(change)/\(ClaimNames.note)")
            }
            try server.move("data/F/note", to: "\(theirs)/\(ClaimNames.old)")
            for isRecursive in [false, true] {
                let early = await failure { try await fixture.delete("F", base: .none, recursive: isRecursive) }
                let expected = isRecursive ? DocumentError.Code.busy : .directoryNotEmpty
                #expect(early?.code == expected, "\(early as Any)")
            }
            for _ in 0..<10 where try await names(fixture, in: "F").isEmpty {
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(try await names(fixture, in: "F") == ["note"])
            #expect(try await fixture.provide("F/note").text == "one")
        }
    }

    @Test("a document of a dead change is seen again, however many others nobody here can end")
    func behindStrangers() async throws {
        try await withFolder(.apache) { server, fixture async throws in
            for number in 0..<20 {
                // Named before all that stands for a document.
                let own = "data/F/.docent-claim-!\(10 + number)/op-theirs"
                try server.makeFolder(own)
                try server.write("of another address", to: "\(own)/\(ClaimNames.old)")
            }
            try takeAway(server, fixture)
            for _ in 0..<4 where try await names(fixture, in: "F").isEmpty {
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(try await names(fixture, in: "F") == ["note"])
        }
    }

    /// A removal of a folder that breaks off when the folder is out of sight.
    ///
    /// - Parameter late: what somebody puts into it in that moment.
    private func breakOff(
        late: String?, isRecursive: Bool = false, _ body: (RealServer, WritingFixture) async throws -> Void
    ) async throws {
        let isGone = Flag(false)
        try await RealServer.with(.apache) { real in
            try await Server.with(upstream: real.port) { request, _ in
                if isGone.value { return [.bytes(Server.answer("503 Service Unavailable"))] }
                if request.method == "MOVE", request.headers["destination"]?.contains(".docent-rest-") == true {
                    if let late {
                        try? real.write("late", to: "data/F/\(late)")
                    }
                    isGone.set(true)
                }
                return nil
            } body: { way in
                let state = try TemporaryFolder.make()
                defer { TemporaryFolder.remove(state) }
                func withFixture(_ body: (WritingFixture) async throws -> Void) async throws {
                    try await WritingFixture.with(.apache, url: way.url, state: state) { _, timing in
                        timing.retrying = RetryPlan.Limits(attempts: 1)
                        timing.pause = { _ in }
                    } body: {
                        try await body($0)
                    }
                }
                try await withFixture { fixture in
                    _ = try await fixture.createFolder("F")
                    let error = await failure {
                        try await fixture.delete("F", base: .none, recursive: isRecursive, operation: "removal")
                    }
                    #expect(error?.code.errorClass == .transient, "\(error as Any)")
                }
                #expect(try real.names(in: "data").contains { $0.hasPrefix(".docent-rest-") })
                isGone.set(false)
                // As after a restart.
                try await withFixture { fixture in try await body(real, fixture) }
            }
        }
    }

    @Test(
        "RS-5: the removal of a folder that was broken off goes on when it is asked for again",
        arguments: [true, false])
    func brokenOffRemoval(_ isRecursive: Bool) async throws {
        try await breakOff(late: nil, isRecursive: isRecursive) { real, fixture async throws in
            try await fixture.delete("F", base: .none, recursive: isRecursive, operation: "removal")
            #expect(try real.names(in: "data").filter { $0 != ".DAV" }.isEmpty)
        }
    }

    @Test(
        "what somebody puts into a folder when it is taken out of sight is seen again, also when its removal breaks off"
    )
    func brokenOffRemovalOfSomething() async throws {
        try await breakOff(late: "note") { real, fixture async throws in
            let error = await failure { try await fixture.delete("F", base: .none, operation: "removal") }
            #expect(error?.code == .directoryNotEmpty, "\(error as Any)")
            #expect(try await names(fixture, in: "F") == ["note"])
            #expect(try real.names(in: "data").filter { $0 != ".DAV" } == ["F"])
        }
    }

    @Test("the same when there is another folder of that name by then: both are kept")
    func brokenOffRemovalOfTwo() async throws {
        try await breakOff(late: "note") { real, fixture async throws in
            try real.makeFolder("data/F")
            try real.write("new", to: "data/F/new")
            let error = await failure { try await fixture.delete("F", base: .none, operation: "removal") }
            #expect(error?.code == .directoryNotEmpty, "\(error as Any)")
            let kept = try #require(try real.names(in: "data").first { $0.hasPrefix("F (kept by Docent") })
            #expect(try real.read("data/\(kept)/note") == "late" && real.read("data/F/new") == "new")
        }
    }
}
