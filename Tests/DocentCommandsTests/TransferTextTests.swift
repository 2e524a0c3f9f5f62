import DocentCommands
import DocumentModel
import Testing

@Suite("Transfers as people read them")
struct TransferTextTests {
    @Test("XFER-8: what waits says for what, in words, and when it is tried again")
    func waits() {
        for wait in TransferWait.allCases {
            let line = TransferText.line(TransferStatus(expected: 100, wait: wait))
            #expect(line.hasPrefix("waits ") && line.count > 12, "\(wait)")
        }
        #expect(
            TransferText.line(TransferStatus(wait: .retry, retryIn: .milliseconds(7_200)))
                == "waits to be tried again in 8 s")
        #expect(
            TransferText.line(TransferStatus(done: 50, expected: 100, percent: 50, wait: .resume))
                == "50 % (50 B of 100 B), waits until it is resumed")
    }

    @Test(
        "durations are told as coarsely as they are long",
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (3_599, "59 min"), (3_600, "1 h"),
            (7_500, "2 h 5 min"), (180_000, "2 days"),
        ])
    func durations(seconds: Int, text: String) {
        #expect(TransferText.duration(.seconds(seconds)) == text)
    }

    @Test("PH-9: what people have said about an item, and where")
    func marks() {
        #expect(TransferText.marks(ItemMarks()).isEmpty)
        #expect(TransferText.marks(ItemMarks(own: .pinned, keeping: .pinned)).map(\.text) == ["always"])
        #expect(
            TransferText.marks(ItemMarks(own: .whileCurrent, keeping: .whileCurrent)).map(\.text)
                == ["as long as there is room and the remote has nothing newer"])
        #expect(
            TransferText.marks(ItemMarks(own: .automatic, keeping: .automatic)).map(\.text)
                == ["as long as there is room"])
        #expect(TransferText.marks(ItemMarks(keeping: .excluded)).map(\.text).first?.hasSuffix("around it") == true)
        #expect(TransferText.marks(ItemMarks(isPausedItself: true, isPaused: true)).map(\.name) == ["Paused"])
    }
}
