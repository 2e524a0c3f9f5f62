import DocumentModel
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// What is told of domains and folders in numbers.
extension EmbeddedHostTests {
    @Test("The numbers of a folder are of what is in it, and those of a document its own")
    func numbersOfFolders() async throws {
        try await withHost { host, remote in
            for folder in ["empty", "full"] { try #require(mkdir(remote.appending(folder).string, 0o700) == 0) }
            for name in ["one.txt", "full/two.txt", "full/three.txt"] {
                try TemporaryFile.write("four", to: remote.appending(name))
            }
            for folder in ["d:/", "d:/empty", "d:/full"] {
                _ = try await host.items(in: Location(folder), page: nil, suggestedCount: 10, refreshing: true)
            }
            try await host.download(Location("d:/one.txt"))
            try await host.download(Location("d:/full/two.txt"))
            func numbers(_ location: String?) async throws -> [UInt64] {
                let told = try #require(try await host.status(below: location.map { try Location($0) }).domains.first)
                return [told.items, told.materialised, told.materialisedBytes]
            }
            #expect(try await numbers("d:/empty") == [0, 0, 0])
            #expect(try await numbers("d:/full") == [2, 1, 4])
            #expect(try await numbers("d:/one.txt") == [1, 1, 4])
            #expect(try await numbers("d:/") == numbers(nil))
            #expect(try await numbers(nil) == [5, 2, 8])
        }
    }
}
