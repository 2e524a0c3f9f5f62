import DocumentModel
import DocumentStorage
import DocumentTestSupport
import FileCoordination
import SystemPackage
import Testing

@testable import DocumentHost

/// Documents that an editor shows, which lets go of them for others.
extension EmbeddedHostTests {
    @Test("VER-10: what is here of a document in conflict is kept by the remote also while an editor presents it")
    func keptWhilePresented() async throws {
        try await withHost { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("base", to: file)
            let tool = host.connect(tool: "editor")
            defer { host.disconnect(tool) }
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try await host.setPaused(true, at: location)
            try TemporaryFile.write("ours", to: FilePath(access.items[0].path))
            try await host.endAccess(access.number, of: tool)
            try TemporaryFile.write("theirs, longer", to: file)
            let item = try #require(try host.storage.read { try $0.item(at: location) })
            let presented = try host.storage.read { try $0.coordinated(item) }
            let (broker, owner) = (host.broker, tool.owner)
            broker.listen(owner) { event in
                guard case .message(_, let id, to: _) = event else { return }
                broker.answered(id, by: owner, failure: nil)
            }
            broker.add { Presenter(id: $0, owner: owner, item: presented, capabilities: .relinquishing) }
            try await host.setPaused(false, at: location)
            func isKept() throws -> Bool {
                try host.storage.read { try $0.ownSides(of: item.id, in: item.domain) }.contains { $0.version != nil }
            }
            for _ in 0..<2_000 where try !isKept() { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try isKept())
        }
    }
}
