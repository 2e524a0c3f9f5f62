import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Foundation
import SystemPackage
import Testing

@testable import DocumentHost

/// Whether deletions of much are meant (CONT-13).
extension EmbeddedHostTests {
    @Test("CONT-13: what waits in a folder that is not shown because of its name is told of, and can be answered for")
    func heldInHiddenFolder() async throws {
        try await withHost { host, remote in
            for name in ["f", "g"] {
                let folder = remote.appending(name)
                try #require(mkdir(folder.string, 0o700) == 0)
                for file in ["x.txt", "y.txt", "z.txt"] { try TemporaryFile.write(file, to: folder.appending(file)) }
                _ = try await host.items(in: Location("d:/\(name)"), page: nil, suggestedCount: 10, refreshing: true)
            }
            let domain = try DomainName("d")
            try await host.setRules(DomainRuleChange(deletionMinimum: 2, deletionPercent: 1), of: domain)
            try #require(rename(remote.appending("g").string, remote.appending("F").string) == 0)
            for _ in 0..<200 where try host.storage.read({ try $0.item(at: Location("d:/g")) }) != nil {
                try await host.refresh(Location("d:/"))
                try await Task.sleep(for: .milliseconds(20))
            }
            for file in ["x.txt", "y.txt"] {
                try FileManager.default.removeItem(atPath: remote.appending("F").appending(file).string)
            }
            try await host.refresh(Location("d:/"))
            for _ in 0..<200 where try host.deletions.held(in: domain).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try host.deletions.held(in: domain).map(\.items) == [2])
            try await host.answerDeletions(of: domain, carryOut: true)
            #expect(try host.deletions.held(in: domain).isEmpty)
        }
    }
}
