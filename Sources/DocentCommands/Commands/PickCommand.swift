import ArgumentParser
import DocumentClient
import DocumentModel
import DocumentTypes
import Glibc
import SystemPackage

struct PickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick",
        abstract: "Choose a document in a full-screen picker, and print its path.",
        discussion: """
            The picker draws on the terminal, so that standard output carries nothing but the path. Type to filter; \
            arrow keys, Enter and Backspace lead through folders; Escape cancels, with exit code 1.

            Examples:
              vim "$(docent pick)"                            open a document in its place
              docent edit "$(docent pick --location)"         what you change is sent at once
              docent pick --mode import --type image/png      copy a picture to the current folder
              docent pick --mode export report.pdf            choose where a copy of it goes
              docent pick --mode move report.pdf --from work  choose where it goes, in the domain work
              docent pick --for org.example.notes             give a registered tool a document; prints its bookmark
            """
    )

    @Option(
        help: "open, import, export or move.", completion: .list(PickerMode.allCases.map(\.rawValue)),
        transform: Arguments.mode)
    var mode: PickerMode = .open

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only documents of this type: public.text, text/plain or .txt. May be given several times.",
            valueName: "type"))
    var types: [String] = []

    @Option(help: "Only this domain.", completion: Completions.domains, transform: Arguments.domain)
    var from: DomainName?

    @Flag(help: "Import and open: several documents may be marked with Tab; each path is a line.")
    var several = false

    @Flag(help: "Print the document's location, domain:/path, instead of its path.")
    var location = false

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Open: print a bookmark that gives this registered tool what is chosen, and nothing else.",
            valueName: "tool"), transform: Arguments.tool)
    var tool: ToolIdentifier?

    @Flag(help: "With --for: the tool may only read it.")
    var readOnly = false

    @Argument(
        help: "Export and move: the local document. Import: the copy, or the folder it goes to (default: here).",
        completion: .file())
    var file: String?

    func validate() throws {
        if mode == .open, file != nil {
            throw ValidationError("In the mode open no file is named: it is to be chosen.")
        }
        if !mode.choosesDocuments {
            if file == nil {
                throw ValidationError("Name the local document: docent pick --mode \(mode.rawValue) FILE")
            }
            if several { throw ValidationError("In \(mode.rawValue) there is one document: leave --several out.") }
            if !types.isEmpty { throw ValidationError("In \(mode.rawValue) there are no types: the document has one.") }
        }
        if mode == .import, several, let file, !Self.isFolder(file) {
            throw ValidationError("\(file) is not a folder, and several documents need one to go to.")
        }
        if mode != .open, tool != nil {
            throw ValidationError(
                "Only what is opened in its place can be given to a tool: use --for with --mode open.")
        }
        if readOnly, tool == nil {
            throw ValidationError("--read-only is for what is given to a tool: name it with --for.")
        }
        if location, tool != nil { throw ValidationError("With --for a bookmark is printed: leave --location out.") }
        if mode == .import, location { throw ValidationError("A copy has a path, and no location.") }
    }

    func run() async throws {
        let request = try request()
        let address = try HostAddress.asSet()
        try TerminalScreen.require()
        let destination = destination
        let lines = try await withDocumentClient(tool: "docent pick", address: address) { client in
            // A tool that is not registered is told of before anybody has chosen.
            if let tool { _ = try await client.tool(tool) }
            let documents = try await client.withPickerSession(request) { session in
                let screen = try TerminalScreen()
                defer { screen.close() }
                return try await PickerShell(
                    session: session, client: client, screen: screen, destination: destination,
                    leave: { code in
                        screen.giveBack()
                        _exit(code)
                    }
                ).run(originalName: request.originalPath.flatMap { FilePath($0).lastComponent?.string })
            }
            var lines: [String] = []
            for document in documents { lines.append(try await line(document, client)) }
            return lines
        }
        for line in lines { try Console.print(line) }
    }

    private func line(_ document: PickedDocument, _ client: DocumentClient) async throws -> String {
        if let tool {
            let options = BookmarkOptions(rights: readOnly ? .readOnly : .readWrite, tool: tool)
            return try await client.bookmark(of: document.location, options: options).text
        }
        return (location ? nil : document.path?.string) ?? document.location.description
    }

    private func request() throws -> PickerRequest {
        guard mode.choosesDocuments else {
            return try PickerRequest(mode, originalPath: try Arguments.absolutePath(file ?? ""), domain: from)
        }
        let database = MachineTypes().current
        let wanted = try types.map { try Arguments.type($0, database) }
        return try PickerRequest(
            mode, types: wanted.isEmpty ? [.content] : wanted, domain: from, allowsSeveral: several)
    }

    /// Where the copy goes: the file that was named, or the document's name in the folder that was.
    private var destination: @Sendable (ItemName) -> FilePath {
        let file = FilePath(file ?? "")
        return { name in file.isEmpty || Self.isFolder(file.string) ? file.appending(name.rawValue) : file }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
