import DocumentModel
import DocumentTypes
import Testing

@testable import DocentCommands

@Suite struct MergeProgramsTests {
    private let settings = """
        # mine
        public.json   /bin/json-merge {base} {ours} {theirs} --to={result}

        .txt\t/bin/lines {ours} {theirs} {result}
        """

    @Test("VER-5: the first program whose type a document conforms to merges it; others are merged by lines, if at all")
    func chosen() throws {
        let programs = try MergePrograms(text: settings, from: "settings")
        let database = TypeDatabase()
        let json = try programs.program(for: ContentType("public.json"), database)
        #expect(json?.words.first == "/bin/json-merge")
        let text = try programs.program(for: database.type(named: ".txt"), database)
        #expect(text?.words.first == "/bin/lines")
        #expect(try programs.program(for: ContentType("public.png"), database) == nil)
        #expect(try MergePrograms(text: "", from: "settings").rules.isEmpty)
    }

    @Test("VER-5: paths take their places in the words, also within one")
    func arguments() throws {
        let program = try #require(try MergePrograms(text: settings, from: "settings").rules.first?.program)
        let paths = ["base": "/b c", "ours": "/o", "theirs": "/t", "result": "/r"]
        #expect(program.arguments(paths) == ["/bin/json-merge", "/b c", "/o", "/t", "--to=/r"])
    }

    @Test(
        "Settings that make no sense are refused with their line", arguments: ["public.json", "a b c", "a /b {ours}"])
    func refused(line: String) {
        let error = #expect(throws: DocumentError.self) { try MergePrograms(text: "# x\n" + line, from: "settings") }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("settings, line 2") == true)
    }
}
