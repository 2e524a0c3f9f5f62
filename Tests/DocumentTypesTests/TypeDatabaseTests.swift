import DocumentModel
import Testing

@testable import DocumentTypes

/// What is made of a shared-mime-info database.
@Suite struct TypeDatabaseTests {
    private let database = TypeDatabase(
        globs: """
            # This file was automatically generated
            50:application/x-krita:*.kra
            50:application/x-compressed-tar:*.tar.gz
            50:application/gzip:*.gz
            50:text/x-c++src:*.C:cs
            50:text/x-csrc:*.c:cs
            80:text/x-log:*.out
            40:application/x-executable:*.out
            50:text/x-makefile:makefile
            50:text/x-readme:readme*
            50:image/x-nonsense:*.[ab]
            50:video/webm:*.webm
            """,
        subclasses: "application/x-krita application/zip\ntext/x-log text/plain\na/one a/two\na/two a/one\n",
        aliases: "application/x-gzip application/gzip\napplication/krita application/x-krita\n")

    @Test("PICK-10: a type that the machine knows conforms to what its database says it is a kind of")
    func conformance() throws {
        let krita = database.type(ofDocumentNamed: "Flower.KRA")
        #expect(krita.identifier == "dyn.application.x-2dkrita")
        let archive = try ContentType("public.archive")
        for parent in [try ContentType("public.zip-archive"), archive, .data, .content, .item, krita] {
            #expect(database.conforms(krita, to: parent), "\(parent)")
        }
        #expect(!database.conforms(krita, to: .text) && !database.conforms(archive, to: krita))
        #expect(!TypeDatabase().conforms(krita, to: archive), "without the database nothing of it is known")
    }

    @Test("PICK-14: a media type's first half says what kind of document it is")
    func generalKinds() throws {
        let film = database.type(ofDocumentNamed: "a.webm")
        #expect(database.conforms(film, to: try ContentType("public.movie")))
        #expect(database.conforms(database.type(ofDocumentNamed: "b.out"), to: .plainText))
        #expect(!database.conforms(film, to: try ContentType("public.image")))
    }

    @Test func whatContentTypeKnowsItselfComesFirst() {
        #expect(database.type(ofDocumentNamed: "a.txt") == .plainText)
        #expect(database.type(ofDocumentNamed: "nothing.is.known.of.this") == .data)
        #expect(database.type(ofDocumentNamed: "") == .data)
    }

    @Test func theLongestEndingTheHeavierWeightAndTheExactCaseWin() {
        #expect(database.mediaType(ofDocumentNamed: "a.tar.gz") == "application/x-compressed-tar")
        #expect(database.mediaType(ofDocumentNamed: "a.b.gz") == "application/gzip")
        #expect(database.mediaType(ofDocumentNamed: "a.out") == "text/x-log")
        #expect(database.mediaType(ofDocumentNamed: "a.C") == "text/x-c++src")
        #expect(database.mediaType(ofDocumentNamed: "a.c") == "text/x-csrc")
        #expect(database.mediaType(ofDocumentNamed: "Makefile") == "text/x-makefile")
        #expect(database.mediaType(ofDocumentNamed: "a.a") == nil, "other patterns than endings are left out")
    }

    @Test func aliasesStandForTheTypeItself() throws {
        #expect(database.type(forMediaType: "application/x-gzip")?.identifier == "org.gnu.gnu-zip-archive")
        #expect(database.type(forMediaType: "application/KRITA")?.identifier == "dyn.application.x-2dkrita")
        #expect(database.type(forMediaType: "no media type") == nil)
    }

    @Test(
        "a dynamic identifier can be turned back", arguments: ["application/x-krita", "text/x-c++src", "a.b/c-2d_e!f"])
    func dynamicIdentifiers(mediaType: String) throws {
        let identifier = MediaTypes.dynamicIdentifier(of: mediaType)
        #expect(try ContentType(identifier).identifier == identifier)
        #expect(MediaTypes.mediaType(ofDynamic: identifier) == mediaType)
    }

    @Test func aCircleOfSubclassesEnds() throws {
        let one = try #require(database.type(forMediaType: "a/one"))
        #expect(database.conforms(one, to: .data) && !database.conforms(one, to: .text))
    }

    @Test func whatPeopleTypeIsUnderstood() throws {
        #expect(try database.type(named: "public.text") == .text)
        #expect(try database.type(named: "image/png").identifier == "public.png")
        #expect(try database.type(named: ".kra").identifier == "dyn.application.x-2dkrita")
        #expect(throws: DocumentError.self) { try database.type(named: ".unheard-of") }
        #expect(throws: DocumentError.self) { try database.type(named: "not a type") }
    }

    @Test func linesThatMakeNoSenseAreLeftOut() {
        var database = TypeDatabase(
            globs:
                "50\n::\n50:no-slash:*.x\n-1:a/b:*.x\n101:a/b:*.x\n50:a/b/c:*.x\n50:a/b:*\n50:a/b:\n50:a/b:*.\n50:a/\u{1}:*.x\n"
                + "50:a/b:*." + String(repeating: "x", count: 2_000) + "\n",
            subclasses: "a/b\na/b c/d e/f\nab cd\n", aliases: "\u{0}\n")
        #expect(database.mediaType(ofDocumentNamed: "a.x") == nil)
        database.add(globs: "50:a/late:*.x", subclasses: "", aliases: "")
        #expect(database.mediaType(ofDocumentNamed: "a.x") == "a/late")
        database.add(globs: "50:a/later:*.x", subclasses: "", aliases: "")
        #expect(database.mediaType(ofDocumentNamed: "a.x") == "a/late", "the folder of higher rank comes first")
    }

    @Test("a database of any size takes bounded memory")
    func bounds() {
        let globs = (0..<60_000).map { "50:a/b:*.e\($0)" }.joined(separator: "\n")
        let database = TypeDatabase(globs: globs)
        #expect(database.mediaType(ofDocumentNamed: "a.e49999") == "a/b")
        #expect(database.mediaType(ofDocumentNamed: "a.e50000") == nil)
    }
}
