import DocumentModel
import Testing

struct ContentTypeTests {
    @Test("a type is told from the name's extension, and data when it is not known")
    func fromExtension() {
        #expect(ContentType(kind: .document, pathExtension: "txt") == .plainText)
        #expect(ContentType(kind: .document, pathExtension: "pdf").identifier == "com.adobe.pdf")
        #expect(ContentType(kind: .document, pathExtension: "xyz") == .data)
        #expect(ContentType(kind: .document, pathExtension: nil) == .data)
        #expect(ContentType(kind: .folder, pathExtension: "txt") == .folder)
        #expect(ContentType(kind: .package, pathExtension: "txt") == .package)
    }

    @Test("types are letters, digits, dots and hyphens, and case does not count")
    func grammar() throws {
        #expect(try ContentType("Public.Plain-Text") == .plainText)
        for bad in ["", "text/plain", "a b", "é", "a\0", String(repeating: "a", count: 256)] {
            #expect(throws: DocumentError.self) { try ContentType(bad) }
        }
    }

    @Test("PICK-10: every document type conforms to public.content; folders and abstract types do not")
    func content() throws {
        for name in ["txt", "pdf", "png", "docx", "unknown"] {
            #expect(ContentType(kind: .document, pathExtension: name).conforms(to: .content))
        }
        #expect(ContentType.package.conforms(to: .content))
        #expect(try ContentType("com.example.own").conforms(to: .content))
        #expect(!ContentType.folder.conforms(to: .content))
        #expect(!ContentType.item.conforms(to: .content))
    }

    @Test("conformance goes up the tree and never down")
    func tree() throws {
        let markdown = ContentType(kind: .document, pathExtension: "md")
        #expect(markdown.conforms(to: .plainText))
        #expect(markdown.conforms(to: .text))
        #expect(markdown.conforms(to: .data))
        #expect(markdown.conforms(to: .item))
        #expect(!ContentType.text.conforms(to: markdown))
        #expect(!markdown.conforms(to: ContentType(kind: .document, pathExtension: "png")))
        #expect(ContentType(kind: .document, pathExtension: "svg").conforms(to: try ContentType("public.image")))
        #expect(ContentType(kind: .document, pathExtension: "svg").conforms(to: .text))
    }
}
