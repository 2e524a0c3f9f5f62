import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What is told of downloads that have failed.
extension EmbeddedHostTests {
    @Test("That the remote could not be reached is told until it can be, and no longer, when nobody waits any more")
    func failureIsOver() async throws {
        try await withHost { host, remote in
            let location = try Location("d:/a.txt")
            try TemporaryFile.write("one", to: remote.appending("a.txt"))
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            try #require(rename(remote.string, remote.string + "-away") == 0)
            let failure = await #expect(throws: DocumentError.self) { try await host.download(location) }
            #expect(failure?.code == .serverUnreachable)
            var told = try await host.status()
            #expect(told.items.map(\.problem?.code) == [.serverUnreachable])
            try #require(rename(remote.string + "-away", remote.string) == 0)
            for _ in 0..<1_000 where told.items.first?.problem != nil {
                try? await host.refresh(Location("d:/"))
                told = try await host.status()
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(told.items.isEmpty)
            let named = try await host.status(below: location).items
            #expect(named.map(\.problem) == [nil])
        }
    }
}
