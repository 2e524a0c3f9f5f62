import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Glibc
import SystemPackage
import Testing

@testable import DocumentHost

/// How much room a remote has (CONT-13).
extension EmbeddedHostTests {
    private func known(_ host: DocumentHost) async throws -> ToldQuota? {
        try await host.domainDescriptions().first?.quota
    }

    @Test("CONT-13: who asks is told how much room there is; within a minute nobody asks the provider again")
    func quotaAsked() async throws {
        try await withHost { host, remote in
            let name = try DomainName("d")
            let told = try #require(try await host.quota(of: name).quota)
            #expect(told.quota.total ?? 0 > 0 && told.quota.room != nil)
            #expect(told.asOf > Timestamp(seconds: 1_700_000_000))
            let shown = try await known(host)
            #expect(shown == told)
            #expect(try host.storage.read { try $0.quota(of: name) } == told)
            // It would be told another time.
            let old = ToldQuota(try RemoteQuota(total: 5), asOf: .zero)
            try host.root.index.write { try $0.setQuota(old, of: name) }
            let again = try await host.quota(of: name).quota
            #expect(again == old)
            await #expect(throws: DocumentError.self) { try await host.quota(of: DomainName("none")) }
        }
    }

    @Test("CONT-13: who looks at domains is told what is known, and waits for nobody; it is asked for by then")
    func quotaLookedAt() async throws {
        try await withHost { host, remote in
            _ = try await host.items(in: Location("d:/"), page: nil, suggestedCount: 10, refreshing: false)
            let atFirst = try await known(host)
            #expect(atFirst == nil)
            var isTold = false
            for _ in 0..<500 where !isTold {
                isTold = try await host.status().domains.first?.domain.quota != nil
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(isTold)
        }
    }

    @Test("CONT-13: when the remote cannot be asked, what it said before is told; without that, why it cannot")
    func quotaOfUnreachable() async throws {
        try await withHost { host, remote in
            let name = try DomainName("d")
            try #require(rename(remote.string, remote.string + "-away") == 0)
            let error = await #expect(throws: DocumentError.self) { try await host.quota(of: name) }
            #expect(error?.code == .serverUnreachable)
            let old = ToldQuota(try RemoteQuota(total: 5, used: 3), asOf: Timestamp(seconds: 1_700_000_000))
            try host.root.index.write { try $0.setQuota(old, of: name) }
            let known = try await host.quota(of: name).quota
            #expect(known == old)
            try #require(rename(remote.string + "-away", remote.string) == 0)
            let now = try #require(try await host.quota(of: name).quota)
            #expect(now.asOf > old.asOf)
        }
    }
}
