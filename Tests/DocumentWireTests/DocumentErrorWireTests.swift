import DocumentModel
import DocumentWire
import Testing

struct DocumentErrorWireTests {
    @Test("PROV-14: code, texts, causes, retry time and item of an error survive the wire")
    func roundTrip() throws {
        try forEachSeed { generator in
            let error = try generator.error()
            #expect(DocumentError(WireFailure(error)) == error)
        }
    }

    @Test("a failure without code or text still says something")
    func emptyFailure() {
        let error = DocumentError(WireFailure())
        #expect(error.code == .internal)
        #expect(!error.message.isEmpty)
        #expect(error.itemID == nil)
    }

    @Test("codes of a newer peer are kept and count as transient")
    func unknownCode() {
        let error = DocumentError(WireFailure(DocumentError(.init(rawValue: 77_777), "x")))
        #expect(error.code.rawValue == 77_777)
        #expect(error.code.errorClass == .transient)
        #expect(DocumentError(WireFailure(DocumentError(.init(rawValue: Int.max), "x"))).code == .internal)
    }

    @Test("texts of a failure cannot command a terminal, and are bounded")
    func texts() {
        var failure = WireFailure()
        failure.message = "a\u{1B}[31mb"
        failure.causes = [String](repeating: String(repeating: "c", count: 100_000), count: 100)
        let error = DocumentError(failure)
        #expect(error.message == "a\\u{1b}[31mb")
        #expect(error.causes.count == 16)
        #expect(error.causes.allSatisfy { $0.utf8.count < 4200 })
    }

    @Test("a short wait is not rounded to none, and a negative or endless one does not trap")
    func retryAfter() {
        func carried(_ duration: Duration) -> Duration? {
            DocumentError(WireFailure(DocumentError(.busy, "x", retryAfter: duration))).retryAfter
        }
        #expect(carried(.nanoseconds(1)) == .milliseconds(1))
        #expect(carried(.milliseconds(1500)) == .milliseconds(1500))
        #expect(carried(.zero) == .milliseconds(1))
        #expect(carried(.seconds(-5)) == .milliseconds(1))
        let longest = Duration.milliseconds(UInt32.max)
        #expect(carried(.seconds(Int64.max / 2)) == longest)
        // Found by fuzzing: what came is sent on as it came, also near the end of the scale.
        #expect(carried(longest) == longest)
        #expect(carried(longest + .milliseconds(1)) == longest)
        #expect(carried(longest - .milliseconds(1)) == longest - .milliseconds(1))
    }

    @Test("progress survives the wire, and a heartbeat is one without numbers")
    func progress() {
        for progress in [TransferProgress(done: 0), TransferProgress(done: 5, expected: .max)] {
            #expect(TransferProgress(WireProgress(progress)) == progress)
        }
    }
}
