import DocumentModel
import DocumentSync
import Testing

/// How much may come that nobody has asked for.
struct ReadAheadRoomTests {
    private let gibibyte: Int64 = 1 << 30

    @Test("Nothing comes that would make something else leave, or fill the disk")
    func bounds() throws {
        let limits = try SpaceLimits(high: 1000, low: 500)
        #expect(ReadAheadRoom.left(limits, here: 400, free: nil, of: 0) == 600)
        #expect(ReadAheadRoom.left(limits, here: 1200, free: nil, of: 0) == 0)
        #expect(ReadAheadRoom.left(limits, here: 400, free: 100 * gibibyte, of: 200 * gibibyte) == 600)
        // A gibibyte stays, or a twentieth of a small disk.
        #expect(ReadAheadRoom.left(nil, here: 0, free: 3 * gibibyte, of: 200 * gibibyte) == 2 * gibibyte)
        #expect(ReadAheadRoom.left(nil, here: 0, free: gibibyte / 2, of: 200 * gibibyte) == 0)
        #expect(ReadAheadRoom.left(nil, here: 0, free: 100, of: 1000) == 50)
    }

    @Test("Where nobody has said anything, and nobody knows the disk, there is room")
    func unknown() { #expect(ReadAheadRoom.left(nil, here: 5, free: nil, of: 0) == .max) }
}
