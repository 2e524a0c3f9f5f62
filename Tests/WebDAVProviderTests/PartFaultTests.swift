import AsyncHTTPClient
import DocumentModel
import DocumentProvider
import DocumentTestSupport
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import WebDAVProvider

/// What servers, and what is between them and here, do to parts of contents on bad days.
@Suite("Faults on the way of parts of contents", .serialized)
struct PartFaultTests {
    private typealias Server = FaultServer
    private static let part: Range<Int64> = 60_000..<150_000

    /// How a server that knows what parts are answers.
    private static func right(_ request: Server.Request, cut: Int? = nil, tag: String = "\"v1\"") -> [UInt8] {
        let range = (request.headers["range"] ?? "").dropFirst(6).split(separator: "-").compactMap { Int($0) }
        let (first, last) = (range.first ?? 0, range.last ?? 0)
        let body = Server.contents[first...last]
        let answer = Server.answer(
            "206 Partial Content", ["Content-Range: bytes \(first)-\(last)/\(Server.contents.count)", "ETag: \(tag)"],
            Array(body))
        return cut.map { answer.dropLast(max(0, body.count - $0)) } ?? answer
    }

    /// Asks for the part of the document.
    private func provide(
        _ fixture: DomainFixture, _ range: Range<Int64> = part, _ transfer: Transfer = Transfer()
    ) async throws -> (item: Item, contents: [UInt8]) {
        let version = try await fixture.domain.item(for: ItemIdentifier("doc")).version.content
        let file = try fixture.newStagingFile()
        let item = try await fixture.domain.provide(
            range, of: try ItemIdentifier("doc"), contentVersion: version, at: file, transfer)
        return (item, try DomainFixture.read(file))
    }

    @Test("DOWN-10: a part that is cut goes on where it was, in its place, and nothing else is written")
    func resume() async throws {
        let script = Server.document(Server.contents) { request, number in
            number < 3 ? [.bytes(Self.right(request, cut: 20_000)), .close] : [.bytes(Self.right(request))]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let provided = try await provide(fixture)
                let (first, end) = (Int(Self.part.lowerBound), Int(Self.part.upperBound))
                #expect(provided.contents.count == end)
                #expect(provided.contents[..<first].allSatisfy { $0 == 0 })
                #expect(provided.contents[first...] == Server.contents[first..<end])
                #expect(provided.item.size == Int64(Server.contents.count))
                let gets = server.requests.filter { $0.method == "GET" }
                let starts = gets.compactMap {
                    $0.headers["range"].flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) }
                }
                #expect(starts.count == 4 && starts == starts.sorted() && Set(starts).count == 4 && starts[0] == first)
                #expect(gets.allSatisfy { $0.headers["range"]?.hasSuffix("-\(end - 1)") == true })
                #expect(gets.allSatisfy { $0.headers["if-range"] == "\"v1\"" })
            }
        }
    }

    @Test(
        "INV-9: a part of other contents is not taken, whatever the server calls it; where nothing has changed, the whole comes",
        arguments: ["200 OK", "206 Partial Content"])
    func exchanged(_ status: String) async throws {
        let script = Server.document(Server.contents) { request, _ in
            status.hasPrefix("206")
                ? [.bytes(Self.right(request, tag: "\"v2\""))]
                : [.bytes(Server.answer(status, ["ETag: \"v2\""], Server.contents))]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await provide(fixture) }?.code == .unimplemented)
                #expect(await failure { try await fixture.provide("doc") }?.code != .unimplemented)
            }
        }
    }

    @Test("one answer with all of it is no proof that a server gives no parts: it is asked for some again later")
    func withoutPartsOnce() async throws {
        let script = Server.document(Server.contents) { request, number in
            number == 0
                ? [.bytes(Server.answer("200 OK", ["ETag: \"v1\""], Server.contents))] : [.bytes(Self.right(request))]
        }
        let later = Flag(false)
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { _, timing in
                timing.now = { .now + (later.value ? .seconds(601) : .zero) }
            } body: { fixture async throws in
                for _ in 0..<2 { #expect(await failure { try await provide(fixture) }?.code == .unimplemented) }
                later.set(true)
                let end = Int(Self.part.upperBound)
                #expect(try await provide(fixture).contents.count == end)
            }
        }
    }

    @Test("a server that sends all of it where a part was asked for gives no parts, and is not asked for any again")
    func withoutParts() async throws {
        let script = Server.document(Server.contents) { _, _ in
            [.bytes(Server.answer("200 OK", ["ETag: \"v1\""], Server.contents))]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await provide(fixture) }?.code == .unimplemented)
                #expect(await failure { try await provide(fixture) }?.code == .unimplemented)
                #expect(server.requests.count { $0.method == "GET" } == 1)
                // The whole is had as ever.
                #expect(try await fixture.provide("doc").contents == Server.contents)
            }
        }
    }

    @Test(
        "a part that does not fit what was asked for is not written",
        arguments: [
            "Content-Range: bytes 0-89999/200000", "Content-Range: bytes 60000-199999/200000",
            "Content-Range: nonsense", "X-None: 1",
        ])
    func wrongParts(_ range: String) async throws {
        let script = Server.document(Server.contents) { _, _ in
            [.bytes(Server.answer("206 Partial Content", [range, "ETag: \"v1\""], "rubbish"))]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await provide(fixture) }?.code == .unimplemented)
            }
        }
    }

    @Test("more bytes than were asked for are not written")
    func tooMuch() async throws {
        let script = Server.document(Server.contents) { _, _ in
            let head = ["Content-Range: bytes 60000-149999/200000", "ETag: \"v1\""]
            return [
                .bytes(Server.answer("206 Partial Content", head, Array(Server.contents[60_000..<170_000]))), .close,
            ]
        }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                let version = try await fixture.domain.item(for: ItemIdentifier("doc")).version.content
                let file = try fixture.newStagingFile()
                _ = await failure {
                    try await fixture.domain.provide(
                        Self.part, of: try ItemIdentifier("doc"), contentVersion: version, at: file, Transfer())
                }
                #expect(try DomainFixture.read(file).count <= Int(Self.part.upperBound))
            }
        }
    }

    @Test("a part that there is not, and a version that there is not, are said as such")
    func beyond() async throws {
        let script = Server.document(Server.contents) { request, _ in [.bytes(Self.right(request))] }
        try await Server.with(script) { server in
            try await DomainFixture.with(url: server.url) { fixture async throws in
                #expect(await failure { try await provide(fixture, 150_000..<200_001) }?.code == .invalidArgument)
                let file = try fixture.newStagingFile()
                let error = await failure {
                    try await fixture.domain.provide(
                        Self.part, of: try ItemIdentifier("doc"), contentVersion: [1, 2, 3], at: file, Transfer())
                }
                #expect(error?.code == .versionNoLongerAvailable)
                #expect(try DomainFixture.read(file).isEmpty)
            }
        }
    }

    // MARK: A server that stands still

    /// - Parameter silent: which questions what the document is get no answer, the first of all for its version.
    private func standingStill(
        at silent: Set<Int>, _ body: (DomainFixture) async throws -> Void
    ) async throws {
        let script = Server.document(Server.contents) { request, _ in [.bytes(Self.right(request))] }
        try await Server.with(script) { server in
            let clock = SteppedClock()
            let way = try HaltingWay(to: server.url, silent: silent, clock)
            try await DomainFixture.with(url: server.url, transport: way) { _, timing in
                timing.now = { clock.now }
                timing.pause = { pause in
                    clock.advance(by: pause)
                    try await Task.sleep(for: .milliseconds(1))
                }
            } body: { fixture async throws in
                try await body(fixture)
            }
        }
    }

    @Test(
        "DOWN-10: a server that does not answer, before a part or after it, what the document is is asked once more",
        arguments: [1, 2])
    func standsStill(_ number: Int) async throws {
        try await standingStill(at: [number]) { fixture async throws in
            let heartbeats = Counter()
            let transfer = Transfer { if $0 == nil { heartbeats.increase() } }
            let provided = try await provide(fixture, Self.part, transfer)
            let (first, end) = (Int(Self.part.lowerBound), Int(Self.part.upperBound))
            #expect(provided.contents.count == end)
            #expect(provided.contents[first...] == Server.contents[first..<end])
            #expect(heartbeats.value > 0, "the host would take it for stuck")
        }
    }

    @Test(
        "a server that does not answer the second time, either, counts as away, and is looked for", arguments: [1, 2])
    func standsStillForLonger(_ number: Int) async throws {
        try await standingStill(at: [number, number + 1]) { fixture async throws in
            let error = await failure { try await provide(fixture) }
            #expect(error?.code == .serverUnreachable, "\(error as Any)")
            try await eventually { fixture.reachable.value > 0 }
        }
    }
}

/// Goes on when it is told to.
private final class SteppedClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }

    func advance(by duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
}

/// The way to a server that does not answer some of the questions what its document is, until their time is up.
private final class HaltingWay: ServerTransport {
    private let way: HTTPTransport
    private let silent: Set<Int>
    private let clock: SteppedClock
    private let asked = Mutex(0)

    init(to url: String, silent: Set<Int>, _ clock: SteppedClock) throws {
        way = try HTTPTransport(WebDAVSettings(address: try ServerAddress(url)), timing: Timing())
        self.silent = silent
        self.clock = clock
    }

    func execute(
        _ request: HTTPClientRequest, sendsContents: Bool, deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        if request.method == .PROPFIND, request.url.hasSuffix("/doc") {
            let number = asked.withLock { asked in
                defer { asked += 1 }
                return asked
            }
            if silent.contains(number) {
                clock.advance(by: .seconds(20))
                throw HTTPClientError.deadlineExceeded
            }
        }
        return try await way.execute(request, sendsContents: sendsContents, deadline: deadline)
    }

    func shutdown() async { await way.shutdown() }
}
