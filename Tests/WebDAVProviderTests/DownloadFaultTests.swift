import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// What servers, and what is between them and here, do to contents on bad days.
@Suite("Faults on the way of contents", .serialized)
struct DownloadFaultTests {
    private typealias Server = FaultServer

    @Test("a download that is cut goes on where it was, by Range and If-Range")
    func resume() async throws {
        let script = Server.document(Server.contents) { request, number in
            let total = Server.contents.count
            let start = request.headers["range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let head =
                start == 0
                ? "HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\nETag: \"g1\"\r\n\r\n"
                : "HTTP/1.1 206 Partial Content\r\nContent-Length: \(total - start)\r\nContent-Range: bytes \(start)-\(total - 1)/\(total)\r\nETag: \"g1\"\r\n\r\n"
            let end = number < 3 ? min(total, start + 50_000) : total
            return [.bytes(Array(head.utf8) + Server.contents[start..<end]), .close]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let provided = try await fixture.provide("doc")
                #expect(provided.contents == Server.contents)
                let gets = server.requests.filter { $0.method == "GET" }
                // What was on its way within the client when the connection ended is asked for again.
                let starts = gets.compactMap { $0.headers["range"].flatMap { Int($0.dropFirst(6).dropLast()) } }
                #expect(gets.count == 4 && starts.count == 3 && starts == starts.sorted() && Set(starts).count == 3)
                #expect(starts.allSatisfy { $0 > 0 })
                #expect(gets.dropFirst().allSatisfy { $0.headers["if-range"] == "\"g1\"" })
                #expect(gets.allSatisfy { $0.headers["accept-encoding"] == "identity" })
            }
        }
    }

    @Test("PROV-22: a download that is cut, and may not go on without another sign-in, ends, and says so")
    func signInWantedInTheMiddle() async throws {
        let script = Server.document(Server.contents) { _, number in
            guard number == 0 else {
                return [.bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""]))]
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(Server.contents.count)\r\nETag: \"g1\"\r\n\r\n"
            return [.bytes(Array(head.utf8) + Server.contents[..<50_000]), .close]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let error = await failure { try await fixture.provide("doc") }
                #expect(error?.code == .notAuthenticated && error?.code.errorClass == .resolvable)
                #expect(server.requests.count { $0.method == "GET" } == 2, "it is not asked again")
            }
        }
    }

    @Test("INV-9: contents that were exchanged during the cut are never joined with the old ones")
    func exchanged() async throws {
        let other = Server.contents.map { $0 ^ 0xFF }
        let script = Server.document(Server.contents) { request, number in
            number == 0
                ? [.bytes(Server.answer("200 OK", ["ETag: \"g1\""], Server.contents).dropLast(70_000)), .close]
                // If-Range does not hold any more: everything, from the start.
                : [.bytes(Server.answer("200 OK", ["ETag: \"g2\""], other))]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.provide("doc").contents == other)
            }
        }
    }

    @Test(
        "a part that does not fit what was asked for is thrown away",
        arguments: [
            "Content-Range: bytes 0-199999/200000", "Content-Range: nonsense", "X-None: 1",
        ])
    func wrongParts(_ range: String) async throws {
        let script = Server.document(Server.contents) { request, number in
            switch number {
            case 0: [.bytes(Server.answer("200 OK", ["ETag: \"g1\""], Server.contents).dropLast(70_000)), .close]
            case 1: [.bytes(Server.answer("206 Partial Content", [range, "ETag: \"g1\""], "rubbish"))]
            default: [.bytes(Server.answer("200 OK", ["ETag: \"g1\""], Server.contents))]
            }
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.provide("doc").contents == Server.contents)
                #expect(server.requests.last { $0.method == "GET" }?.headers["range"] == nil)
            }
        }
    }

    @Test("an answer of the wrong length is no document, not even as 200: an HTML page for signing in")
    func htmlInstead() async throws {
        let script = Server.document(Server.contents) { _, _ in
            [.bytes(Server.answer("200 OK", ["Content-Type: text/html"], "<html>Please sign in</html>"))]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await fixture.provide("doc") }?.code == .busy)
            }
        }
    }

    @Test("a download that is always cut at the same place ends, and says so")
    func alwaysCut() async throws {
        let script = Server.document(Server.contents) { _, _ in
            [.bytes(Server.answer("200 OK", [], Server.contents).dropLast(1)), .close]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await fixture.provide("doc") }?.code == .busy)
                #expect(server.requests.count { $0.method == "GET" } < 200)
            }
        }
    }

    @Test("a slow drip arrives, with progress that never falls")
    func drip() async throws {
        let script = Server.document(Array("0123456789".utf8)) { _, _ in
            [.bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n".utf8))]
                + "0123456789".utf8.flatMap { [.bytes([$0]), .pause(5)] as [FaultServer.Part] }
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let progress = ProgressRecord()
                let provided = try await fixture.provide("doc", transfer: Transfer { progress.add($0) })
                #expect(provided.text == "0123456789")
                #expect(progress.done == progress.done.sorted() && progress.done.last == 10)
            }
        }
    }

    @Test("silence in the middle is not waited for for ever")
    func silence() async throws {
        let script = Server.document(Server.contents) { _, _ in
            [.bytes(Server.answer("200 OK", [], Server.contents).dropLast(1000)), .silence]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { _, timing in
                timing.silence = .milliseconds(200)
            } body: { fixture async throws in
                #expect(await failure { try await fixture.provide("doc") }?.code == .busy)
            }
        }
    }

    @Test("RS-2: a document that has just been changed is read when its date is its own")
    func settling() async throws {
        let pauses = Counter()
        let dates = ["08:49:37", "08:49:38", "08:49:39"].map { "Date: Sun, 06 Nov 1994 \($0) GMT" }
        try await Server.with { request, number in
            switch (request.method, request.target) {
            case ("PROPFIND", "/doc"):
                [.bytes(Server.multistatus(Server.response("/doc", length: 1), headers: [dates[min(pauses.value, 2)]]))]
            default: [.bytes(Server.answer("200 OK", [], pauses.value < 2 ? "A" : "B"))]
            }
        } body: { server in
            try await DomainFixture.with(url: server.url) { _, timing in
                timing.settling = .seconds(2)
                timing.pause = { _ in pauses.increase() }
            } body: { fixture async throws in
                #expect(try await fixture.provide("doc").text == "B")
                #expect(pauses.value == 2)
            }
        }
    }

    @Test("a server that gives neither date nor tag is not read: nobody could tell versions apart")
    func noValidator() async throws {
        let script = Server.document(Server.contents, tag: nil, modified: nil) { _, _ in
            [.bytes(Server.answer("200 OK", [], Server.contents))]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await fixture.provide("doc") }?.code == .cannotSynchronize)
            }
        }
    }

    @Test("a tag that is written differently by GET, and weak at first, is no change")
    func tagForms() async throws {
        let asked = Counter()
        try await Server.with { request, _ in
            switch (request.method, request.target) {
            case ("PROPFIND", "/doc"):
                asked.increase()
                let tag = asked.value == 1 ? "W/\"v1\"" : "\"v1\""
                return [.bytes(Server.multistatus(Server.response("/doc", length: 1, tag: tag)))]
            default: return [.bytes(Server.answer("200 OK", ["ETag: \"v1-identity\""], "A"))]
            }
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.provide("doc").text == "A")
            }
        }
    }

    @Test("a cancelled transfer ends its request")
    func cancelling() async throws {
        let script = Server.document(Server.contents) { _, _ in
            [.bytes(Server.answer("200 OK", [], Server.contents).dropLast(1000)), .silence]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let file = try fixture.newStagingFile()
                let (began, continuation) = AsyncStream.makeStream(of: Void.self)
                let transfer = Transfer { _ in continuation.yield() }
                let task = Task {
                    try await fixture.domain.provide(
                        try ItemIdentifier("doc"), at: file, contentVersion: [], transfer)
                }
                for await _ in began { break }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }
}
