import DocumentModel
import Testing

@Suite struct RemoteQuotaTests {
    @Test(
        "CONT-13: numbers that can be are taken, each of them may be missing, and they need not add up",
        arguments: [
            (nil, nil, nil, nil), (100, nil, nil, nil), (nil, 40, nil, nil), (nil, nil, 60, 60), (100, 40, 60, 60),
            (100, 40, 50, 50), (100, 40, nil, 60), (100, 100, 0, 0), (0, 0, 0, 0),
            // The remote was given less than it uses.
            (100, 120, 0, 0), (100, 120, nil, 0), (UInt64(Int64.max), 0, UInt64(Int64.max), UInt64(Int64.max)),
        ] as [(UInt64?, UInt64?, UInt64?, UInt64?)])
    func possible(_ total: UInt64?, _ used: UInt64?, _ available: UInt64?, _ room: UInt64?) throws {
        let quota = try RemoteQuota(total: total, used: used, available: available)
        #expect(quota.total == total && quota.used == used && quota.available == available && quota.room == room)
        #expect((quota == .unknown) == (total == nil && used == nil && available == nil))
    }

    @Test(
        "CONT-13: numbers that cannot be are refused: below zero, too large, more left than there is",
        arguments: [
            (UInt64(bitPattern: -1), nil, nil), (nil, UInt64(bitPattern: -1), nil), (nil, nil, UInt64.max),
            (UInt64(Int64.max) + 1, nil, nil), (100, nil, 101), (100, 120, 1), (0, 1, 1),
        ] as [(UInt64?, UInt64?, UInt64?)])
    func impossible(_ total: UInt64?, _ used: UInt64?, _ available: UInt64?) {
        let error = #expect(throws: DocumentError.self) {
            try RemoteQuota(total: total, used: used, available: available)
        }
        #expect(error?.code == .invalidArgument)
    }
}
