import DocumentModel
import DocumentTestSupport
import Synchronization
import Testing

@testable import WebDAVProvider

/// What servers tell of changes by themselves (RFC 6578), and what they only say that they tell.
@Suite("Changes on the server", .serialized)
struct ChangesTests {
    private func with(
        _ extent: SyncServer.Extent, guarantee: Guarantee? = .conditionalChanges,
        adjust: (inout Timing) -> Void = { _ in },
        body: (SyncServer, DomainFixture, FaultServer) async throws -> Void
    ) async throws {
        let remote = SyncServer(extent)
        remote.put("a.txt")
        remote.put("Folder", size: nil)
        remote.put("Folder/b.txt")
        try await FaultServer.with(remote.script) { server in
            try await DomainFixture.with(url: server.url, writing: guarantee) { _, timing in
                adjust(&timing)
            } body: { fixture async throws in
                try await body(remote, fixture, server)
            }
        }
    }

    private func all(
        since anchor: SyncAnchor, _ domain: WebDAVDomain, count: Int = 100
    ) async throws -> (updated: Set<String>, deleted: Set<String>, pages: Int, anchor: SyncAnchor) {
        var (updated, deleted, pages, anchor) = (Set<String>(), Set<String>(), 0, anchor)
        while true {
            let page = try await domain.changes(since: anchor, suggestedCount: count)
            for item in page.updated {
                updated.insert(item.id.rawValue)
                deleted.remove(item.id.rawValue)
            }
            for id in page.deleted {
                deleted.insert(id.rawValue)
                updated.remove(id.rawValue)
            }
            pages += 1
            anchor = page.anchor
            guard page.more, pages < 100 else { return (updated, deleted, pages, anchor) }
        }
    }

    @Test("what is new, changed and gone anywhere below the top folder is told, once")
    func everything() async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            let anchor = try await fixture.domain.currentAnchor()
            #expect(try await all(since: anchor, fixture.domain).updated == [])
            remote.put("Folder/b.txt", size: 2)
            remote.put("Folder/Inner", size: nil)
            remote.put("Folder/Inner/%C3%BC%20c.txt")
            remote.remove("a.txt")
            let told = try await all(since: anchor, fixture.domain)
            #expect(told.updated == ["Folder/b.txt", "Folder/Inner", "Folder/Inner/ü c.txt"])
            #expect(told.deleted == ["a.txt"])
            #expect(try await all(since: anchor, fixture.domain).updated == told.updated, "An anchor is good twice.")
            let after = try await all(since: told.anchor, fixture.domain)
            #expect(after.updated.isEmpty && after.deleted.isEmpty)
            let page = try await fixture.domain.changes(since: anchor, suggestedCount: 100)
            let changed = try #require(page.updated.first { $0.id.rawValue == "Folder/b.txt" })
            #expect(try await fixture.domain.item(for: changed.id) == changed)
        }
    }

    @Test("an answer that the server has cut off is continued until all is told")
    func paging() async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            let anchor = try await fixture.domain.currentAnchor()
            let names = Set((0..<50).map { "doc-\($0)" })
            for name in names { remote.put(name) }
            // The server's own limit is smaller than what is asked for, and the other way round.
            for (limit, count) in [(7, 500), (1000, 11)] {
                remote.state.withLock { $0.limit = limit }
                let told = try await all(since: anchor, fixture.domain, count: count)
                #expect(told.updated == names)
                #expect(told.pages == 50 / min(limit, count) + 1)
            }
        }
    }

    @Test("with a folder goes all that was seen in it, also where the server names the folder only")
    func removedFolder() async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            let folder = try ItemIdentifier("Folder")
            _ = try await fixture.names()
            _ = try await fixture.names(in: folder)
            let anchor = try await fixture.domain.currentAnchor()
            remote.remove("Folder")
            remote.state.withLock { $0.changed["Folder/b.txt"] = 0 }
            #expect(try await all(since: anchor, fixture.domain).deleted == ["Folder", "Folder/b.txt"])
        }
    }

    @Test("PROV-22: what the server tells as gone, and has all the same, is not gone")
    func falseRemoval() async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            let anchor = try await fixture.domain.currentAnchor()
            let names = Set((0..<20).map { "doc-\($0)" })
            for name in names { remote.put(name) }
            remote.put("Folder", size: nil)
            remote.state.withLock { $0.lies = names.union(["Folder"]) }
            let told = try await all(since: anchor, fixture.domain)
            #expect(told.updated == names.union(["Folder"]))
            #expect(told.deleted == [])
        }
    }

    @Test("PROV-22: what the server tells as gone is not gone while somebody claims it", arguments: [1, 20])
    func claimedRemoval(_ count: Int) async throws {
        try await with(.everything) { timing in
            timing.gap = .milliseconds(1)
        } body: { remote, fixture, _ async throws in
            let names = (0..<count).map { "doc-\($0)" }
            for name in names { remote.put(name) }
            let anchor = try await fixture.domain.currentAnchor()
            // Somebody has taken one away to change it.
            let claim = try OwnNames.claim(on: RemoteName("doc-0")).rawValue
            for path in [claim, "\(claim)/op-theirs"] { remote.put(path, size: nil) }
            for name in names { remote.remove(name) }
            let error = await failure { try await fixture.domain.changes(since: anchor, suggestedCount: 100) }
            #expect(error?.code.errorClass == .transient, "\(error as Any)")
            remote.remove(claim)
            #expect(try await all(since: anchor, fixture.domain).deleted == Set(names))
        }
    }

    @Test(
        "a token that the server does not know any more has expired, however it says so",
        arguments: ["403 Forbidden", "409 Conflict", "412 Precondition Failed"])
    func expiry(_ status: String) async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            let anchor = try await fixture.domain.currentAnchor()
            remote.state.withLock { $0.answer = SyncServer.refusal(status, "valid-sync-token") }
            let error = await failure { try await fixture.domain.changes(since: anchor, suggestedCount: 10) }
            #expect(error?.code == .anchorExpired)
            remote.state.withLock { $0.answer = nil }
            remote.put("new")
            #expect(try await all(since: anchor, fixture.domain).updated == ["new"])
        }
    }

    @Test("an anchor that was damaged, or is another server's or user's, has expired, and the server is not asked")
    func foreignAnchor() async throws {
        try await with(.everything) { _, fixture, server async throws in
            let anchor = try await fixture.domain.currentAnchor()
            let count = server.requests.count
            let token = try #require(FeedAnchor(anchor, of: fixture.domain.link.address, for: ""))
            let other = try token.anchor(of: try ServerAddress("https://example.org/"), for: "")
            let another = try token.anchor(of: fixture.domain.link.address, for: "ann")
            let foreign = [other.bytes, another.bytes, Array("nonsense".utf8)]
            for bytes in [anchor.bytes + [1], Array(anchor.bytes.dropLast())] + foreign {
                let error = await failure {
                    try await fixture.domain.changes(since: try SyncAnchor(bytes), suggestedCount: 10)
                }
                #expect(error?.code == .anchorExpired)
            }
            #expect(server.requests.count == count)
        }
    }

    @Test(
        "a server that cannot tell of everything has no feed, whatever it says",
        arguments: [
            SyncServer.Extent.none, SyncServer.Extent.liar, SyncServer.Extent.folderForAll, SyncServer.Extent.folder,
        ])
    func noFeed(_ extent: SyncServer.Extent) async throws {
        try await with(extent) { remote, fixture, server async throws in
            let error = await failure { try await fixture.domain.currentAnchor() }
            #expect(error?.code == .unimplemented)
            let count = server.requests.count
            _ = await failure { try await fixture.domain.currentAnchor() }
            #expect(server.requests.count == count, "It is found out once.")
            #expect(remote.state.withLock { $0.resources.keys.filter { $0.hasPrefix(".docent") } } == [])
            // Folders are listed as ever.
            #expect(try await fixture.names() == ["Folder", "a.txt"])
            remote.put("new")
            remote.remove("a.txt")
            #expect(try await fixture.names() == ["Folder", "new"])
        }
    }

    @Test("a server that has told of changes, and refuses from some day on, has no feed any more")
    func endOfFeed() async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            let anchor = try await fixture.domain.currentAnchor()
            remote.state.withLock { $0.extent = .liar }
            let first = await failure { try await fixture.domain.changes(since: anchor, suggestedCount: 10) }
            #expect(first?.code == .anchorExpired)
            let second = await failure { try await fixture.domain.currentAnchor() }
            #expect(second?.code == .unimplemented)
        }
    }

    @Test("where nothing may be made it cannot be tried, so folders are listed")
    func readOnly() async throws {
        try await with(.everything, guarantee: nil) { remote, fixture, server async throws in
            let error = await failure { try await fixture.domain.currentAnchor() }
            #expect(error?.code == .unimplemented)
            #expect(!server.requests.contains { $0.method == "MKCOL" })
        }
    }

    @Test("a folder that was listed is brought up to date by what has changed in it, and listed anew when that fails")
    func keptListing() async throws {
        try await with(.folder) { remote, fixture, server async throws in
            _ = await failure { try await fixture.domain.currentAnchor() }
            #expect(try await fixture.names() == ["Folder", "a.txt"])
            func listings() -> Int { server.requests.count { $0.headers["depth"] == "1" && $0.target == "/" } }
            let before = listings()
            remote.put("new")
            remote.put("newer")
            remote.state.withLock { $0.limit = 1 }
            #expect(try await fixture.names() == ["Folder", "a.txt", "new", "newer"])
            #expect(listings() == before)
            remote.remove("a.txt")
            #expect(try await fixture.names() == ["Folder", "new", "newer"])
            #expect(
                listings() == before + 3,
                "That something is gone is believed when it is not listed, nor the next two times a moment later.")
            remote.state.withLock { $0.oldest = $0.now + 1 }
            remote.put("newest")
            #expect(try await fixture.names() == ["Folder", "new", "newer", "newest"])
            #expect(listings() == before + 4)
            remote.state.withLock { $0.extent = .liar }
            remote.put("other")
            #expect(try await fixture.names() == ["Folder", "new", "newer", "newest", "other"])
        }
    }

    @Test("PROV-22: what a server of folders tells as gone, and lists all the same, is not gone")
    func falseRemovalInFolder() async throws {
        try await with(.folder) { remote, fixture, _ async throws in
            _ = await failure { try await fixture.domain.currentAnchor() }
            #expect(try await fixture.names() == ["Folder", "a.txt"])
            remote.put("a.txt", size: 2)
            remote.put("Folder", size: nil)
            remote.state.withLock { $0.lies = ["a.txt", "Folder"] }
            #expect(try await fixture.names() == ["Folder", "a.txt"])
        }
    }

    static let unreadableResponses = [
        "<D:status>HTTP/1.1 403 Forbidden</D:status>", "<D:status>HTTP/1.1 500 Internal Server Error</D:status>",
        "<D:status>nonsense</D:status>", "",
        "<D:propstat><D:prop><D:getetag/></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>",
        "<D:propstat><D:prop><D:getcontentlength>1</D:getcontentlength></D:prop><D:status>?</D:status></D:propstat>",
    ]

    @Test(
        "a change of which nothing can be known but that there is one is not passed over",
        arguments: ChangesTests.unreadableResponses)
    func unreadable(_ response: String) async throws {
        let answer = FaultServer.multistatus(
            FaultServer.response("/new", length: 1), "<D:response><D:href>/a.txt</D:href>\(response)</D:response>",
            "<D:sync-token>urn:t:9</D:sync-token>")
        try await with(.everything) { remote, fixture, _ async throws in
            let anchor = try await fixture.domain.currentAnchor()
            remote.state.withLock { $0.answer = answer }
            let error = await failure { try await fixture.domain.changes(since: anchor, suggestedCount: 10) }
            #expect(error?.code == .anchorExpired)
        }
        try await with(.folder) { remote, fixture, server async throws in
            _ = await failure { try await fixture.domain.currentAnchor() }
            _ = try await fixture.names()
            let before = server.requests.count { $0.headers["depth"] == "1" }
            remote.state.withLock { $0.answer = answer }
            #expect(try await fixture.names() == ["Folder", "a.txt"])
            #expect(server.requests.count { $0.headers["depth"] == "1" } == before + 1)
        }
    }

    @Test("a server that says again and again that there is more in a folder has it listed")
    func endlessFolder() async throws {
        try await with(.folder) { remote, fixture, server async throws in
            _ = await failure { try await fixture.domain.currentAnchor() }
            _ = try await fixture.names()
            let names = (0..<80).map { "doc-\($0)" }
            for name in names { remote.put(name) }
            remote.state.withLock { $0.limit = 1 }
            let before = server.requests.count
            #expect(Set(try await fixture.names()) == Set(names + ["Folder", "a.txt"]))
            #expect(server.requests.count < before + 60)
        }
    }

    @Test(
        "a server that fails when it is asked for changes has no feed, and its folders are listed",
        arguments: [
            "400 Bad Request", "401 Unauthorized", "404 Not Found", "406 Not Acceptable", "413 Content Too Large",
            "423 Locked", "429 Too Many Requests", "500 Internal Server Error", "301 Moved Permanently",
        ])
    func failingReport(_ status: String) async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            remote.state.withLock { $0.answer = FaultServer.answer(status) }
            let error = await failure { try await fixture.domain.currentAnchor() }
            #expect(error?.code == .unimplemented)
            #expect(try await fixture.names() == ["Folder", "a.txt"])
            remote.put("new")
            #expect(try await fixture.names() == ["Folder", "a.txt", "new"])
        }
    }

    @Test("an answer with more changes than are worth reading, or without an end, expires the anchor")
    func excess() async throws {
        try await with(.everything) { remote, fixture, _ async throws in
            let anchor = try await fixture.domain.currentAnchor()
            let one = FaultServer.response("/x", length: 1)
            let many = (0...ServerLink.mostChanges).map { FaultServer.response("/x\($0)", length: 1) }.joined()
            let answers = [
                FaultServer.multistatus(many, "<D:sync-token>urn:t:9</D:sync-token>"),
                FaultServer.multistatus(
                    (0..<300).map { FaultServer.response("/x\($0)", length: 1) }.joined(),
                    "<D:sync-token>urn:t:9</D:sync-token>"),
                // No token; one that cannot be sent; one that is too long to be kept; one that does not move on.
                FaultServer.multistatus(one), FaultServer.multistatus(one, "<D:sync-token>a\u{7}b</D:sync-token>"),
                FaultServer.multistatus(
                    one, "<D:sync-token>\(String(repeating: "x", count: 600))</D:sync-token>"),
                FaultServer.answer("507 Insufficient Storage"), FaultServer.answer("200 OK", [], "<html/>"),
                FaultServer.answer("400 Bad Request", [], "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"),
            ]
            for answer in answers {
                remote.state.withLock { $0.answer = answer }
                let error = await failure { try await fixture.domain.changes(since: anchor, suggestedCount: 2) }
                #expect(error?.code == .anchorExpired, "\(String(decoding: answer.prefix(300), as: UTF8.self))")
                remote.state.withLock { $0.answer = nil }
                _ = try await fixture.domain.currentAnchor()
            }
        }
    }

    @Test("the host is told when there is something new, and only then")
    func news() async throws {
        try await with(.everything) { timing in
            timing.firstNews = .milliseconds(5)
            timing.longestNews = .milliseconds(20)
        } body: { remote, fixture, server async throws in
            _ = try await fixture.domain.currentAnchor()
            let count = server.requests.count
            try await eventually { server.requests.count > count + 3 }
            #expect(fixture.changes.value == 0)
            remote.put("new")
            try await eventually { fixture.changes.value > 0 }
        }
    }

    @Test("nobody looks for news of a feed that has ended")
    func endOfNews() async throws {
        try await with(.everything) { timing in
            timing.firstNews = .milliseconds(5)
            timing.longestNews = .milliseconds(20)
        } body: { remote, fixture, server async throws in
            let anchor = try await fixture.domain.currentAnchor()
            remote.state.withLock { $0.extent = .liar }
            _ = await failure { try await fixture.domain.changes(since: anchor, suggestedCount: 10) }
            _ = await failure { try await fixture.domain.currentAnchor() }
            // One look may have been under way.
            try await Task.sleep(for: .milliseconds(50))
            let (looks, signals) = (server.requests.count, fixture.changes.value)
            try await Task.sleep(for: .milliseconds(200))
            #expect(server.requests.count == looks)
            #expect(fixture.changes.value == signals)
        }
    }
}
