import Testing

@testable import ProviderConformance

@Suite("What the peers of attacks have seen") struct AttackTrafficTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("§1: notes become exchanges, in both directions, also where a frame was cut into pieces or is none")
    func exchanges() {
        // A frame with nothing but an id, in two pieces; the preface; noise.
        let preface: [UInt8] = [0x89, 0x44, 0x4F, 0x43, 0x0D, 0x0A, 0x1A, 0x0A]
        let notes = """
            > 10 \(hex([0x02, 0x08]))
            > 20 \(hex([0x03]))
            < 30 \(hex(preface))
            < 40 \(hex([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])) …
            """
        let found = AttackTraffic.exchanges(in: notes)
        #expect(found.map(\.isToProvider) == [true, false, false, false])
        #expect(found.map(\.time) == [0.000_02, 0.000_03, 0.000_04, 0.000_04])
        #expect(found[1].summary == "Preface")
        #expect(found[2].summary.contains("no frame"))
        #expect(found[3].summary.contains("left out"))
    }
}
