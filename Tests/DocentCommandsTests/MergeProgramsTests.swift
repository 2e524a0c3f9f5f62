import DocumentModel
import DocumentTypes
import Foundation
import Testing

@testable import DocentCommands

@Suite struct MergeProgramsTests {
    private let settings = """
        # mine
        public.json   /bin/json-merge {base} {ours} {theirs} --to={result}

        .txt\t/bin/lines {ours} {theirs} {result}
        """

    /// A document as the host tells of it.
    private func document(_ name: String, _ type: ContentType? = nil) throws -> Item {
        try Item(
            id: ItemIdentifier(name), parentID: .root, name: ItemName(name), kind: .document, contentType: type,
            version: ItemVersion(content: [1]))
    }

    @Test("VER-5: the first program whose type a document conforms to merges it; others are merged by lines, if at all")
    func chosen() throws {
        let programs = try MergePrograms(text: settings, from: "settings")
        let database = TypeDatabase()
        let json = try programs.program(for: document("a.json"), database)
        #expect(json?.words.first == "/bin/json-merge")
        let text = try programs.program(for: document("a.txt"), database)
        #expect(text?.words.first == "/bin/lines")
        let picture = try programs.program(for: document("a.png"), database)
        #expect(picture == nil)
        #expect(try MergePrograms(text: "", from: "settings").rules.isEmpty)
    }

    @Test("VER-5: an ending that stands for no type is about the names that end in it, and other lines hold beside it")
    func unknownEnding() throws {
        let programs = try MergePrograms(
            text: ".drawing /bin/drawings {ours} {result}\n" + settings, from: "settings")
        let database = TypeDatabase()
        let drawing = try programs.program(for: document("Plan.Drawing", .data), database)
        #expect(drawing?.words.first == "/bin/drawings")
        let json = try programs.program(for: document("a.json"), database)
        #expect(json?.words.first == "/bin/json-merge")
        let other = try programs.program(for: document("a.sketch", .data), database)
        #expect(other == nil)
    }

    @Test("VER-5: where the host knows a document as data only, this machine's types say more by its name")
    func byName() throws {
        let database = TypeDatabase(globs: "50:application/x-krita:*.kra")
        let programs = try MergePrograms(
            text: "application/x-krita /bin/paint {ours} {result}", from: "settings")
        let painting = try programs.program(for: document("a.kra", .data), database)
        #expect(painting?.words.first == "/bin/paint")
    }

    @Test("A type that cannot be is told with its line")
    func impossibleType() throws {
        let programs = try MergePrograms(text: "no_type /bin/x {result}", from: "settings")
        let document = try document("a.txt")
        let error = #expect(throws: DocumentError.self) { try programs.program(for: document, TypeDatabase()) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("settings, line 1") == true)
    }

    @Test("Settings that cannot be read, or are too large, are an error; those that are not there say nothing")
    func read() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("merge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("merge-programs")
        #expect(try MergePrograms.text(of: file.path) == "")
        try Data(settings.utf8).write(to: file)
        #expect(try MergePrograms.text(of: file.path) == settings)
        try Data(repeating: UInt8(ascii: "#"), count: 1 << 16 | 1).write(to: file)
        // A folder is no file.
        for path in [file.path, folder.path] {
            let error = #expect(throws: DocumentError.self) { try MergePrograms.text(of: path) }
            #expect(error?.code == .localStorage)
            #expect(error?.message.contains(path) == true)
        }
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
