import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// Listings that are hostile, senseless, cut, or of somebody else's.
@Suite("Faults of listings", .serialized)
struct ListingFaultTests {
    private typealias Server = FaultServer

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
}
