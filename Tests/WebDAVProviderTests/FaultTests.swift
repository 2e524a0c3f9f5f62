import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// What servers, and what is between them and here, do on bad days.
@Suite("Faults on the way", .serialized)
struct FaultTests {
    private typealias Server = FaultServer

    private static let day = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let now = "Date: Mon, 07 Nov 1994 08:49:37 GMT"

    private static func response(
        _ href: String, folder: Bool = false, length: Int? = nil, modified: String? = day, tag: String? = nil
    ) -> String {
        var properties = folder ? "<D:resourcetype><D:collection/></D:resourcetype>" : ""
        if let length { properties += "<D:getcontentlength>\(length)</D:getcontentlength>" }
        if let modified { properties += "<D:getlastmodified>\(modified)</D:getlastmodified>" }
        if let tag { properties += "<D:getetag>\(tag)</D:getetag>" }
        return
            "<D:response><D:href>\(href)</D:href><D:propstat><D:prop>\(properties)</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    }

    private static func multistatus(_ responses: String..., headers: [String] = [now]) -> [UInt8] {
        Server.answer(
            "207 Multi-Status", headers, "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>")
    }

    /// A server with one document, “/doc”, of these contents; what is asked for by GET is up to the test.
    private static func document(
        _ contents: [UInt8], tag: String? = "\"v1\"", modified: String? = day,
        get: @escaping Server.Script
    ) -> Server.Script {
        { request, number in
            switch (request.method, request.target) {
            case ("PROPFIND", "/doc"):
                [.bytes(multistatus(response("/doc", length: contents.count, modified: modified, tag: tag)))]
            case ("PROPFIND", _): [.bytes(multistatus(response("/", folder: true)))]
            default: get(request, number)
            }
        }
    }

    private static let contents = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    // MARK: Downloads

    @Test("a download that is cut goes on where it was, by Range and If-Range")
    func resume() async throws {
        let script = Self.document(Self.contents) { request, number in
            let total = Self.contents.count
            let start = request.headers["range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let head =
                start == 0
                ? "HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\nETag: \"g1\"\r\n\r\n"
                : "HTTP/1.1 206 Partial Content\r\nContent-Length: \(total - start)\r\nContent-Range: bytes \(start)-\(total - 1)/\(total)\r\nETag: \"g1\"\r\n\r\n"
            let end = number < 3 ? min(total, start + 50_000) : total
            return [.bytes(Array(head.utf8) + Self.contents[start..<end]), .close]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let provided = try await fixture.provide("doc")
                #expect(provided.contents == Self.contents)
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

    @Test("INV-9: contents that were exchanged during the cut are never joined with the old ones")
    func exchanged() async throws {
        let other = Self.contents.map { $0 ^ 0xFF }
        let script = Self.document(Self.contents) { request, number in
            number == 0
                ? [.bytes(Server.answer("200 OK", ["ETag: \"g1\""], Self.contents).dropLast(70_000)), .close]
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
        let script = Self.document(Self.contents) { request, number in
            switch number {
            case 0: [.bytes(Server.answer("200 OK", ["ETag: \"g1\""], Self.contents).dropLast(70_000)), .close]
            case 1: [.bytes(Server.answer("206 Partial Content", [range, "ETag: \"g1\""], "rubbish"))]
            default: [.bytes(Server.answer("200 OK", ["ETag: \"g1\""], Self.contents))]
            }
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.provide("doc").contents == Self.contents)
                #expect(server.requests.last { $0.method == "GET" }?.headers["range"] == nil)
            }
        }
    }

    @Test("an answer of the wrong length is no document, not even as 200: an HTML page for signing in")
    func htmlInstead() async throws {
        let script = Self.document(Self.contents) { _, _ in
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
        let script = Self.document(Self.contents) { _, _ in
            [.bytes(Server.answer("200 OK", [], Self.contents).dropLast(1)), .close]
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
        let script = Self.document(Array("0123456789".utf8)) { _, _ in
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
        let script = Self.document(Self.contents) { _, _ in
            [.bytes(Server.answer("200 OK", [], Self.contents).dropLast(1000)), .silence]
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
                [.bytes(Self.multistatus(Self.response("/doc", length: 1), headers: [dates[min(pauses.value, 2)]]))]
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
        let script = Self.document(Self.contents, tag: nil, modified: nil) { _, _ in
            [.bytes(Server.answer("200 OK", [], Self.contents))]
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
                return [.bytes(Self.multistatus(Self.response("/doc", length: 1, tag: tag)))]
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
        let script = Self.document(Self.contents) { _, _ in
            [.bytes(Server.answer("200 OK", [], Self.contents).dropLast(1000)), .silence]
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

    // MARK: Listings

    @Test(
        "hostile and senseless answers to a listing are refused",
        arguments: [
            FaultServer.answer("207 Multi-Status", [], "<!DOCTYPE m [<!ENTITY a \"b\">]><m>&a;</m>"),
            FaultServer.answer("207 Multi-Status", [], "<html><body>Sign in</body></html>"),
            FaultServer.answer("207 Multi-Status", [], "<D:multistatus xmlns:D=\"DAV:\"/>"),
            FaultServer.answer("200 OK", ["Content-Type: text/html"], "<html>Welcome</html>"),
            FaultServer.answer("204 No Content"), FaultServer.answer("405 Method Not Allowed"),
            FaultServer.answer("303 See Other", ["Location: /login"]),
            FaultServer.answer("302 Found", ["Location: https://evil.example/dav/"]),
            FaultServer.answer("301 Moved", ["Location: /"]),
        ])
    func senseless(_ answer: [UInt8]) async throws {
        try await Server.with { _, _ in
            [.bytes(answer)]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let error = await failure { try await fixture.names() }
                #expect(error?.code == .cannotSynchronize, "\(String(describing: error))")
                #expect(server.requests.count < 10)
            }
        }
    }

    @Test("RS-9: credentials are sent to the origin that was given, and nowhere else")
    func credentialsStay() async throws {
        try await Server.with { _, _ in
            [.bytes(Server.answer("404 Not Found"))]
        } body: { other in
            try await Server.with { request, _ in
                [.bytes(Server.answer("307 Temporary", ["Location: \(other.url)"]))]
            } body: { server in
                try await DomainFixture.with(url: server.url) { settings, _ in
                    settings.credentials = .basic(user: "ann", password: "secret")
                } body: { fixture async throws in
                    let error = await failure { try await fixture.names() }
                    #expect(error?.code == .cannotSynchronize)
                    #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Basic YW5uOnNlY3JldA==" })
                    #expect(!server.requests.isEmpty && other.requests.isEmpty)
                }
            }
        }
    }

    @Test("RS-9: a redirect to the same origin keeps method and body")
    func redirect() async throws {
        try await Server.with { request, _ in
            request.target == "/dav/"
                ? [.bytes(Server.answer("308 Permanent", ["Location: /real/"]))]
                : [.bytes(Self.multistatus(Self.response("/dav/", folder: true), Self.response("/dav/a", length: 1)))]
        } body: { server in
            try await DomainFixture.with(url: server.url + "dav") { fixture async throws in
                #expect(try await fixture.names() == ["a"])
                #expect(server.requests.map(\.target) == ["/dav/", "/real/"])
                #expect(server.requests.map(\.method) == ["PROPFIND", "PROPFIND"])
                #expect(server.requests[0].body == server.requests[1].body && !server.requests[0].body.isEmpty)
            }
        }
    }

    @Test("what lies elsewhere, is listed twice or has no usable name is left out, and counted in the log")
    func strangers() async throws {
        try await Server.with { _, _ in
            [
                .bytes(
                    Self.multistatus(
                        Self.response("/", folder: true), Self.response("/a", length: 1),
                        Self.response("/a", length: 2),
                        Self.response("/../etc/passwd", length: 1), Self.response("/b/c", length: 1),
                        Self.response("/%2e%2e", length: 1), Self.response("/x%2Fy", length: 1),
                        Self.response("http://elsewhere.example/d", length: 1), Self.response("/%00", length: 1)))
            ]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names() == ["a", "d"])
                #expect(fixture.log.text.contains("6 things on the server are not listed"))
            }
        }
    }

    @Test("a folder of 30,000 documents is listed in pages, with one request")
    func hugeListing() async throws {
        let count = 30_000
        let responses = (0..<count).map { Self.response("/n\($0)", length: 1) }.joined()
        try await Server.with { _, _ in
            [.bytes(Self.multistatus(Self.response("/", folder: true), responses))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(Set(try await fixture.names(count: 9999)).count == count)
                #expect(server.requests.count == 1)
            }
        }
    }

    // MARK: Servers that are busy, gone, or want a sign-in

    @Test("429 and 503 are tried again after Retry-After", arguments: ["429 Too Many", "503 Unavailable"])
    func retryAfter(_ status: String) async throws {
        try await Server.with { _, number in
            number < 2
                ? [.bytes(Server.answer(status, ["Retry-After: 0"]))]
                : [.bytes(Self.multistatus(Self.response("/", folder: true)))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names().isEmpty)
                #expect(server.requests.count == 3)
            }
        }
    }

    @Test("a Retry-After that is too long is the host's to wait for")
    func longRetryAfter() async throws {
        try await Server.with { _, _ in
            [.bytes(Server.answer("503 Unavailable", ["Retry-After: 3600"]))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let error = await failure { try await fixture.names() }
                #expect(error?.code == .busy && error?.retryAfter == .seconds(3600))
                #expect(server.requests.count == 1)
            }
        }
    }

    @Test("an answer that is cut in its middle is asked for again")
    func cutListing() async throws {
        try await Server.with { _, number in
            let whole = Self.multistatus(Self.response("/", folder: true), Self.response("/a", length: 1))
            return number == 0 ? [.bytes(whole.dropLast(20)), .close] : [.bytes(whole)]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names() == ["a"])
            }
        }
    }

    @Test("401 in the middle is not tried again, and is resolvable")
    func signInWanted() async throws {
        try await Server.with { request, _ in
            request.method == "GET"
                ? [.bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""]))]
                : [.bytes(Self.multistatus(Self.response("/doc", length: 1)))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let error = await failure { try await fixture.provide("doc") }
                #expect(error?.code == .notAuthenticated && error?.code.errorClass == .resolvable)
                #expect(server.requests.count { $0.method == "GET" } == 1)
            }
        }
    }

    @Test("PROV-22: a server that is gone is resolvable, and its return is told")
    func goneAndBack() async throws {
        let port = try RealServer.freePort()
        try await DomainFixture.with(url: "http://127.0.0.1:\(port)/") { fixture async throws in
            let error = await failure { try await fixture.names() }
            #expect(error?.code == .serverUnreachable && error?.code.errorClass == .resolvable)
            #expect(fixture.reachable.value == 0)
        }
        // The folder is away while the server is there.
        let isMissing = Flag(true)
        try await Server.with { _, _ in
            isMissing.value
                ? [.bytes(Server.answer("404 Not Found"))]
                : [.bytes(Self.multistatus(Self.response("/", folder: true)))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let error = await failure { try await fixture.domain.item(for: try ItemIdentifier("x")) }
                #expect(error?.code == .serverUnreachable)
                isMissing.set(false)
                try await eventually { fixture.reachable.value == 1 }
                #expect(try await fixture.names().isEmpty)
            }
        }
    }

    @Test("PROV-22: one “not found” is not believed, when the next answer is another one")
    func contradiction() async throws {
        try await Server.with { request, _ in
            request.target == "/" || request.method != "GET"
                ? [.bytes(Self.multistatus(Self.response(request.target, folder: request.target == "/", length: 1)))]
                : [.bytes(Server.answer("404 Not Found"))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await fixture.provide("doc") }?.code == .busy)
            }
        }
    }

    @Test("connections are kept, and there are never more than the limit")
    func pool() async throws {
        try await Server.with { _, _ in
            [.pause(2), .bytes(Self.multistatus(Self.response("/doc", length: 1)))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { settings, _ in
                settings.connections = 4
            } body: { fixture async throws in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<60 {
                        group.addTask { _ = try await fixture.domain.item(for: try ItemIdentifier("doc")) }
                    }
                    try await group.waitForAll()
                }
                #expect(server.requests.count == 60)
                #expect((1...4).contains(server.mostConnections))
                #expect(server.requests.count > server.mostConnections)
            }
        }
    }
}
