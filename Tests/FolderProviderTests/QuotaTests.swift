import DocumentModel
import DocumentTestSupport
import Testing

@testable import FolderProvider

@Suite("The room of a folder")
struct QuotaTests {
    @Test("CONT-13: it is that of the file system that the folder is on")
    func folder() throws {
        let fixture = try FolderFixture()
        let quota = try fixture.domain().quota()
        let total = try #require(quota.total)
        #expect(total > 0 && quota.used ?? 0 > 0 && quota.room ?? .max <= total)
    }

    @Test(
        "CONT-13: what a file system counts becomes bytes, and what cannot be is left out",
        arguments: [
            (100, 60, 50, 4096, 409_600, 163_840, 204_800), (0, 0, 0, 4096, nil, nil, nil),
            (100, 60, 50, 0, nil, nil, nil), (100, 101, 50, 1, 100, nil, nil), (100, 60, 101, 1, 100, nil, nil),
            (UInt64.max, 60, 50, 4096, nil, nil, 204_800), (10, 10, 10, 1, 10, 0, 10),
        ] as [(UInt64, UInt64, UInt64, UInt64, UInt64?, UInt64?, UInt64?)])
    func counted(
        _ blocks: UInt64, _ free: UInt64, _ available: UInt64, _ blockSize: UInt64, _ total: UInt64?, _ used: UInt64?,
        _ left: UInt64?
    ) throws {
        let quota = try FolderDomain.quota(blocks: blocks, free: free, available: available, blockSize: blockSize)
        #expect(try quota == RemoteQuota(total: total, used: used, available: left))
    }
}
