import DocumentModel
import DocumentTestSupport
import Testing

@testable import WebDAVProvider

/// What a server that people run tells of changes by itself (RFC 6578).
@Suite("A real server that tells of changes", .serialized)
struct CalendarServerTests {
    private func with(
        _ guarantee: Guarantee?, body: (CalendarServer, DomainFixture) async throws -> Void
    ) async throws {
        try await CalendarServer.with { server in
            try server.put("one.ics", summary: "1")
            try server.put("two.ics", summary: "2")
            try await DomainFixture.with(url: server.url, writing: guarantee, hasExactTags: true) { settings, _ in
                settings.credentials = .basic(user: "ann", password: "")
            } body: {
                try await body(server, $0)
            }
        }
    }

    /// It takes the question for all that is below a folder for one about the folder, so it has no feed.
    @Test(
        "sync-collection: a folder is brought up to date by what has changed in it, without being listed",
        arguments: [nil, Guarantee.conditionalChanges])
    func changes(_ guarantee: Guarantee?) async throws {
        try await with(guarantee) { server, fixture in
            let error = await failure { try await fixture.domain.currentAnchor() }
            #expect(error?.code == .unimplemented)
            #expect(try await fixture.names() == ["one.ics", "two.ics"])
            let (listings, reports) = (
                try server.requests("PROPFIND", depth: "1"), try server.requests("REPORT", depth: "0")
            )
            #expect(reports > 0)
            try server.put("three.ics", summary: "3")
            try server.put("one.ics", summary: "another")
            #expect(try await fixture.names() == ["one.ics", "three.ics", "two.ics"])
            #expect(try server.requests("PROPFIND", depth: "1") == listings)
            #expect(try server.requests("REPORT", depth: "0") > reports)
            let changed = try await fixture.provide("one.ics")
            #expect(changed.text == CalendarServer.event("one.ics", "another"))
            #expect(try await fixture.domain.item(for: changed.item.id) == changed.item)
            try server.remove("two.ics")
            #expect(try await fixture.names() == ["one.ics", "three.ics"])
        }
    }

    @Test("a token that the server does not know any more has the folder listed anew")
    func unknownToken() async throws {
        try await with(nil) { server, fixture in
            _ = await failure { try await fixture.domain.currentAnchor() }
            #expect(try await fixture.names() == ["one.ics", "two.ics"])
            let listings = try server.requests("PROPFIND", depth: "1")
            try server.forgetTokens()
            try server.put("three.ics", summary: "3")
            #expect(try await fixture.names() == ["one.ics", "three.ics", "two.ics"])
            #expect(try server.requests("PROPFIND", depth: "1") == listings + 1)
        }
    }
}
