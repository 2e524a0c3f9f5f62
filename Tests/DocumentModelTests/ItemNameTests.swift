import DocumentModel
import Testing

struct ItemNameTests {
    @Test(
        "a name is one path component",
        arguments: ["a", "a.txt", " ", "...", ".hidden", "été", "e\u{301}", "👩‍👧", "a:b", "a\\b", "-rf", "\u{301}"]
    )
    func accepted(_ name: String) throws {
        let checked = try ItemName(name)
        #expect(checked.rawValue.hasSameBytes(as: name), "kept as given")
    }

    @Test("what is no path component, or could be taken for something else, is refused and named")
    func refused() {
        let expectations: [(name: String, finding: String)] = [
            ("", "it is empty"),
            (".", "it names a place, not an item"),
            ("..", "it names a place, not an item"),
            ("a/b", "it contains a slash"),
            ("/\u{301}", "it contains a slash"),
            ("a\0", "it contains a control character"),
            ("a\nb", "it contains a control character"),
            ("\r\n", "it contains a control character"),
            ("a\u{85}", "it contains a control character"),
            ("a\u{2029}", "it contains a control character"),
            (String(repeating: "x", count: 256), "it has 256 bytes, and 255 is the most"),
            (String(repeating: "日", count: 86), "it has 258 bytes, and 255 is the most"),
            (".docent-placeholders", "this name is reserved"),
        ]
        for (name, finding) in expectations {
            let error = #expect(throws: DocumentError.self) { try ItemName(name) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.hasSuffix("cannot be a name: \(finding).") == true, "\(finding)")
        }
    }

    @Test("a name of 255 bytes is accepted")
    func longest() throws {
        #expect(try ItemName(String(repeating: "x", count: 255)).rawValue.utf8.count == 255)
    }

    @Test("CONT-12: names are equal when their bytes are, not when they look the same")
    func equality() throws {
        let composed = try ItemName("\u{E9}")
        let decomposed = try ItemName("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed == (try ItemName("\u{E9}")))
        #expect(try ItemName("a") < ItemName("b"))
        #expect(try ItemName("Z") < ItemName("a"), "the order is that of the bytes")
    }

    @Test("the extension is what follows the last dot, in lower case")
    func pathExtension() throws {
        #expect(try ItemName("a.TXT").pathExtension == "txt")
        #expect(try ItemName("a.tar.gz").pathExtension == "gz")
        #expect(try ItemName(".profile").pathExtension == nil)
        #expect(try ItemName("a.").pathExtension == nil)
        #expect(try ItemName("a").pathExtension == nil)
    }

    @Test("messages show control characters instead of carrying them out, and stay short")
    func messages() {
        let error = #expect(throws: DocumentError.self) {
            try ItemName("\u{1B}[2J/" + String(repeating: "x", count: 5000))
        }
        #expect(error?.message.contains("\\u{1b}[2J/") == true)
        #expect(error?.message.contains("\u{1B}") == false)
        #expect((error?.message.utf8.count ?? .max) < 250)
    }
}
