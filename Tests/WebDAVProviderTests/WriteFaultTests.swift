import DocumentModel
import DocumentTestSupport
import Foundation
import Glibc
import NIOHTTP1
import Synchronization
import SystemPackage
import Testing

@testable import WebDAVProvider

/// Servers that do not do at once, or at all, what they are asked to write; and what is between.
@Suite("Writing through faults")
struct WriteFaultTests {
    private typealias Server = FaultServer

    /// How long was waited, without waiting.
    private final class Pauses: Sendable {
        private let pauses = Mutex<[Duration]>([])
        var longest: Duration { pauses.withLock { $0.max() ?? .zero } }
        func add(_ pause: Duration) { pauses.withLock { $0.append(pause) } }
    }

    /// A document that a PUT changes, when the script says nothing else of it.
    private func withDocument(
        put: @escaping @Sendable (_ number: Int) -> [Server.Part]?,
        _ body: (Server, WritingFixture, Pauses) async throws -> Void
    ) async throws {
        let isChanged = Flag(false)
        let pauses = Pauses()
        try await Server.with { request, number in
            switch (request.method, request.target) {
            case ("PROPFIND", "/doc"):
                let tag = isChanged.value ? "\"v2\"" : "\"v1\""
                return [.bytes(Server.multistatus(Server.response("/doc", length: 3, tag: tag)))]
            case ("PROPFIND", _): return [.bytes(Server.multistatus(Server.response("/", folder: true)))]
            case ("GET", _): return [.bytes(Server.answer("200 OK", [], isChanged.value ? "new" : "old"))]
            default:
                if let parts = put(number) { return parts }
                isChanged.set(true)
                return [.bytes(Server.answer("204 No Content", ["ETag: \"v2\""]))]
            }
        } body: { server in
            try await WritingFixture.with(.lighttpd, url: server.url) { _, timing in
                timing.sign = .milliseconds(4999)
                let sign = timing.sign
                timing.pause = { pause in
                    // Who watches what is sent waits, and is called off.
                    if pause == sign { try await Task.sleep(for: pause) } else { pauses.add(pause) }
                }
            } body: { fixture async throws in
                try await body(server, fixture, pauses)
            }
        }
    }

    @Test("Retry-After is kept to when contents are sent", arguments: ["503 Busy", "500 Broken"])
    func retryAfter(_ status: String) async throws {
        try await withDocument { number in
            number < 2 ? [.bytes(Server.answer(status, ["Retry-After: 7"]))] : nil
        } _: { server, fixture, pauses in
            let item = try await fixture.change("doc", "new", base: .none)
            #expect(item.version.content != [] && pauses.longest == .seconds(7))
            #expect(server.requests.count { $0.method == "PUT" } == 3)
        }
    }

    @Test("who asks for an hour's patience when contents are sent is not asked again at once")
    func longRetryAfter() async throws {
        try await withDocument { _ in
            [.bytes(Server.answer("503 Busy", ["Retry-After: 3600"]))]
        } _: { server, fixture, pauses in
            let error = await failure { try await fixture.change("doc", "new", base: .none) }
            #expect(error?.code.errorClass == .transient)
            #expect(server.requests.count { $0.method == "PUT" } == 1 && pauses.longest < .seconds(20))
        }
    }

    @Test("of two answers to one request the first counts, and the second is nobody's")
    func answersTwice() async throws {
        try await Server.with { request, _ in
            let right = Server.multistatus(Server.response(request.target, length: 3, tag: "\"v1\""))
            let wrong = Server.multistatus(Server.response(request.target, length: 4711, tag: "\"v9\""))
            return [.bytes(right + wrong)]
        } body: { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                for name in ["a", "b", "c", "d"] {
                    #expect(try await fixture.domain.item(for: ItemIdentifier(name)).size == 3, "\(name)")
                }
            }
        }
    }

    /// A server that takes connections, and from each at most so many bytes; it says nothing.
    private func withMute(taking most: Int, _ body: (UInt16) async throws -> Void) async throws {
        let (listener, port) = try Loopback.listen()
        defer {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
        Thread.detachNewThread {
            var connections: [Int32] = []
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                connections.append(connection)
                var bytes = [UInt8](repeating: 0, count: most)
                _ = recv(connection, &bytes, most, 0)
            }
            for connection in connections { close(connection) }
        }
        try await body(port)
    }

    private static func limit(_ timing: inout Timing) {
        (timing.connect, timing.silence, timing.listing) = (.milliseconds(300), .milliseconds(400), .milliseconds(500))
        (timing.digesting, timing.sign) = (.seconds(3), .milliseconds(200))
        timing.retrying = RetryPlan.Limits(attempts: 1)
    }

    @Test("a server that says nothing, or does not greet, is given up in time", .timeLimit(.minutes(1)))
    func silent() async throws {
        let clock = ContinuousClock()
        try await withMute(taking: 4096) { port in
            for (url, code) in [("http", DocumentError.Code.busy), ("https", .serverUnreachable)] {
                try await DomainFixture.with(url: "\(url)://127.0.0.1:\(port)/") { _, timing in
                    Self.limit(&timing)
                } body: { fixture async throws in
                    let began = clock.now
                    let error = await failure { try await fixture.names() }
                    #expect(error?.code.errorClass == code.errorClass, "\(url): \(error.map { "\($0)" } ?? "nothing")")
                    #expect(clock.now - began < .seconds(10))
                }
            }
        }
    }

    @Test("a listing that comes too slowly is given up in time", .timeLimit(.minutes(1)))
    func slow() async throws {
        let clock = ContinuousClock()
        try await Server.with { _, _ in
            let whole = Server.multistatus(Server.response("/", folder: true))
            return whole.flatMap { [Server.Part.bytes([$0]), .pause(20)] }
        } body: { server in
            try await DomainFixture.with(url: server.url) { _, timing in
                Self.limit(&timing)
            } body: { fixture async throws in
                let began = clock.now
                #expect(await failure { try await fixture.names() } != nil)
                #expect(clock.now - began < .seconds(10))
            }
        }
    }

    @Test("a server that takes nothing more of what is sent is given up in time", .timeLimit(.minutes(1)))
    func stalled() async throws {
        let clock = ContinuousClock()
        try await withMute(taking: 1) { port in
            let file = try TemporaryFolder.make().appending("large")
            defer { TemporaryFolder.remove(file.removingLastComponent()) }
            try TemporaryFile.write(String(repeating: "x", count: 32 << 20), to: file)
            var timing = Timing()
            Self.limit(&timing)
            let link = try ServerLink(
                WebDAVSettings(address: try ServerAddress("http://127.0.0.1:\(port)/")), timing: timing)
            let began = clock.now
            let path = RemotePath.root.appending(try ItemName("large"))
            let request = ServerRequest(
                method: .PUT, path: path, body: .file(try FileParts(file)), timeout: nil)
            let answer = try await link.change(request, isRepeatable: false)
            #expect(answer.code == nil, "\(answer)")
            #expect(clock.now - began < .seconds(10))
            await link.close()
        }
    }

    @Test(
        "a server may take its time with a document when it has got all of it, and not for ever",
        .timeLimit(.minutes(1)))
    func digesting() async throws {
        for (pause, isTaken) in [(1500, true), (20_000, false)] as [(UInt32, Bool)] {
            try await Server.with { request, _ in
                request.method == "PUT" ? [.pause(pause), .bytes(Server.answer("201 Created"))] : nil
            } body: { server in
                let file = try TemporaryFolder.make().appending("some")
                defer { TemporaryFolder.remove(file.removingLastComponent()) }
                try TemporaryFile.write("some", to: file)
                var timing = Timing()
                Self.limit(&timing)
                let link = try ServerLink(WebDAVSettings(address: try ServerAddress(server.url)), timing: timing)
                let path = RemotePath.root.appending(try ItemName("some"))
                let signs = Counter()
                let parts = try FileParts(file, isWaiting: { signs.increase() })
                let request = ServerRequest(method: .PUT, path: path, body: .file(parts), timeout: nil)
                let answer = try await link.change(request, isRepeatable: false)
                #expect(answer.isSuccess == isTaken, "\(answer)")
                #expect(signs.value >= 2, "the host takes what is silent for a stall")
                await link.close()
            }
        }
    }

    @Test("what drips behind the answer to a change is not waited for", .timeLimit(.minutes(1)), arguments: [201, 500])
    func dripping(_ status: Int) async throws {
        try await Server.with { request, _ in
            let head = "HTTP/1.1 \(status) Something\r\nContent-Length: 1000\r\n\r\n"
            return [.bytes(Array(head.utf8))] + (0..<1000).flatMap { _ in [Server.Part.bytes([0x20]), .pause(50)] }
        } body: { server in
            let file = try TemporaryFolder.make().appending("some")
            defer { TemporaryFolder.remove(file.removingLastComponent()) }
            try TemporaryFile.write("some", to: file)
            var timing = Timing()
            Self.limit(&timing)
            let link = try ServerLink(WebDAVSettings(address: try ServerAddress(server.url)), timing: timing)
            let path = RemotePath.root.appending(try ItemName("some"))
            let request = ServerRequest(method: .PUT, path: path, body: .file(try FileParts(file)), timeout: nil)
            let clock = ContinuousClock()
            let began = clock.now
            let answer = try await link.change(request, isRepeatable: false)
            // What it has said counts.
            if status == 500 { #expect(answer.code == nil) } else { #expect(answer.isSuccess) }
            #expect(clock.now - began < .seconds(10))
            await link.close()
        }
    }

    @Test("all goes through the proxy of the settings, and what that refuses is told")
    func proxy() async throws {
        try await Server.with { request, _ in
            switch (request.method, request.target) {
            case ("CONNECT", "files.example:8080"): return [.bytes(Array("HTTP/1.1 200 Connected\r\n\r\n".utf8))]
            case ("CONNECT", _): return [.bytes(Server.answer("407 Proxy Authentication Required")), .close]
            default:
                let listing = [Server.response("/dav/", folder: true), Server.response("/dav/a.txt", length: 1)]
                return [.bytes(Server.multistatus(listing[0], listing[1]))]
            }
        } body: { server in
            let proxy = try ServerAddress(server.url, setting: "proxy")
            try await DomainFixture.with(url: "http://files.example:8080/dav/") { settings, _ in
                settings.proxy = proxy
            } body: { fixture async throws in
                #expect(try await fixture.names() == ["a.txt"])
                #expect(server.requests.map(\.method) == ["CONNECT", "PROPFIND"])
            }
            try await DomainFixture.with(url: "http://other.example/") { settings, _ in
                settings.proxy = proxy
            } body: { fixture async throws in
                let error = await failure { try await fixture.names() }
                #expect(error?.code == .serverUnreachable && error?.causes.contains { $0.contains("proxy") } == true)
            }
        }
    }

    @Test("a token is sent as it is, and lets in whom the server lets in")
    func bearer() async throws {
        try await Server.with { request, _ in
            request.headers["authorization"] == "Bearer t0ken-4711"
                ? [.bytes(Server.multistatus(Server.response("/", folder: true), Server.response("/a", length: 1)))]
                : [.bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Bearer"]))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { settings, _ in
                settings.credentials = .bearer("t0ken-4711")
            } body: { fixture async throws in
                #expect(try await fixture.names() == ["a"])
            }
        }
    }

    @Test("PROV-22: a password that got no verdict is not sent by all who wait at once")
    func noVerdict() async throws {
        try await Server.with { _, number in
            number == 0
                ? [.pause(100), .close]
                : [.pause(100), .bytes(Server.answer("401 Unauthorized", ["WWW-Authenticate: Basic realm=\"x\""]))]
        } body: { server in
            try await DomainFixture.with(url: server.url) { settings, timing in
                settings.credentials = .basic(user: "ann", password: "old")
                timing.retrying = RetryPlan.Limits(attempts: 1)
            } body: { fixture async throws in
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 { group.addTask { _ = await failure { try await fixture.names() } } }
                }
                // One without a verdict, one that is refused, and one that makes sure.
                #expect(server.requests.count == 3)
            }
        }
    }
}
