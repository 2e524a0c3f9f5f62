import DocumentModel
import DocumentSync
import Testing

@Suite struct ConflictNameTests {
    @Test(
        "The conflict's mark goes before the extension",
        arguments: [
            ("report.pdf", "report (conflict D).pdf"), ("Makefile", "Makefile (conflict D)"),
            (".profile", ".profile (conflict D)"), ("a.tar.gz", "a.tar (conflict D).gz"),
        ])
    func mark(name: String, expected: String) throws {
        #expect(try ConflictName.make(for: ItemName(name), at: "D").rawValue == expected)
    }

    @Test("The name fits 255 bytes, also when the original fills them", arguments: ["é", "a", "👩‍👩‍👧"])
    func length(letter: String) throws {
        let long = String(repeating: letter, count: 251 / letter.utf8.count) + ".txt"
        let name = try ConflictName.make(for: ItemName(long), at: "2026-11-21 14.05.09", attempt: 12)
        #expect(name.rawValue.utf8.count <= 255)
        #expect(name.rawValue.hasSuffix(" (conflict 2026-11-21 14.05.09 12).txt"))
    }

    @Test("A date in a name is UTC, the same on every machine, before 1970 too")
    func dates() {
        #expect(ConflictName.date(of: Timestamp(seconds: 1_795_269_909)) == "2026-11-21 14.05.09")
        #expect(ConflictName.date(of: Timestamp(seconds: 0)) == "1970-01-01 00.00.00")
        #expect(ConflictName.date(of: Timestamp(seconds: -1)) == "1969-12-31 23.59.59")
        #expect(ConflictName.date(of: Timestamp(seconds: 951_782_400)) == "2000-02-29 00.00.00")
    }
}
