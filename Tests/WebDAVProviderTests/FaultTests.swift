import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// Servers that are busy, gone, or want a sign-in.
@Suite("Faults on the way", .serialized)
struct FaultTests {
    private typealias Server = FaultServer

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
