import DocumentModel
import DocumentTestSupport
import SystemPackage
import Testing

@testable import DocumentHost

/// What the host's log says of documents.
extension EmbeddedHostTests {
    @Test("VER-2: a conflict that is found while a document is sent is in the host's log, once")
    func conflictIsLogged() async throws {
        let log = HostLogLines()
        try await withHost(logger: log.logger) { host, remote in
            let (file, location) = (remote.appending("a.txt"), try Location("d:/a.txt"))
            try TemporaryFile.write("base", to: file)
            let tool = host.connect(tool: "one")
            let access = try await host.beginAccess(AccessRequest(location: location, intent: .writing), for: tool)
            try await host.setPaused(true, at: location)
            try TemporaryFile.write("ours", to: FilePath(access.items[0].path))
            try await host.endAccess(access.number, of: tool)
            host.disconnect(tool)
            try TemporaryFile.write("theirs, longer", to: file)
            try await host.setPaused(false, at: location)
            #expect(try await becomes(.conflict, location, host))
            func told() -> [String] { log.all(containing: "is in conflict") }
            for _ in 0..<1_000 where told().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(told().count == 1)
            #expect(told().first?.hasPrefix("notice: ") == true)
            #expect(told().first?.contains("docent resolve d:/a.txt") == true)
        }
    }
}
