import DocentCommands
import DocumentModel
import Testing

struct WordsTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1.0 KB"), (1_049, "1.0 KB"), (1_050, "1.1 KB"), (9_949, "9.9 KB"),
        (9_950, "10 KB"), (34_400, "34 KB"), (999_499, "999 KB"), (999_500, "1.0 MB"), (2_147_483_648, "2.1 GB"),
        (Int64.max, "9.2 EB"),
    ])
    func sizesHaveTwoDigitsAtLeast(bytes: Int64, text: String) {
        #expect(Words.size(bytes) == text)
    }

    @Test func instantsAreISO8601WithAllTheirDigits() {
        #expect(Words.instant(Timestamp(seconds: 0)) == "1970-01-01T00:00:00Z")
        #expect(Words.instant(Timestamp(seconds: 1_763_696_645, nanoseconds: 5)) == "2025-11-21T03:44:05.000000005Z")
        #expect(Words.instant(Timestamp(seconds: -1)) == "1969-12-31T23:59:59Z")
    }

    @Test func versionsAreShownAsTextWhenTheyAreText() {
        #expect(Words.version([]) == "–")
        #expect(Words.version(Array("v12".utf8)) == "v12")
        #expect(Words.version([0, 255, 16]) == "00ff10")
        #expect(Words.version(Array("0123456789abcdef".utf8), limit: 12) == "0123456789a…")
    }

    @Test(arguments: [
        ("", 0), ("plain", 5), ("e\u{301}", 1), ("é", 1), ("日本語", 6), ("ｆ", 2), ("👍", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2),
        ("❤️", 2), ("ⓐ", 1), ("한국", 4), ("a\u{200B}b", 2), ("अ", 1),
    ])
    func widthIsThatOfTheTerminal(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func columnsLineUpByDisplayWidth() {
        var table = Table([Table.Column("NAME"), Table.Column("SIZE", .right), Table.Column("NOTE")])
        table.add("日本", "1", "x")
        table.add("abcdef", "1000", "")
        #expect(table.text() == "NAME    SIZE  NOTE\n日本       1  x\nabcdef  1000\n")
    }

    @Test func jsonKeepsItsOrderAndEscapesWhatItMust() {
        let json = JSON.object([
            ("b", .string("a\"\\\n\u{1}é\u{7F}")), ("a", .array([.integer(-1), .null, .boolean(true)])),
            ("empty", .array([])), ("none", .object([])),
        ])
        #expect(
            json.text() == """
                {
                  "b": "a\\"\\\\\\n\\u0001é\\u007f",
                  "a": [
                    -1,
                    null,
                    true
                  ],
                  "empty": [],
                  "none": {}
                }
                """)
    }
}
