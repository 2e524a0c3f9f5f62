import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What was moved out, and its provider has not heard of (CONT-9).
extension EmbeddedHostTests {
    /// As it is when a host dies that a tool has told that a document is copied. It is here.
    private func withDeparture(
        _ body: (DocumentHost, FilePath, Location, _ copy: FilePath) async throws -> Void
    ) async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            let copy = remote.removingLastComponent().appending("copy.txt")
            try TemporaryFile.write("one", to: file)
            try TemporaryFile.write("one", to: copy)
            try await host.download(location)
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            let parts = [CopiedPart(path: [], file: item.local)]
            _ = try await host.storage.run { store in
                try store.beginLeaving(item.id, in: item.domain, copiedTo: copy.string, parts)
            }
            try await body(host, file, location, copy)
        }
    }

    private func isLeaving(_ host: DocumentHost) throws -> Bool {
        try host.storage.read { try $0.journal() }.contains { $0.action == .leave }
    }

    @Test("CONT-9: what was moved out is removed as soon as its provider can be asked, and not at the next start only")
    func departsWhenResolved() async throws {
        try await withDeparture { host, file, location, _ in
            host.resolved(location.domain)
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            #expect(access(file.string, F_OK) != 0)
            let item = try host.storage.read { try $0.item(at: location) }
            #expect(item == nil)
        }
    }

    @Test("CONT-9: what was changed since it was copied stays, however late its provider can be asked")
    func changedSinceCopied() async throws {
        try await withDeparture { host, file, location, _ in
            let tool = host.connect(tool: "one")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try TemporaryFile.write("mine, and longer", to: FilePath(access.items[0].path))
            try await host.endAccess(access.number, of: tool)
            host.resolved(location.domain)
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            try await host.waitUntilSent(location)
            #expect(try TemporaryFile.read(file) == "mine, and longer")
            let item = try host.storage.read { try $0.item(at: location) }
            #expect(item?.local != nil)
        }
    }

    @Test("CONT-9: what was moved out stays when its copy was removed before its provider could be asked")
    func copyIsGone() async throws {
        try await withDeparture { host, file, location, copy in
            try #require(unlink(copy.string) == 0)
            host.resolved(location.domain)
            for _ in 0..<1_000 where try isLeaving(host) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try !isLeaving(host))
            #expect(try TemporaryFile.read(file) == "one")
            let item = try host.storage.read { try $0.item(at: location) }
            #expect(item?.local != nil)
            #expect(item?.problem?.message.contains("Nothing is at “\(copy)” any more") == true)
        }
    }
}
