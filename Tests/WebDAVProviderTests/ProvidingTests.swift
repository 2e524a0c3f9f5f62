import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// Which version contents are of, and how often a server is asked for it.
@Suite("Contents and their version", .serialized)
struct ProvidingTests {
    private typealias Server = FaultServer

    private static func contents(_ text: String, tag: String? = "\"v1\"", modified: String? = Server.day) -> [UInt8] {
        var headers = [Server.now]
        if let tag { headers.append("ETag: \(tag)") }
        if let modified { headers.append("Last-Modified: \(modified)") }
        return Server.answer("200 OK", headers, text)
    }

    private static func properties(_ length: Int, tag: String? = "\"v1\"", modified: String? = Server.day) -> [UInt8] {
        Server.multistatus(Server.response("/doc", length: length, modified: modified, tag: tag))
    }

    /// How often each method came since so many requests ago.
    private func methods(_ server: Server, after count: Int) -> [String] {
        server.requests.dropFirst(count).map(\.method)
    }

    @Test(
        "PROV-8: a server that tells the version with the contents is asked for it once more, and not before",
        arguments: [("\"v1\"", "\"v1\""), ("\"v1\"", "W/\"v1\""), ("\"v1\"", nil), (nil, nil)])
    func told(_ tags: (get: String?, listed: String?)) async throws {
        try await Server.with { request, _ in
            request.method == "GET"
                ? [.bytes(Self.contents("abc", tag: tags.get))]
                : [.bytes(Self.properties(3, tag: tags.listed))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let first = try await fixture.provide("doc")
                #expect(methods(server, after: 0) == ["PROPFIND", "GET", "PROPFIND"])
                for version in [[], first.item.version.content] {
                    let count = server.requests.count
                    let again = try await fixture.provide("doc", version: version)
                    #expect(again.text == "abc")
                    #expect(again.item == first.item)
                    #expect(methods(server, after: count) == ["GET", "PROPFIND"])
                }
            }
        }
    }

    @Test(
        "a server that tells less, or something else, with the contents is asked before",
        arguments: [
            contents("abc", modified: nil), contents("abc", tag: nil), contents("abc", tag: "\"other\""),
            contents("abc", modified: "Sun, 06 Nov 1994 08:49:36 GMT"),
        ])
    func untold(_ answer: [UInt8]) async throws {
        try await Server.with { request, _ in
            [.bytes(request.method == "GET" ? answer : Self.properties(3))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                for _ in 0..<2 {
                    let count = server.requests.count
                    #expect(try await fixture.provide("doc").text == "abc")
                    #expect(methods(server, after: count) == ["PROPFIND", "GET", "PROPFIND"])
                }
            }
        }
    }

    @Test(
        "INV-9, RS-2: contents that changed on their way, that are too new, or that nobody asked for are not taken as told"
    )
    func untrue() async throws {
        let old = "Sun, 06 Nov 1994 08:49:36 GMT"
        // What each request gets, by how often it was asked for something since the first document was here.
        let scripts: [[[UInt8]]] = [
            // Exchanged while it came: the tag tells.
            [
                Self.contents("old", tag: "\"v0\""), Self.properties(3), Self.properties(3), Self.contents("new"),
                Self.properties(3),
            ],
            // Exchanged while it came: the date tells.
            [
                Self.contents("old", tag: nil, modified: old), Self.properties(3), Self.properties(3),
                Self.contents("new"),
                Self.properties(3),
            ],
            // Of another length than the document has.
            [
                Self.contents("<html>"), Self.properties(3), Self.properties(3), Self.contents("new"),
                Self.properties(3),
            ],
        ]
        for script in scripts {
            let step = Counter()
            try await Server.with { request, _ in
                guard step.value > 0 else {
                    return [.bytes(request.method == "GET" ? Self.contents("abc") : Self.properties(3))]
                }
                defer { step.increase() }
                return [.bytes(script[min(step.value - 1, script.count - 1)])]
            } body: { server in
                try await DomainFixture.with(url: server.url) { fixture async throws in
                    _ = try await fixture.provide("doc")
                    step.increase()
                    #expect(try await fixture.provide("doc").text == "new")
                    #expect(methods(server, after: 3) == ["GET", "PROPFIND", "PROPFIND", "GET", "PROPFIND"])
                }
            }
        }
    }

    @Test("RS-2: contents that changed within the last seconds are read when their date is their own")
    func fresh() async throws {
        let isFresh = Counter()
        let pauses = Counter()
        try await Server.with { request, _ in
            let date = isFresh.value > 0 && pauses.value == 0 ? Server.day : "Mon, 07 Nov 1994 08:49:37 GMT"
            let text = isFresh.value > 0 && pauses.value == 0 ? "old" : "new"
            let response = Server.response("/doc", length: 3)
            return request.method == "GET"
                ? [
                    .bytes(
                        Server.answer(
                            "200 OK", ["Date: \(date)", "Last-Modified: \(Server.day)", "ETag: \"v1\""], text))
                ]
                : [.bytes(Server.multistatus(response, headers: ["Date: \(date)"]))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { _, timing in
                timing.settling = .seconds(2)
                timing.pause = { _ in pauses.increase() }
            } body: { fixture async throws in
                _ = try await fixture.provide("doc")
                isFresh.increase()
                #expect(try await fixture.provide("doc").text == "new")
                #expect(pauses.value == 1)
            }
        }
    }

    @Test("a version that is gone is told as such, before its successor has come")
    func gone() async throws {
        let hasChanged = Counter()
        try await Server.with { request, _ in
            let tag = hasChanged.value > 0 ? "\"v2\"" : "\"v1\""
            return [.bytes(request.method == "GET" ? Self.contents("abc", tag: tag) : Self.properties(3, tag: tag))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let version = try await fixture.provide("doc").item.version.content
                hasChanged.increase()
                let count = server.requests.count
                #expect(
                    await failure { try await fixture.provide("doc", version: version) }?.code
                        == .versionNoLongerAvailable)
                #expect(methods(server, after: count) == ["GET", "PROPFIND"])
            }
        }
    }

    @Test("what became a folder, or went away, is said as if it had been asked before", arguments: ["folder", "gone"])
    func other(_ what: String) async throws {
        let hasChanged = Counter()
        try await Server.with { request, _ in
            switch (request.method, hasChanged.value > 0, what) {
            case ("GET", false, _): [.bytes(Self.contents("abc"))]
            case (_, false, _): [.bytes(Self.properties(3))]
            case ("GET", true, "folder"): [.bytes(Server.answer("403 Forbidden"))]
            case (_, true, "folder"): [.bytes(Server.multistatus(Server.response("/doc", folder: true)))]
            case ("PROPFIND", _, _) where request.target == "/":
                [.bytes(Server.multistatus(Server.response("/", folder: true)))]
            default: [.bytes(Server.answer("404 Not Found"))]
            }
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                _ = try await fixture.provide("doc")
                hasChanged.increase()
                let error = await failure { try await fixture.provide("doc") }
                #expect(error?.code == (what == "folder" ? .invalidArgument : .noSuchItem))
            }
        }
    }
}
