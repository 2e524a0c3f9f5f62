import AsyncHTTPClient
import DocumentModel
import Synchronization
import Testing

@testable import WebDAVProvider

/// One simulated server, hosts that change and look at documents there, and a clock that goes on when somebody waits.
final class ClaimScene: @unchecked Sendable {
    /// Longer than anybody is waited for.
    static let age = Duration.seconds(1_001)
    private static let began: Int64 = 1_700_000_000

    private let turn = Mutex(())
    private let server: SimulatedServer
    private let kind: RealServer.Kind
    private let passed: Passed

    /// How much time has passed.
    private final class Passed: Sendable {
        private let time = Mutex(Duration.zero)
        var value: Duration { time.withLock { $0 } }
        func add(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    /// A server with the document “x”, and an empty folder “F”.
    init(_ kind: RealServer.Kind) throws {
        let passed = Passed()
        var manner: SimulatedServer.Manner
        switch kind {
        case .lighttpd: manner = .lighttpd
        case .apache: manner = .apache
        case .nginx: manner = .nginx
        case .rclone: manner = .rclone
        case .wsgidav: manner = .wsgidav
        }
        manner.hidesDotNames = kind == .nginx
        (self.kind, self.passed) = (kind, passed)
        server = SimulatedServer(manner) { ClaimScene.began + passed.value.components.seconds }
        server.put(Array("one".utf8), at: .root.appending(try ItemName("x")))
        _ = server.makeFolder(.root.appending(try ItemName("F")))
        pass(.seconds(10))
    }

    func pass(_ duration: Duration) { passed.add(duration) }

    func answer(_ request: SimulatedServer.Request) -> HTTPClientResponse {
        turn.withLock { _ in server.answer(request) }
    }

    /// Nil where nothing is.
    func text(_ id: String) throws -> String? {
        let path = try #require(RemotePath(try ItemIdentifier(id)))
        let bytes = turn.withLock { _ in server.nodes[path]?.bytes }
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// All that is on the server.
    var paths: [RemotePath] { turn.withLock { _ in Array(server.nodes.keys) } }

    /// Whether a document lies in somebody's claim.
    var hasTaken: Bool { paths.contains { $0.name == ClaimNames.old } }

    /// One host: its provider, and its way to the server.
    func host<Result>(
        lifetime: Int = .max, before: @escaping MortalWay.Before = { _, _, _ in },
        _ body: (WritingFixture, MortalWay) async throws -> Result
    ) async throws -> Result {
        let url = "http://127.0.0.1:1/dav/"
        let way = MortalWay(in: self, at: try ServerAddress(url), lifetime: lifetime, before: before)
        let start = ContinuousClock.now
        return try await WritingFixture.with(kind, url: url, transport: way) { [passed] _, timing in
            timing.retrying = RetryPlan.Limits(attempts: 1)
            timing.abandoned = .seconds(1_000)
            timing.now = { start + passed.value }
            let sign = timing.sign
            timing.pause = { pause in
                // Who watches what is sent waits, and is called off.
                if pause == sign { return try await Task.sleep(for: pause) }
                passed.add(pause)
            }
        } body: {
            try await body($0, way)
        }
    }

    /// A host that is not there any more, and comes from nowhere, looks for “x” until nothing changes there: by its name, and in the
    /// listing of its folder.
    func settle() async throws {
        try await host { other, _ in
            for _ in 0..<6 {
                _ = await failure { try await other.domain.item(for: ItemIdentifier("x")) }
                _ = try await other.names()
                pass(Self.age)
            }
        }
    }
}
