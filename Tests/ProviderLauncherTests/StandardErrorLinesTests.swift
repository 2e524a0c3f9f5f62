import Testing

@testable import ProviderLauncher

@Suite("A provider's standard error")
struct StandardErrorLinesTests {
    private let begin = ContinuousClock.now

    private func take(_ text: String, _ lines: inout StandardErrorLines, at seconds: Double = 0) -> [StandardErrorLines
        .Event]
    {
        Array(text.utf8).withUnsafeBytes { lines.take($0, now: begin + .seconds(seconds)) }
    }

    @Test func linesAreCutAtNewlinesHoweverTheyArrive() {
        var lines = StandardErrorLines()
        #expect(take("one\ntw", &lines) == [.line("one")])
        #expect(take("o\n\nthr", &lines) == [.line("two")])
        #expect(lines.tail == ["one", "two", "thr"])
        #expect(lines.finish(now: begin) == [.line("thr")])
        #expect(lines.finish(now: begin) == [])
    }

    @Test func aLongLineIsCut() {
        var lines = StandardErrorLines(limits: .init(lineBytes: 8))
        #expect(take("0123456789", &lines) == [])
        #expect(take("abc\nnext\n", &lines) == [.line("01234567…"), .line("next")])
    }

    @Test func controlCharactersAndBadUTF8AreMadeVisible() {
        #expect(StandardErrorLines.printable(Array("a\u{1B}[31mb\tc\r".utf8)) == "a\\u{1b}[31mb c")
        #expect(StandardErrorLines.printable([0x61, 0xFF]) == "a\u{FFFD}")
    }

    @Test func aFloodIsCountedInsteadOfPassedOn() {
        var lines = StandardErrorLines(limits: .init(linesPerSecond: 10, burst: 3, tail: 2))
        #expect(take("1\n2\n3\n4\n5\n", &lines) == [.line("1"), .line("2"), .line("3")])
        #expect(lines.tail == ["4", "5"], "the last words are kept all the same")
        #expect(take("6\n7\n", &lines, at: 0.15) == [.leftOut(2), .line("6")])
        #expect(lines.finish(now: begin) == [.leftOut(1)])
    }
}
