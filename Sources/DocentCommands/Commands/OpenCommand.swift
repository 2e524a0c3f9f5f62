import ArgumentParser
import DocumentClient
import DocumentModel
import SystemPackage

struct OpenCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Have a document's contents here, and print its path or run a command on it.",
        discussion: """
            With --with, everything behind it is the command, without a shell. The document's path is put in place of \
            {}, or behind the last word when there is no {}. Nobody writes to the document while the command runs, \
            and the exit code is the command's.

            Examples:
              docent open work:/report.pdf
              docent open work:/report.pdf --with xdg-open
              docent open work:/data.csv --with sort -t , -k 2 {}
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Option(
        name: .customLong("with"), parsing: .remaining,
        help: ArgumentHelp("A command to run on it. Comes last.", valueName: "command …"))
    var command: [String] = []

    func run(_ client: DocumentClient) async throws {
        let status: Int32 = try await whileWaiting(for: location, client) { notice in
            try await client.coordinate(readingItemAt: location, progress: notice.report) { path, _ in
                notice.end()
                if command.isEmpty {
                    try Console.print(path.string)
                    return 0
                }
                return try await CommandLineProgram(words: command).runAndTell(on: path)
            }
        }
        if status != 0 { throw ExitCode(status) }
    }
}

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a document with an editor or a command, and send what changed.",
        discussion: """
            Runs the editor of $VISUAL or $EDITOR, or the command behind --with (see “docent help open” for how it is \
            given). Nobody else reads or writes the document meanwhile. Afterwards the change is safe on this \
            machine; docent waits until it is sent, too. Where nothing is yet, what the command writes is a new document.

            Examples:
              docent edit work:/notes.txt
              docent edit work:/notes.txt --with sed -i s/draft/final/
              docent edit --no-wait work:/notes.txt --with vim
            """
    )

    @Argument(help: "The document, as domain:/path.", completion: Completions.locations, transform: Arguments.location)
    var location: Location

    @Flag(help: "Do not wait until the change is sent.")
    var noWait = false

    @Option(
        name: .customLong("with"), parsing: .remaining,
        help: ArgumentHelp("The command to change it with. Comes last.", valueName: "command …"))
    var command: [String] = []

    func run() async throws {
        let program = command.isEmpty ? try CommandLineProgram.editor() : CommandLineProgram(words: command)
        let address = try HostAddress.asSet()
        var edit: Edit?
        do {
            try await withDocumentClient(tool: "docent edit", address: address) { client in
                try await whileWaiting(for: location, client) { notice in
                    try await client.coordinate(writingItemAt: location, progress: notice.report) { path, _ in
                        notice.end()
                        edit = try await Edit(with: program, of: path)
                    }
                }
                if let edit { try await finish(edit, by: program.name, client) }
            }
        } catch let error as DocumentError where error.code == .hostUnavailable {
            // The next host finds what was written, and sends it.
            guard let edit else { throw error }
            if noWait {
                Console.complain(
                    "docent: The host ended meanwhile: what was changed is safe here, and is sent by the next one.")
            } else {
                Console.complain("docent: The host ended meanwhile: a new one is started.")
                try await withDocumentClient(tool: "docent edit", address: address) {
                    try await finish(edit, by: program.name, $0)
                }
            }
        }
        if let edit, edit.status != 0 { throw ExitCode(edit.status) }
    }

    private func finish(_ edit: Edit, by program: String, _ client: DocumentClient) async throws {
        if edit.tookItAway {
            throw DocumentError(
                .noSuchItem,
                "\(program) took the file of \(location) away. Where it only has another place in the domain, the document follows it there; else it is as it was before: had it been saved somewhere else, give that file to Docent with “docent export”."
            )
        } else if !edit.hasChanged {
            Console.complain("\(location) was not changed.")
        } else if noWait {
            Console.complain("The change of \(location) is safe here, and \(await prospect(client)).")
        } else {
            try await client.waitUntilSentAndTell(location)
        }
    }

    /// What becomes of a change that nobody waits for.
    private func prospect(_ client: DocumentClient) async -> String {
        let items = try? await client.status(location).items
        switch items?.first(where: { $0.location == location })?.transfers.upload?.wait {
        case .resume?:
            return
                "is sent when it is resumed: docent resume \(ShellWord.quoted(location.description)), or what is paused around it"
        case .inclusion?: return "is not sent, as the document is excluded from sync"
        default: return "is being sent"
        }
    }

    /// What a command did to a document.
    private struct Edit {
        let status: Int32
        let hasChanged: Bool
        let tookItAway: Bool

        init(with program: CommandLineProgram, of path: FilePath) async throws {
            let before = FileMark(path)
            status = try await program.runAndTell(on: path)
            let after = FileMark(path)
            hasChanged = before != after
            tookItAway = before != nil && after == nil
        }
    }
}

extension CommandLineProgram {
    fileprivate func runAndTell(on path: FilePath) async throws -> Int32 {
        let status = try await run(on: path)
        if status > 128 {
            Console.complain("docent: \(name) was ended by signal \(status - 128).")
        } else if status != 0 {
            Console.complain("docent: \(name) ended with status \(status).")
        }
        return status
    }
}

extension DocumentClient {
    /// Waits until a change is sent, and says so; when it cannot be sent, says that it is safe.
    func waitUntilSentAndTell(_ location: Location) async throws {
        do {
            try await withProgress("Sending \(location)") { try await waitUntilSent(location, progress: $0) }
            Console.complain("Sent \(location).")
        } catch let error as DocumentError where error.code == .excludedFromSync {
            // By a rule of the user's, all is as it is to be.
            guard try await item(at: location).marks.ignoredBy != nil else { throw error }
            Console.complain(error.message)
        } catch let error as DocumentError where error.code == .cannotSynchronize {
            // Paused by the user, too.
            guard try await knownItem(at: location).marks.isPaused else { throw error }
            Console.complain(
                "The change of \(location) is safe here, and is sent when it is resumed: docent resume \(ShellWord.quoted(location.description)), or what is paused around it."
            )
        } catch let error as DocumentError
            where ![.inConflict, .hostUnavailable, .cancelled].contains(error.code)
        {
            throw error.wrapped(
                "The change of \(location) is safe here, but could not be sent yet: it is tried again, and “docent status” says how it stands."
            )
        }
    }
}
