import DocumentModel
import DocumentTestSupport
import NIOHTTP1
import Synchronization
import SystemPackage
import Testing

@testable import WebDAVProvider

/// Uploads that break off, and servers that keep something else than they were sent, in front of servers that people run:
/// one that is written to by claims, and one by conditions.
@Suite("RS-4: what was sent is what counts", .serialized)
struct UploadFaultTests {
    private typealias Server = FaultServer

    private static let old = "the old contents"
    private static let new = String(repeating: "new contents ", count: 30_000)
    private static let ways: [RealServer.Kind] = [.nginx, .lighttpd]

    /// Whether it sends contents of a document, and not what Docent itself writes down.
    private static func isContents(_ request: Server.Request, least: Int = 1000) -> Bool {
        request.method == "PUT" && request.headers["content-length"].flatMap { Int($0) } ?? 0 >= least
    }

    /// A document on a real server, and faults before it.
    ///
    /// - Parameters:
    ///   - cut: of an attempt to send contents, counted from 0.
    ///   - garbled: what is kept of one.
    private func withDocument(
        _ kind: RealServer.Kind, cut: @escaping @Sendable (Int) -> Server.Cut? = { _ in nil },
        garbled: @escaping @Sendable (Int, [UInt8]) -> [UInt8]? = { _, _ in nil },
        _ body: (RealServer, Server, WritingFixture, ItemVersion) async throws -> Void
    ) async throws {
        let attempts = Mutex(0)
        try await RealServer.with(kind) { real in
            try real.write(Self.old, to: "data/note")
            try Loopback.run("/usr/bin/touch", ["-d", "2026-01-01", real.base.appending("data/note").string])
            try await Server.with(upstream: real.port) { head, _ in
                guard Self.isContents(head) else { return nil }
                let cut = cut(attempts.withLock { $0 })
                if cut != nil { attempts.withLock { $0 += 1 } }
                return cut
            } _: { request, _ in
                guard Self.isContents(request) else { return nil }
                let attempt = attempts.withLock { count in
                    count += 1
                    return count - 1
                }
                return garbled(attempt, request.body).map { body in
                    var other = request
                    other.body = body
                    return [.handOn(other)]
                }
            } body: { way in
                try await WritingFixture.with(kind, url: way.url) { _, timing in
                    timing.retrying.firstPause = .milliseconds(10)
                } body: { fixture async throws in
                    let base = try await fixture.domain.item(for: ItemIdentifier("note")).version
                    try await body(real, way, fixture, base)
                }
            }
        }
    }

    /// Nothing of Docent's own is left.
    private func expectOnlyDocuments(_ server: RealServer) throws {
        #expect(try server.names(in: "data").filter { $0 != ".DAV" } == ["note"])
    }

    @Test(
        "an upload that is cut, and leaves other bytes of the right length, is never taken for the document",
        arguments: ways)
    func cutAndFilled(_ kind: RealServer.Kind) async throws {
        let length = Self.new.utf8.count
        try await withDocument(kind) { attempt in
            attempt > 0 ? nil : .init(after: length / 2) { $0 + Array(repeating: 0, count: length - $0.count) }
        } _: { real, way, fixture, base in
            let outcome = await failure { try await fixture.change("note", Self.new, base: base) }
            if kind == .nginx {
                #expect(outcome == nil, "\(outcome as Any)")
                #expect(try real.read("data/note") == Self.new)
            } else {
                // It came to its place: what was there is gone, and what is to be there is not said to be.
                #expect(outcome?.code == .versionNoLongerAvailable)
            }
            #expect(way.requests.count { Self.isContents($0) } == (kind == .nginx ? 2 : 1))
            try expectOnlyDocuments(real)
        }
    }

    @Test("an upload that is cut when all of it has arrived is not sent once more", arguments: ways)
    func cutAtTheEnd(_ kind: RealServer.Kind) async throws {
        try await withDocument(kind) { attempt in
            attempt > 0 ? nil : .init(after: Self.new.utf8.count) { $0 }
        } _: { real, way, fixture, base in
            let changed = try await fixture.change("note", Self.new, base: base)
            #expect(changed.size == Int64(Self.new.utf8.count) && changed.version.content != base.content)
            #expect(try real.read("data/note") == Self.new)
            #expect(way.requests.count { Self.isContents($0) } == 1)
            try expectOnlyDocuments(real)
        }
    }

    @Test("what a server has kept wrong after a cut, and said to have, is sent once more", arguments: ways)
    func garbledAfterCut(_ kind: RealServer.Kind) async throws {
        try await withDocument(kind) { attempt in
            attempt == 0 ? .init(after: 5000) : nil
        } garbled: { attempt, body in
            attempt == 1 ? Array(body.dropLast(body.count - 5000)) + Array(repeating: 0, count: body.count - 5000) : nil
        } _: { real, way, fixture, base in
            let changed = try await fixture.change("note", Self.new, base: base)
            #expect(try real.read("data/note") == Self.new)
            #expect(
                try await fixture.domain.item(for: ItemIdentifier("note")).version.content == changed.version.content)
            #expect(way.requests.count { Self.isContents($0) } == 3)
            try expectOnlyDocuments(real)
        }
    }

    @Test(
        "contents that a server keeps wrong without any cut are seen before they become the document",
        arguments: [100_000, 6 << 20])
    func garbled(_ length: Int) async throws {
        let new = String(repeating: "x", count: length)
        try await withDocument(
            .nginx,
            garbled: { attempt, body in
                attempt == 0 ? Array(body.dropLast(1000)) + Array(repeating: 0, count: 1000) : nil
            }
        ) { real, way, fixture, base in
            _ = try await fixture.change("note", new, base: base)
            #expect(try real.read("data/note") == new)
            #expect(way.requests.count { Self.isContents($0) } == 2)
            // Of large contents that came clean not all comes back.
            let asked = way.requests.filter { $0.method == "GET" && $0.target.contains(".docent") }
            let parts = asked.count { $0.headers["range"] != nil }
            // Of what is sent once more all of it does.
            #expect(parts == (length > ServerLink.fewBytes ? 1 : 0) && asked.count > parts, "\(asked.map(\.head))")
            try expectOnlyDocuments(real)
        }
    }

    @Test("a server that never keeps what it is sent gets no document changed, and that is an error", arguments: ways)
    func alwaysGarbled(_ kind: RealServer.Kind) async throws {
        try await withDocument(kind) { attempt in
            attempt == 0 ? .init(after: 5000) : nil
        } garbled: { _, body in
            Array(repeating: 0, count: body.count)
        } _: { real, way, fixture, base in
            let error = await failure { try await fixture.change("note", Self.new, base: base) }
            #expect(error?.description.contains("does not keep contents") == true, "\(error as Any)")
            #expect(way.requests.count { Self.isContents($0) } <= 6)
            if kind == .nginx { #expect(try real.read("data/note") == Self.old) }
            try expectOnlyDocuments(real)
        }
    }
}
