import DocumentModel
import Testing

@Suite("Names of remotes that no item may have")
struct EscapedNameTests {
    @Test(
        "They are shown so that people recognise them",
        arguments: [
            ("plain ä 100%.txt", "plain ä 100%.txt"), ("a/b", "a∕b"), ("two\nlines", "two␊lines"), ("\u{7F}", "␡"),
            ("a∕b", "a‛∕b"), ("␊", "‛␊"), ("‛", "‛‛"), ("\u{85}", "‛C2‛85"), ("\u{2028}", "‛E2‛80‛A8"),
            ("a/../b", "a∕..∕b"), ("‛E2", "‛‛E2"),
        ])
    func shown(_ name: String, _ expected: String) throws {
        let shown = try ItemName(escaping: name.utf8)
        #expect(shown.rawValue == expected)
        #expect(shown.unescaped == Array(name.utf8))
    }

    @Test("Bytes that are no UTF-8 are shown one by one")
    func bytes() throws {
        let name: [UInt8] = [0x61, 0xE4, 0x2E, 0xC3, 0x28, 0xED, 0xA0, 0x80]
        let shown = try ItemName(escaping: name)
        #expect(shown.rawValue == "a‛E4.‛C3(‛ED‛A0‛80")
        #expect(shown.unescaped == name)
    }

    @Test("Whatever the bytes are, they come back, and no two names are shown alike")
    func roundTrip() throws {
        var generator = SystemRandomNumberGenerator()
        let pieces: [[UInt8]] = [
            Array("‛".utf8), Array("∕".utf8), Array("␀".utf8), Array("/".utf8), [0], [0xFF], [0xE2], [0x80],
            Array("E2".utf8),
            Array("é".utf8), [0xC2, 0x85], Array("a".utf8), Array("8".utf8), Array("👩‍👧".utf8), Array("e\u{301}".utf8),
        ]
        var seen: [ItemName: [UInt8]] = [:]
        for round in 0..<20_000 {
            let count = Int.random(in: 1...8, using: &generator)
            let name =
                round.isMultiple(of: 2)
                ? (0..<count).flatMap { _ in pieces.randomElement(using: &generator) ?? [] }
                : (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard name != [0x2E], name != [0x2E, 0x2E] else { continue }
            let shown = try ItemName(escaping: name)
            #expect(shown.unescaped == name, "\(name)")
            #expect(seen.updateValue(name, forKey: shown) ?? name == name)
        }
    }

    @Test(
        "A name that is too long is shown by its beginning, digits that are its own, and its ending; others as they are"
    )
    func shortened() throws {
        let long = String(repeating: "ä/", count: 100) + "end.tar.gz"
        let shown = try ItemName(shortening: long.utf8)
        #expect(shown.rawValue.utf8.count <= ItemName.maximumLength && shown.rawValue.utf8.count > 245)
        #expect(shown.rawValue.hasPrefix("ä∕ä∕") && shown.rawValue.hasSuffix(".gz"))
        #expect(try ItemName(shortening: long.utf8) == shown, "the same at any time")
        #expect(try ItemName(shortening: (long.dropLast(9) + "x.tar.gz").utf8) != shown)
        #expect(try ItemName(shortening: [UInt8](repeating: 0xFF, count: 1_000)).rawValue.hasPrefix("‛FF‛FF"))
        for name in [String(repeating: "n", count: 255), "a/b", "‛", "a.txt"] {
            #expect(try ItemName(shortening: name.utf8) == ItemName(escaping: name.utf8))
        }
        #expect(throws: DocumentError.self) { try ItemName(shortening: "..".utf8) }
        // Nothing is lost of the text that it is of.
        #expect(ItemName.unescaping(ItemName.escaping(long.utf8)) == Array(long.utf8))
        // An ending is no type when it is a sentence.
        let sentence = String(repeating: "n", count: 300) + ". And then a good deal more of it"
        #expect(try !ItemName(shortening: sentence.utf8).rawValue.contains("And"))
    }

    @Test(
        "255 bytes are shown as they are, and one more is shortened, wherever a character ends",
        arguments: ["n", "ä", "日", "👩"])
    func boundaries(_ character: String) throws {
        for length in 250...260 {
            let count = length / character.utf8.count
            let name =
                String(repeating: character, count: count)
                + String(repeating: "x", count: length % character.utf8.count)
            let shown = try ItemName(shortening: name.utf8).rawValue
            #expect(shown.hasSameBytes(as: name) == (length <= ItemName.maximumLength), "\(length)")
            #expect(shown.utf8.count <= ItemName.maximumLength)
        }
    }

    @Test("The shorter name is the same on every machine")
    func pinned() throws {
        let shown = try ItemName(shortening: (String(repeating: "n", count: 300) + ".txt").utf8).rawValue
        #expect(shown == String(repeating: "n", count: 232) + "…D40E5B8CE2A2AEF3.txt")
    }

    @Test("Whatever the bytes are, long names get names of their own, which an item may have, with the ending")
    func manyShortened() throws {
        var random = SystemRandomNumberGenerator()
        var seen: [ItemName: [UInt8]] = [:]
        let pieces: [[UInt8]] =
            ["a", "é", "日", "👩‍👧", "e\u{301}", "/", "\u{1}", "…", "‛", "."].map { Array($0.utf8) } + [[0xFF], [0xE2]]
        for _ in 0..<3_000 {
            // Most of a beginning and an ending are the same.
            var name = [UInt8](repeating: 0x62, count: Int.random(in: 180...260, using: &random))
            for _ in 0..<Int.random(in: 0...40, using: &random) { name += pieces.randomElement(using: &random) ?? [] }
            name += Array(".pdf".utf8)
            let shown = try ItemName(shortening: name)
            #expect(shown.rawValue.utf8.count <= ItemName.maximumLength && shown.pathExtension == "pdf")
            #expect(try ItemName(shortening: name) == shown)
            #expect(seen.updateValue(name, forKey: shown) ?? name == name)
        }
    }

    @Test(
        "What an item may be called is shown as it is, unless it could be taken for another",
        arguments: ["‛x", "‛7F", "‛C", "%2F"])
    func own(_ name: String) throws {
        let shown = try ItemName(name).unescaped
        #expect(shown == Array(name.utf8))
    }

    @Test(
        "What cannot be shown at all is refused",
        arguments: ["", ".", "..", String(repeating: "\n", count: 90), ".docent-placeholders"])
    func refused(_ name: String) throws {
        #expect(throws: DocumentError.self) { try ItemName(escaping: name.utf8) }
    }
}
