import DocumentModel
import DocumentTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import WebDAVProvider

/// What others do in the moments between the steps of a change under a claim, and how long they are waited for.
@Suite("Changes under a claim, and what comes between", .serialized)
struct ClaimFaultTests {
    private typealias Server = FaultServer

    @Test("a document that was to be renamed is kept when others have taken both names meanwhile")
    func renameBetween() async throws {
        let hasTaken = Flag(false)
        try await RealServer.with(.apache) { real in
            try await Server.with(upstream: real.port) { request, _ in
                if request.method == "MOVE", request.headers["destination"]?.hasSuffix("/\(ClaimNames.old)") == true {
                    hasTaken.set(true)
                } else if hasTaken.value {
                    hasTaken.set(false)
                    for name in ["x", "y"] { try? real.write("of others", to: "data/\(name)") }
                }
                return nil
            } body: { way in
                try await WritingFixture.with(.apache, url: way.url) { fixture async throws in
                    let made = try await fixture.create("x", "the only one")
                    let error = await failure { try await fixture.move("x", to: "y", base: made.version) }
                    #expect(error?.code == .nameCollision, "\(error as Any)")
                    let names = try real.names(in: "data").filter { $0 != ".DAV" }
                    let kept = try #require(names.first { $0.hasPrefix("x (kept by Docent") })
                    #expect(try real.read("data/\(kept)") == "the only one")
                    #expect(names.count == 3, "\(names)")
                }
            }
        }
    }

    /// A clock that goes on when somebody waits, and when contents are sent.
    private final class Times: Sendable {
        private let passed = Mutex(Duration.zero)
        private let start = ContinuousClock.now
        var now: ContinuousClock.Instant { start + passed.withLock { $0 } }
        func pass(_ time: Duration) { passed.withLock { $0 += time } }
    }

    /// A large document, and somebody else's claim on it.
    ///
    /// - Parameters:
    ///   - isEarly: whether it is there before contents are sent, or comes while they are.
    ///   - lasting: how long it stays.
    private func withClaim(
        isEarly: Bool, lasting: Duration,
        _ body: (RealServer, Server, _ change: @Sendable () async throws -> Item) async throws -> Void
    ) async throws {
        let times = Times()
        let since = Mutex<ContinuousClock.Instant?>(nil)
        let text = String(repeating: "x", count: 100_000)
        try await RealServer.with(.apache) { real in
            let claim = "data/\(try OwnNames.claim(on: RemoteName("note")))"
            try await Server.with(upstream: real.port) { request, _ in
                if request.method == "PUT", request.body.count == text.utf8.count {
                    times.pass(.seconds(60))
                    if !isEarly { try? real.makeFolder("\(claim)/op-theirs") }
                    since.withLock { $0 = $0 ?? times.now }
                }
                return nil
            } body: { way in
                try await WritingFixture.with(.apache, url: way.url) { _, timing in
                    timing.now = { times.now }
                    let sign = timing.sign
                    timing.pause = { pause in
                        if pause == sign { return try await Task.sleep(for: pause) }
                        times.pass(pause)
                        guard since.withLock({ $0.map { times.now - $0 >= lasting } ?? false }) else { return }
                        try? Loopback.run("/bin/rm", ["-rf", real.base.appending(claim).string])
                    }
                } body: { fixture async throws in
                    let made = try await fixture.create("note", "one")
                    if isEarly {
                        try real.makeFolder("\(claim)/op-theirs")
                        since.withLock { $0 = times.now }
                    }
                    try await body(real, way) { try await fixture.change("note", text, base: made.version) }
                }
            }
        }
    }

    private func uploads(_ server: Server) -> Int {
        server.requests.count { $0.method == "PUT" && $0.body.count == 100_000 }
    }

    @Test("who has sent contents for long waits for others as long as everybody, and does not send them once more")
    func patienceAfterSending() async throws {
        try await withClaim(isEarly: false, lasting: .seconds(10)) { real, way, change async throws in
            _ = try await change()
            #expect(uploads(way) == 1)
            #expect(try real.read("data/note").utf8.count == 100_000)
        }
    }

    @Test("nothing large is sent while somebody else changes the document", arguments: [10, 60])
    func patienceBeforeSending(_ seconds: Int) async throws {
        try await withClaim(isEarly: true, lasting: .seconds(seconds)) { real, way, change async throws in
            let error = await failure { try await change() }
            #expect(error?.code == (seconds == 60 ? .busy : nil), "\(error as Any)")
            #expect(uploads(way) == (seconds == 60 ? 0 : 1))
        }
    }

    @Test("of many claims in a folder each gets its turn, whatever keeps the others")
    func turns() throws {
        let watch = ClaimWatch()
        let all = try (0..<40).map { try RemoteName("c\(10 + $0)") }
        var seen: Set<RemoteName> = []
        for _ in 0..<3 {
            let turn = watch.turn(of: all, in: .root, count: 16)
            #expect(turn.count == 16)
            seen.formUnion(turn)
        }
        #expect(seen == Set(all))
        #expect(watch.turn(of: Array(all.prefix(3)), in: .root, count: 16) == Array(all.prefix(3)))
    }
}
