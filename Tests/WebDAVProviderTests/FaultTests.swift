import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// What servers, and what is between them and here, do on bad days.
@Suite("Faults on the way", .serialized)
struct FaultTests {
    private typealias Server = FaultServer

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

    @Test(
        "a list that is too deep, or so long that no memory would hold it, is refused, also through a proxy",
        .timeLimit(.minutes(2)), arguments: [true, false])
    func excessive(isDeep: Bool) async throws {
        let answer: [Server.Part]
        if isDeep {
            let (open, close) = (String(repeating: "<a>", count: 100_000), String(repeating: "</a>", count: 100_000))
            answer = [.bytes(Server.multistatus(Server.response("/dav/", folder: true), open + close))]
        } else {
            let head = ["HTTP/1.1 207 Multi-Status", "Content-Length: \(1 << 30)", "", ""]
            let start = head.joined(separator: "\r\n") + "<multistatus xmlns=\"DAV:\">"
            let part = [UInt8](repeating: UInt8(ascii: "y"), count: 1 << 20)
            answer = [.bytes(Array(start.utf8))] + Array(repeating: .bytes(part), count: 300) + [.silence]
        }
        try await Server.with { request, _ in
            request.method == "CONNECT" ? [.bytes(Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))] : answer
        } body: { server in
            let proxy = try ServerAddress(server.url, setting: "proxy")
            try await DomainFixture.with(url: "http://files.example:8080/dav/") { settings, _ in
                settings.proxy = proxy
            } body: { fixture async throws in
                let error = await failure { try await fixture.names() }
                #expect(error?.code == .cannotSynchronize, "\(String(describing: error))")
                let reason = isDeep ? "nested" : "longer than 256 MiB"
                #expect(error?.causes.contains { $0.contains(reason) } == true, "\(error?.causes ?? [])")
                #expect(server.requests.count { $0.method == "PROPFIND" } < 5)
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
                : [
                    .bytes(
                        Server.multistatus(Server.response("/dav/", folder: true), Server.response("/dav/a", length: 1))
                    )
                ]
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
                    Server.multistatus(
                        Server.response("/", folder: true), Server.response("/a", length: 1),
                        Server.response("/a", length: 2),
                        Server.response("/../etc/passwd", length: 1), Server.response("/b/c", length: 1),
                        Server.response("/%2e%2e", length: 1), Server.response("/x%2Fy", length: 1),
                        Server.response("http://elsewhere.example/d", length: 1), Server.response("/%E4", length: 1),
                        Server.response("/%00", length: 1)))
            ]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names() == ["a", "d", "x∕y", "␀"])
                #expect(fixture.log.text.contains("5 things on the server are not listed"))
            }
        }
    }

    @Test("a folder of 30,000 documents is listed in pages, with one request")
    func hugeListing() async throws {
        let count = 30_000
        let responses = (0..<count).map { Server.response("/n\($0)", length: 1) }.joined()
        try await Server.with { _, _ in
            [.bytes(Server.multistatus(Server.response("/", folder: true), responses))]
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
                : [.bytes(Server.multistatus(Server.response("/", folder: true)))]
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

    @Test(
        "PROV-22: what is missing is not gone while somebody claims it, however the server is written to, else told at once",
        arguments: [true, false], [Guarantee.folderMoves, .conditionalChanges])
    func missing(isClaimed: Bool, guarantee: Guarantee) async throws {
        let waits = Counter()
        try await Server.with { request, _ in
            switch request.target {
            case "/": [.bytes(Server.multistatus(Server.response("/", folder: true)))]
            case let path where isClaimed && path.hasPrefix("/.docent-claim-"):
                [.bytes(Server.multistatus(Server.response(path, folder: true)))]
            default: [.bytes(Server.answer("404 Not Found"))]
            }
        } body: { server in
            try await DomainFixture.with(url: server.url, writing: guarantee) { _, timing in
                timing.gap = .milliseconds(123)
                timing.pause = { if $0 == .milliseconds(123) { waits.increase() } }
            } body: { fixture async throws in
                let error = await failure { try await fixture.domain.item(for: try ItemIdentifier("doc")) }
                #expect(error?.code == (isClaimed ? .busy : .noSuchItem))
                #expect(isClaimed ? waits.value > 0 : waits.value == 0)
            }
        }
    }

    @Test("PROV-22: what comes back between the look and the end of the claim is not gone")
    func comesBack() async throws {
        let claims = Counter()
        try await Server.with { request, _ in
            switch request.target {
            case "/": return [.bytes(Server.multistatus(Server.response("/", folder: true)))]
            case let path where path.hasPrefix("/.docent-claim-"):
                claims.increase()
                // It is given back when the document is there again.
                guard claims.value == 1 else { break }
                return [.bytes(Server.multistatus(Server.response(path, folder: true)))]
            case "/doc" where claims.value > 1: return [.bytes(Server.multistatus(Server.response("/doc", length: 3)))]
            default: break
            }
            return [.bytes(Server.answer("404 Not Found"))]
        } body: { server in
            try await DomainFixture.with(url: server.url, writing: .folderMoves) { _, timing in
                timing.pause = { _ in }
            } body: { fixture async throws in
                #expect(try await fixture.domain.item(for: try ItemIdentifier("doc")).size == 3)
            }
        }
    }

    @Test("PROV-22: a server that cannot be asked for a claim is no reason to take something for gone")
    func claimUnknown() async throws {
        try await Server.with { request, _ in
            switch request.target {
            case "/": [.bytes(Server.multistatus(Server.response("/", folder: true)))]
            case let path where path.hasPrefix("/.docent-claim-"): [.bytes(Server.answer("503 Service Unavailable"))]
            default: [.bytes(Server.answer("404 Not Found"))]
            }
        } body: { server in
            try await DomainFixture.with(url: server.url, writing: .folderMoves) { fixture async throws in
                let error = await failure { try await fixture.domain.item(for: try ItemIdentifier("doc")) }
                #expect(error?.code == .busy, "\(error as Any)")
            }
        }
    }

    @Test("an answer behind which something else comes, as servers do that fail in its middle, is asked for again")
    func mixedListing() async throws {
        let xml = """
            <?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop>\
            <D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
            </D:response></D:multistatus>
            """
        try await Server.with { _, number in
            let whole = Server.multistatus(Server.response("/", folder: true), Server.response("/a", length: 1))
            let mixed = Server.answer("207 Multi-Status", ["Content-Type: text/xml"], xml + "Internal Server Error")
            return [.bytes(number == 0 ? mixed : whole)]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names() == ["a"])
            }
        }
    }

    @Test("an answer that is cut in its middle is asked for again")
    func cutListing() async throws {
        try await Server.with { _, number in
            let whole = Server.multistatus(Server.response("/", folder: true), Server.response("/a", length: 1))
            return number == 0 ? [.bytes(whole.dropLast(20)), .close] : [.bytes(whole)]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.names() == ["a"])
            }
        }
    }

    @Test("PROV-22: a password that the server has refused is not sent once more, whoever asks")
    func refusedPassword() async throws {
        try await Server.with { _, _ in
            [.bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""]))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { settings, _ in
                settings.credentials = .basic(user: "ann", password: "old")
            } body: { fixture async throws in
                #expect(await failure { try await fixture.provide("doc") }?.code == .notAuthenticated)
                // Asked once, and made sure of once.
                #expect(server.requests.count == 2)
                for _ in 0..<10 {
                    #expect(await failure { try await fixture.provide("doc") }?.code == .notAuthenticated)
                    #expect(await failure { try await fixture.names() }?.code == .notAuthenticated)
                    #expect(await failure { try await fixture.domain.currentAnchor() }?.code == .notAuthenticated)
                }
                #expect(server.requests.count == 2)
            }
            // Another sign-in is tried.
            try await DomainFixture.with(url: server.url) { settings, _ in
                settings.credentials = .basic(user: "ann", password: "new")
            } body: { fixture async throws in
                // However many ask at once, one of them asks first.
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 {
                        group.addTask {
                            #expect(await failure { try await fixture.names() }?.code == .notAuthenticated)
                        }
                    }
                }
                #expect(server.requests.count == 4)
            }
        }
    }

    @Test("PROV-22: a password that the server refuses for a moment goes on being used")
    func refusedForAMoment() async throws {
        try await Server.with { _, number in
            number == 0
                ? [.bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""]))]
                : [.bytes(Server.multistatus(Server.response("/", folder: true), Server.response("/doc", length: 1)))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { settings, timing in
                settings.credentials = .basic(user: "ann", password: "good")
                timing.gap = .milliseconds(1)
            } body: { fixture async throws in
                #expect(await failure { try await fixture.names() }?.code == .notAuthenticated)
                #expect(try await fixture.names() == ["doc"])
            }
        }
    }

    @Test("what is refused of one document only is no refusal of the sign-in")
    func refusedDocument() async throws {
        try await Server.with { request, _ in
            request.target == "/secret"
                ? [.bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""]))]
                : [.bytes(Server.multistatus(Server.response("/", folder: true), Server.response("/doc", length: 1)))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { settings, _ in
                settings.credentials = .basic(user: "ann", password: "good")
            } body: { fixture async throws in
                #expect(await failure { try await fixture.provide("secret") }?.code == .notAuthenticated)
                #expect(try await fixture.names() == ["doc"])
            }
        }
    }

    @Test("401 in the middle is not tried again, and is resolvable")
    func signInWanted() async throws {
        try await Server.with { request, _ in
            request.method == "GET"
                ? [.bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""]))]
                : [.bytes(Server.multistatus(Server.response("/doc", length: 1)))]
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
                : [.bytes(Server.multistatus(Server.response("/", folder: true)))]
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
                ? [
                    .bytes(
                        Server.multistatus(Server.response(request.target, folder: request.target == "/", length: 1)))
                ]
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
            [.pause(2), .bytes(Server.multistatus(Server.response("/doc", length: 1)))]
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
