import DocumentModel
import Testing

struct IdentifierTests {
    @Test("ID-9: an item identifier has 1 to 4,096 bytes and no NUL")
    func itemIdentifiers() throws {
        #expect(try ItemIdentifier(String(repeating: "i", count: 4096)).rawValue.utf8.count == 4096)
        for bad in ["", String(repeating: "i", count: 4097), "a\0b"] {
            #expect(throws: DocumentError.self) { try ItemIdentifier(bad) }
        }
        #expect(try ItemIdentifier("/") == .root)
    }

    @Test("ID-1: identifiers are compared byte by byte")
    func itemIdentifierEquality() throws {
        let composed = try ItemIdentifier("\u{E9}")
        let decomposed = try ItemIdentifier("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
        #expect(decomposed < composed)
    }

    @Test(
        "a provider's identifier is in reverse-DNS form",
        arguments: [
            ("org.example.photos", true), ("a.b", true), ("org.x-y.z9", true), ("o1.2x", true),
            (String(repeating: "a", count: 63) + ".b", true),
            ("", false), ("org", false), ("Org.example", false), ("org..example", false), (".org.example", false),
            ("org.example.", false), ("org.-x", false), ("org.x-", false), ("1org.x", false), ("org.exämple", false),
            ("org.a/b", false), ("org. b", false), (String(repeating: "a", count: 64) + ".b", false),
            ("a." + String(repeating: "b", count: 63) + "." + String(repeating: "c", count: 63), false),
        ] as [(String, Bool)]
    )
    func providerIdentifiers(_ text: String, fits: Bool) {
        #expect(((try? ProviderIdentifier(text)) != nil) == fits)
    }

    @Test(
        "PROV-23: a domain's name is short, plain ASCII and no path",
        arguments: [
            ("work", true), ("Work_2.old-x", true), ("9", true), (String(repeating: "a", count: 64), true),
            ("", false), (".hidden", false), ("-x", false), ("_x", false), ("..", false), ("a/b", false),
            ("a:b", false), ("a b", false), ("é", false), ("a\0", false), (String(repeating: "a", count: 65), false),
        ] as [(String, Bool)]
    )
    func domainNames(_ text: String, fits: Bool) {
        #expect(((try? DomainName(text)) != nil) == fits)
    }

    @Test("PROV-21: opaque values keep to their limits")
    func opaqueValues() throws {
        #expect(try PageToken([UInt8](repeating: 0, count: 500)).bytes.count == 500)
        #expect(throws: DocumentError.self) { try PageToken([]) }
        #expect(throws: DocumentError.self) { try PageToken([UInt8](repeating: 0, count: 501)) }
        #expect(try SyncAnchor([0]).bytes == [0])
        #expect(throws: DocumentError.self) { try SyncAnchor([]) }
        #expect(throws: DocumentError.self) { try SyncAnchor([UInt8](repeating: 0, count: 501)) }
        let longest = [UInt8](repeating: 1, count: 128)
        #expect(try ItemVersion(content: longest, metadata: longest).content == longest)
        #expect(throws: DocumentError.self) { try ItemVersion(content: longest + [1]) }
        #expect(throws: DocumentError.self) { try ItemVersion(content: [], metadata: longest + [1]) }
        #expect(ItemVersion.none.content.isEmpty && ItemVersion.none.metadata.isEmpty)
    }
}
