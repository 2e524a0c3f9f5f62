import DocentCommands
import Testing

@Suite struct TerminalTextTests {
    @Test(
        "what could steer a terminal is made visible",
        arguments: [
            "\u{1B}[31m", "a\u{7}", "\u{9B}2J", "x\u{202E}gpj", "\u{2066}", "\u{2028}", "\u{200F}", "\u{FEFF}",
            "\u{E0041}", "\r",
        ])
    func hostileTextIsMadeSafe(text: String) {
        let safe = TerminalText.safe(text)
        #expect(safe.unicodeScalars.contains("\u{FFFD}"))
        #expect(
            !safe.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}" })
    }

    @Test func ordinaryNamesStayAsTheyAre() {
        for name in ["réponse.txt", "e\u{301}", "日本語", "👩‍👧 family", "नमस्ते", "می‌خواهم", "a b"] {
            #expect(TerminalText.safe(name) == name)
        }
    }

    @Test func cutsFitTheirWidthWhateverIsInThem() {
        let texts = ["a long name of a document.txt", "日本語の文書.txt", "e\u{301}e\u{301}e\u{301}e\u{301}", "👩‍👧👩‍👧👩‍👧", ""]
        for text in texts {
            for width in 0...30 {
                for cut in [
                    TerminalText.cut(text, to: width), TerminalText.cutMiddle(text, to: width),
                    TerminalText.cutStart(text, to: width),
                ] {
                    #expect(cut.displayWidth <= width, "“\(text)” to \(width): “\(cut)”")
                    if text.displayWidth <= width { #expect(cut == text) }
                }
            }
        }
        #expect(TerminalText.cutMiddle("a long name of a document.txt", to: 16) == "a long nam…t.txt")
        #expect(TerminalText.cutStart("work:/Letters/2026/May", to: 10) == "…/2026/May")
    }
}
