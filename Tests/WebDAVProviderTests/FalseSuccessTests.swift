import DocumentModel
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// What stands before a server, and answers changes with a page of its own: a portal that wants a sign-in, say.
@Suite("What answers that it has done what it has not", .serialized, .timeLimit(.minutes(3)))
struct FalseSuccessTests {
    private typealias Server = FaultServer

    private static let page = FaultServer.answer(
        "200 OK", ["Content-Type: text/html"], "<html><body>Welcome to the hotel</body></html>")

    /// Documents and folders, and a method that nothing comes of while `isPortal`.
    private func withPortal(
        for method: String, _ kind: RealServer.Kind,
        _ body: (RealServer, WritingFixture, _ isPortal: Flag) async throws -> Void
    ) async throws {
        let isPortal = Flag(false)
        try await RealServer.with(kind) { real in
            try await Server.with(upstream: real.port) { request, _ in
                isPortal.value && request.method == method ? [.bytes(Self.page)] : nil
            } body: { way in
                try await WritingFixture.with(kind, url: way.url) { _, timing in
                    let sign = timing.sign
                    timing.pause = { try await Task.sleep(for: $0 == sign ? $0 : min($0, .milliseconds(10))) }
                } body: {
                    try await body(real, $0, isPortal)
                }
            }
        }
    }

    @Test(
        "a page with status 200 is no success of a change that nothing came of, and nothing is lost by it",
        arguments: ["PUT", "MOVE", "MKCOL"], [RealServer.Kind.lighttpd, .apache])
    func page(_ method: String, _ kind: RealServer.Kind) async throws {
        try await withPortal(for: method, kind) { real, fixture, isPortal async throws in
            let edited = try await fixture.create("edited", "old")
            let renamed = try await fixture.create("renamed", "old")
            let removed = try await fixture.create("removed", "old")
            _ = try await fixture.createFolder("Folder")
            _ = try await fixture.create("Folder/in", "in")
            _ = try await fixture.createFolder("Empty")
            isPortal.set(true)
            let attempts: [(what: String, make: @Sendable () async throws -> Void, isMade: () throws -> Bool)] = [
                ("create", { _ = try await fixture.create("new", "new") }, { try real.read("data/new") == "new" }),
                (
                    "edit", { _ = try await fixture.change("edited", "edit", base: edited.version) },
                    { try real.read("data/edited") == "edit" }
                ),
                (
                    "rename", { _ = try await fixture.move("renamed", to: "other", base: renamed.version) },
                    { try real.read("data/other") == "old" }
                ),
                (
                    "remove", { try await fixture.delete("removed", base: removed.version) },
                    { try !real.names(in: "data").contains("removed") }
                ),
                (
                    "make a folder", { _ = try await fixture.createFolder("Made") },
                    { try real.names(in: "data").contains("Made") }
                ),
                (
                    "rename a folder", { _ = try await fixture.move("Folder", to: "Moved", base: .none) },
                    { try real.read("data/Moved/in") == "in" }
                ),
                (
                    "remove a folder", { try await fixture.delete("Empty", base: .none) },
                    { try !real.names(in: "data").contains("Empty") }
                ),
            ]
            for attempt in attempts {
                let error = await failure { try await attempt.make() }
                if let error {
                    #expect(error.code.errorClass == .transient, "\(attempt.what): \(error)")
                } else {
                    let isMade = (try? attempt.isMade()) ?? false
                    #expect(isMade, "\(attempt.what) is said to be done")
                }
            }
            isPortal.set(false)
            // What was begun is undone by whoever looks.
            for _ in 0..<3 { _ = try await fixture.names() }
            let names = try real.names(in: "data")
            for document in [["edited"], ["renamed", "other"], ["Folder", "Moved"]] {
                #expect(!names.isDisjoint(with: document), "\(document): \(names)")
            }
        }
    }

    @Test(
        "what is said to be removed, and is not, is out of sight at least",
        arguments: [RealServer.Kind.lighttpd, .apache])
    func removal(_ kind: RealServer.Kind) async throws {
        try await withPortal(for: "DELETE", kind) { real, fixture, isPortal async throws in
            let note = try await fixture.create("note", "old")
            let other = try await fixture.create("other", "old")
            _ = try await fixture.createFolder("Empty")
            isPortal.set(true)
            try await fixture.delete("note", base: note.version)
            try await fixture.delete("Empty", base: .none)
            // What a change leaves behind is of no consequence for it.
            _ = try await fixture.change("other", "new", base: other.version)
            #expect(try await fixture.names() == ["other"])
            #expect(try real.read("data/other") == "new")
        }
    }
}
