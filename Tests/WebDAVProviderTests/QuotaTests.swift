import DocumentModel
import DocumentTestSupport
import Foundation
import Synchronization
import Testing

@testable import WebDAVProvider

/// How much room there is on a server (CONT-13), as it says, or does not say.
@Suite("The room on a server")
struct QuotaTests {
    private typealias Server = FaultServer

    @Test("a server that does not say how much room it has is sent what there is (RFC 4331)")
    func unknownQuota() async throws {
        try await RealServer.with(.lighttpd) { upstream in
            try await Server.with(upstream: upstream.port) { request, _ in
                guard String(decoding: request.body, as: UTF8.self).contains("quota") else { return nil }
                return [.bytes(Server.answer("501 Not Implemented"))]
            } body: { server in
                try await WritingFixture.with(.lighttpd, url: server.url) { fixture async throws in
                    _ = try await fixture.create("large", String(repeating: "x", count: 100_000))
                    #expect(server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("quota") })
                }
            }
        }
    }

    @Test("where there is no room, nothing is sent (RFC 4331)")
    func quota() async throws {
        try await Server.with { request, _ in
            guard request.method == "PROPFIND", request.target == "/" else {
                return [.bytes(Server.answer("404 Not Found"))]
            }
            let room = """
                <D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop><D:resourcetype>\
                <D:collection/></D:resourcetype><D:quota-available-bytes>1000</D:quota-available-bytes></D:prop>\
                <D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
                """
            return [.bytes(Server.answer("207 Multi-Status", [Server.now], room))]
        } body: { server in
            try await WritingFixture.with(.lighttpd, url: server.url) { fixture async throws in
                let text = String(repeating: "x", count: 100_000)
                let error = await failure { try await fixture.create("large", text) }
                #expect(error?.code == .insufficientQuota && error?.message.contains("1000") == true)
                #expect(!server.requests.contains { $0.method == "PUT" })
            }
        }
    }

    @Test(
        "CONT-13: how much room there is is told with the domain, asked for sparingly, and nothing depends on it (RFC 4331)"
    )
    func quotaTold() async throws {
        let hasQuota = Mutex(true)
        try await Server.with { request, _ in
            guard String(decoding: request.body, as: UTF8.self).contains("quota-used-bytes") else {
                return [.bytes(Server.multistatus(Server.response("/", folder: true)))]
            }
            guard hasQuota.withLock({ $0 }) else { return [.bytes(Server.answer("500 Internal Server Error"))] }
            let quota = """
                <D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop>\
                <D:quota-available-bytes>2500000000</D:quota-available-bytes><D:quota-used-bytes>999</D:quota-used-bytes>\
                </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>
                """
            return [.bytes(Server.answer("207 Multi-Status", [Server.now], quota))]
        } body: { server in
            let told = Mutex<[String]>([])
            let note: @Sendable (String, Bool) -> Void = { text, _ in told.withLock { $0.append(text) } }
            try await DomainFixture.with(url: server.url, board: DomainBoard(note: note)) { fixture async throws in
                for _ in 0..<3 { #expect(try await fixture.names().isEmpty) }
            }
            #expect(told.withLock { $0 } == ["There is room for 2.5 GB on the server, and 999 B are used."])
            #expect(server.requests.count { String(decoding: $0.body, as: UTF8.self).contains("quota") } == 1)
            hasQuota.withLock { $0 = false }
            try await DomainFixture.with(url: server.url, board: DomainBoard(note: note)) { fixture async throws in
                #expect(try await fixture.names().isEmpty)
            }
            #expect(told.withLock { $0.count } == 1)
        }
    }

    @Test(
        "CONT-13: what a server says of its room is told, and nothing where it says nothing, or what cannot be (RFC 4331)",
        arguments: [
            (
                "<D:quota-available-bytes>2500</D:quota-available-bytes><D:quota-used-bytes>999</D:quota-used-bytes>",
                999, 2500
            ),
            ("<D:quota-available-bytes>0</D:quota-available-bytes>", nil, 0), ("", nil, nil),
            // As some say that there is no limit.
            ("<D:quota-available-bytes>-3</D:quota-available-bytes><D:quota-used-bytes>7</D:quota-used-bytes>", 7, nil),
            ("<D:quota-available-bytes>99999999999999999999</D:quota-available-bytes>", nil, nil),
            ("<D:quota-used-bytes>some</D:quota-used-bytes>", nil, nil),
        ] as [(String, UInt64?, UInt64?)])
    func quotaOfProvider(_ properties: String, _ used: UInt64?, _ available: UInt64?) async throws {
        try await Server.with { request, _ in
            guard String(decoding: request.body, as: UTF8.self).contains("quota-used-bytes") else {
                return [.bytes(Server.multistatus(Server.response("/", folder: true)))]
            }
            let answer = """
                <D:multistatus xmlns:D="DAV:"><D:response><D:href>/</D:href><D:propstat><D:prop><D:resourcetype>\
                <D:collection/></D:resourcetype>\(properties)</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>\
                </D:response></D:multistatus>
                """
            return [.bytes(Server.answer("207 Multi-Status", [Server.now], answer))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(try await fixture.domain.quota() == RemoteQuota(used: used, available: available))
            }
        }
    }

    @Test(
        "CONT-13: a server that does not know the question says nothing of its room; one that cannot answer now fails",
        arguments: [("405 Method Not Allowed", nil), ("403 Forbidden", nil), ("503 Service Unavailable", .busy)]
            as [(String, DocumentError.Code?)])
    func noQuota(_ status: String, _ code: DocumentError.Code?) async throws {
        try await Server.with { _, _ in
            [.bytes(Server.answer(status))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                do {
                    let quota = try await fixture.domain.quota()
                    #expect(quota == .unknown && code == nil)
                } catch let error as DocumentError {
                    #expect(error.code == code)
                }
            }
        }
    }

    @Test("CONT-13: of a real server nothing is told that it does not say")
    func quotaOfRealServer() async throws {
        try await RealServer.with(.lighttpd) { server in
            try await WritingFixture.with(.lighttpd, url: server.url) { fixture async throws in
                #expect(try await fixture.domain.quota() == .unknown)
            }
        }
    }
}
