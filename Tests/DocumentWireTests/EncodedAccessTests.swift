import DocumentModel
import DocumentWire
import Testing

/// What is encoded once for many answers is what would be encoded each time.
struct EncodedAccessTests {
    private func item(_ generator: inout Generator) throws -> AccessedItem {
        AccessedItem(
            path: generator.path(),
            item: ItemStatus(
                item: try generator.item(), location: try generator.location(),
                state: generator.one(of: ItemState.allCases), path: generator.path(),
                problem: try generator.optional { try $0.error() }))
    }

    @Test("An access that was encoded ahead travels as one that was not, whatever its number, and is taken apart again")
    func sameBytes() throws {
        try forEachSeed { generator in
            let item = try item(&generator)
            let encoded = EncodedAccess(item)
            for access in [0, 1, 127, 128, generator.next() >> UInt64(generator.int(1...63))] {
                let reply = ServiceReply.beginAccess(access: access, path: item.path, item: item.item)
                let bytes = encoded.answer(access: access)
                #expect(bytes == reply.serialized())
                #expect(try ServiceReply(serialized: bytes) == reply)
                guard access > 0 else { continue }
                let granted = try #require(GrantedAccess(bytes))
                let other = try #require(GrantedAccess(encoded.answer(access: access + 1)))
                #expect(granted.access == access && other.access == access + 1)
                #expect(granted.fields == other.fields)
            }
        }
    }

    @Test("Other answers, cut ones and those in another form are not taken apart")
    func others() throws {
        var generator = Generator(seed: 1)
        let bytes = EncodedAccess(try item(&generator)).answer(access: 7)
        for count in 0..<bytes.count { #expect(GrantedAccess(Array(bytes[..<count])) == nil) }
        #expect(GrantedAccess(bytes + [0]) == nil)
        #expect(GrantedAccess(ServiceReply.done.serialized()) == nil)
        #expect(GrantedAccess(ServiceReply.item(try item(&generator).item).serialized()) == nil)
    }
}
