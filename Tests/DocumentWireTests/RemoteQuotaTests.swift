import DocumentModel
import DocumentWire
import Testing

@Suite struct RemoteQuotaTests {
    /// An answer with these fields of `GetQuotaAnswer`.
    private func reply(_ fields: [(number: UInt8, value: UInt64)]) throws -> ProviderReply {
        var body: [UInt8] = []
        for (number, value) in fields {
            body.append(number << 3)
            var rest = value
            while rest >= 0x80 {
                body.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            body.append(UInt8(rest))
        }
        return try ProviderReply(serialized: [0xDA, 0x04, UInt8(body.count)] + body)
    }

    @Test("CONT-13: a provider may tell all of its room, a part of it, or nothing")
    func told() throws {
        #expect(try reply([]) == .quota(.unknown))
        #expect(try reply([(1, 20), (2, 5), (3, 15)]) == .quota(RemoteQuota(total: 20, used: 5, available: 15)))
        #expect(try reply([(3, 0)]) == .quota(RemoteQuota(available: 0)))
    }

    @Test(
        "CONT-13, PROV-21: an answer that cannot be is its provider's fault",
        arguments: [
            [(1, UInt64(bitPattern: -5))], [(2, UInt64.max)], [(3, UInt64(Int64.max) + 1)], [(1, 10), (3, 11)],
            [(1, 10), (2, 11), (3, 1)],
        ] as [[(UInt8, UInt64)]])
    func impossible(_ fields: [(UInt8, UInt64)]) {
        let error = #expect(throws: DocumentError.self) { try reply(fields.map { (number: $0.0, value: $0.1) }) }
        #expect(error?.code == .contractBroken)
    }
}
