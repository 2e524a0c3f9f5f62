import DocentCommands
import Testing

/// Keys from what terminals send.
@Suite struct KeyDecoderTests {
    private func keys(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.take(Array(text.utf8)) + decoder.flush()
    }

    @Test func keysAreKnownInTheFormsOfDifferentTerminals() {
        #expect(keys("\u{1B}[A\u{1B}OA\u{1B}[B\u{1B}[C\u{1B}[D") == [.up, .up, .down, .right, .left])
        #expect(
            keys("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[1~\u{1B}[7~\u{1B}OF\u{1B}[4~\u{1B}[8~") == [
                .pageUp, .pageDown, .home, .home, .home, .end, .end, .end,
            ])
        #expect(
            keys("\r\n\u{7F}\u{8}\t\u{1B}[3~\u{3}\u{12}") == [
                .enter, .enter, .backspace, .backspace, .tab, .delete, .control("c"), .control("r"),
            ])
        #expect(keys("\u{1B}[1;5A\u{1B}[24~\u{1B}[?1;2c\u{1B}x") == [.up], "what is not known presses nothing")
    }

    @Test func anEscapeIsOneWhenNothingFollows() {
        var decoder = KeyDecoder()
        #expect(decoder.take([0x1B]).isEmpty && decoder.isWaiting)
        #expect(decoder.flush() == [.escape] && !decoder.isWaiting)
        #expect(keys("\u{1B}\u{1B}") == [.escape, .escape])
    }

    @Test func charactersComeWholeHoweverTheyAreCut() {
        let bytes = Array("aé日👍\u{1B}[A".utf8)
        for cut in bytes.indices {
            var decoder = KeyDecoder()
            let taken = decoder.take(Array(bytes[..<cut])) + decoder.take(Array(bytes[cut...]))
            #expect(
                taken == [.character("a"), .character("é"), .character("日"), .character("👍"), .up], "cut at \(cut)")
        }
    }

    @Test func brokenBytesAreDropped() {
        var decoder = KeyDecoder()
        #expect(decoder.take([0xFF, 0x80, 0xC3, 0x61, 0xE2, 0x82, 0x62]) == [.character("a"), .character("b")])
        #expect(decoder.take(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 64) + [0x61]).last != .escape)
        #expect(decoder.take(Array("\u{1B}[Az".utf8)).suffix(1) == [.character("z")])
    }

    @Test func whatIsPastedPressesNothing() {
        #expect(keys("\u{1B}[200~rm -rf /\r\u{1B}[A\u{1B}[201~x") == [.paste("rm -rf /\r\u{1B}[A"), .character("x")])
        let long = String(repeating: "y", count: 10_000)
        #expect(keys("\u{1B}[200~\(long)\u{1B}[201~") == [.paste(String(repeating: "y", count: 4_096))])
    }
}
