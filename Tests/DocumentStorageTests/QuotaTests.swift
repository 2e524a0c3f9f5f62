import DocumentModel
import DocumentStorage
import DocumentTestSupport
import Testing

@Suite("What remotes have said of their room")
struct QuotaTests {
    @Test("CONT-13: it is remembered with its time over restarts, and ends with what it was said of")
    func remembered() throws {
        let storage = try StorageFixture()
        let domain = storage.domain
        #expect(try storage.index.read { try $0.quota(of: domain) } == nil)
        let largest = UInt64(Int64.max)
        for quota in [
            try RemoteQuota(total: 20, used: 5, available: 15), try RemoteQuota(total: largest, available: 0),
            try RemoteQuota(used: largest),
        ] {
            let told = ToldQuota(quota, asOf: Timestamp(seconds: 1_700_000_000))
            try storage.index.write { try $0.setQuota(told, of: domain) }
            try storage.reopen()
            #expect(try storage.index.read { try $0.quota(of: domain) } == told)
        }
        try storage.index.write { try $0.setQuota(nil, of: domain) }
        #expect(try storage.index.read { try $0.quota(of: domain) } == nil)
        let told = ToldQuota(try RemoteQuota(used: 1), asOf: .zero)
        // Who signs in next may be somebody else.
        try storage.index.write { index in
            try index.setQuota(told, of: domain)
            try index.emptyDomain(domain)
        }
        #expect(try storage.index.read { try $0.quota(of: domain) } == nil)
    }
}
