import DocumentModel
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// Folders that a server will not let go, or not look into.
@Suite("Folders that cannot be removed", .serialized, .timeLimit(.minutes(3)))
struct FolderRefusalTests {
    private typealias Server = FaultServer

    /// A folder with a document in it, by way of somebody who answers some requests with a status of his own.
    private func withFolder(
        refusing isRefused: @escaping @Sendable (FaultServer.Request) -> Bool, with status: String,
        _ body: (RealServer, WritingFixture, _ refuses: Flag) async throws -> Void
    ) async throws {
        let refuses = Flag(false)
        try await RealServer.with(.apache) { real in
            try await Server.with(upstream: real.port) { request, _ in
                refuses.value && isRefused(request) ? [.bytes(Server.answer(status))] : nil
            } body: { way in
                try await WritingFixture.with(.apache, url: way.url) { _, timing in
                    timing.retrying = RetryPlan.Limits(attempts: 1)
                    let sign = timing.sign
                    timing.pause = { try await Task.sleep(for: $0 == sign ? $0 : min($0, .milliseconds(10))) }
                } body: { fixture async throws in
                    _ = try await fixture.createFolder("F")
                    _ = try await fixture.create("F/note", "kept")
                    refuses.set(true)
                    try await body(real, fixture, refuses)
                }
            }
        }
    }

    @Test("RS-3: a folder whose removal the server refuses is where it was, with all that is in it")
    func refusedRemoval() async throws {
        try await withFolder(refusing: { $0.method == "DELETE" }, with: "403 Forbidden") {
            real, fixture, refuses async throws in
            let error = await failure { try await fixture.delete("F", base: .none, recursive: true, operation: "op") }
            #expect(error?.code == .notPermitted, "\(error as Any)")
            #expect(try real.read("data/F/note") == "kept")
            #expect(try await fixture.names() == ["F"])
            refuses.set(false)
            try await fixture.delete("F", base: .none, recursive: true, operation: "op")
            #expect(try real.names(in: "data").filter { $0 != ".DAV" }.isEmpty)
        }
    }

    @Test("a folder that cannot be looked into just now is not removed: somebody's document may be hidden in it")
    func unseen() async throws {
        try await withFolder(
            refusing: { $0.method == "PROPFIND" && $0.headers["depth"] == "1" }, with: "429 Too Many Requests"
        ) { real, fixture, _ async throws in
            let error = await failure { try await fixture.delete("F", base: .none, recursive: true, operation: "op") }
            #expect(error?.code.errorClass == .transient, "\(error as Any)")
            #expect(try real.read("data/F/note") == "kept")
        }
    }
}
