import ArgumentParser
import DocumentModel
import Glibc

/// The program `docent`: reads its arguments, runs the command, and says what the exit code is.
package enum DocentTool {
    /// - Returns: 0, 1 for a failure, 64 for wrong usage, 78 for a mistake in the user's settings, or the exit status of a command
    ///   that was run on a document.
    package static func run(_ arguments: [String]) async -> Int32 {
        Console.keepStandardDescriptors()
        // A reader that goes away, as in “docent cat … | head”, is an error of the write and not our end.
        signal(SIGPIPE, SIG_IGN)
        return await Interruption.run { await perform(arguments) }
    }

    private static func perform(_ arguments: [String]) async -> Int32 {
        do {
            try requireCommand(behindWithIn: arguments)
            var command = try await Docent.asyncParseAsRoot(arguments)
            do {
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch let error as ValidationError {
                throw WrongUse(of: type(of: command), error)
            }
            return 0
        } catch is Console.ReaderHasGone {
            return 0
        } catch let failure as Failures {
            return failure.errors.isEmpty ? 0 : 1
        } catch {
            // Who interrupts knows why it ends.
            return Interruption.wasAsked ? 1 : tell(error)
        }
    }

    /// An argument is no text.
    ///
    /// - Parameter word: with something else in the place of what is not UTF-8.
    /// - Returns: 64.
    package static func refuse(notUTF8 word: String) -> Int32 {
        let shown = ErrorText.visible(word)
        Console.complain("docent: “\(shown)” is not UTF-8: documents and files are named in UTF-8 only.")
        return 64
    }

    /// What is said at the end of a run, and the exit code.
    package struct Report: Equatable, Sendable {
        package var code: Int32
        package var output: String
        package var complaint: String

        package init(code: Int32, output: String = "", complaint: String = "") {
            self.code = code
            self.output = output
            self.complaint = complaint
        }
    }

    /// What is said of arguments that are no command to run: help, the version, wrong usage. Nil for those that are.
    package static func report(ofParsing arguments: [String]) -> Report? {
        do {
            try requireCommand(behindWithIn: arguments)
            var command = try Docent.parseAsRoot(arguments)
            // All of ours are asynchronous; what is not is ArgumentParser's help.
            if !(command is any AsyncParsableCommand) { try command.run() }
            return nil
        } catch {
            return report(for: error)
        }
    }

    /// To ArgumentParser an option without its words is one that was not given.
    private static func requireCommand(behindWithIn arguments: [String]) throws {
        guard let name = arguments.first, ["open", "edit"].contains(name),
            arguments.firstIndex(of: "--with") == arguments.count - 1
        else { return }
        throw WrongUse(
            of: name == "open" ? OpenCommand.self : EditCommand.self,
            ValidationError(
                "No command is behind --with: write one, for example docent \(name) work:/notes.txt --with nano."))
    }

    /// What a command finds wrong about its arguments when it runs: ArgumentParser knows no more by then which one that was.
    private struct WrongUse: Error {
        let command: any ParsableCommand.Type
        let error: ValidationError

        init(of command: any ParsableCommand.Type, _ error: ValidationError) {
            self.command = command
            self.error = error
        }

        var report: Report {
            let usage = Docent.usageString(for: command)
            let names = usage.split(separator: " ").prefix { $0.first?.isLetter == true }.joined(separator: " ")
            return Report(
                code: ExitCode.validationFailure.rawValue,
                complaint: UsageText.text(
                    "\(error.message)\nUsage: \(usage)\n  See '\(names) --help' for more information."))
        }
    }

    package static func report(for error: any Error) -> Report {
        if let wrong = error as? WrongUse { return wrong.report }
        if let wrong = error as? WrongSetting {
            return Report(code: WrongSetting.code, complaint: ErrorText.text(for: wrong.error))
        }
        if isOurs(error) { return Report(code: 1, complaint: ErrorText.text(for: error)) }
        let code = Docent.exitCode(for: error)
        let message = Docent.fullMessage(for: error)
        // Help, the version, a completion script.
        if code == .success { return Report(code: 0, output: message) }
        return Report(code: code.rawValue, complaint: message.isEmpty ? "" : UsageText.text(message))
    }

    private static func tell(_ error: any Error) -> Int32 {
        let report = report(for: error)
        if !report.complaint.isEmpty { Console.complain(report.complaint) }
        guard !report.output.isEmpty else { return report.code }
        do {
            try Console.print(report.output)
            return report.code
        } catch is Console.ReaderHasGone {
            return report.code
        } catch {
            Console.complain(ErrorText.text(for: error))
            return 1
        }
    }

    /// ArgumentParser knows its own errors, and the exit codes that a command ends with; the others are ours to tell.
    private static func isOurs(_ error: any Error) -> Bool {
        !(error is ExitCode || error is ValidationError || error is CleanExit)
            && Docent.exitCode(for: error) == .failure
    }
}

struct Docent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docent",
        abstract: "Work with documents that live elsewhere.",
        discussion: """
            A domain is a place that documents come from: a folder, a server, an account. A provider is the program \
            that reaches it. Documents are named by locations: domain:/path, for example work:/Reports/q3.pdf. What \
            you open is downloaded then; what you change is sent back.

            A first round:
              docent provider list
              docent domain add work --provider org.docent.folder --set folder=~/Documents
              docent ls work:/
              docent edit work:/notes.txt
              docent status

            The host, docentd, is started when it is needed. It keeps everything in $DOCENT_ROOT, or in \
            ~/.local/share/docent.

            Exit codes: 0; 1 for a failure; 64 for wrong usage; 78 for a mistake in your settings. A command given with \
            --with hands on its own.
            """,
        version: "docent \(Version.current)",
        subcommands: [],
        groupedSubcommands: [
            CommandGroup(
                name: "Look",
                subcommands: [
                    ListCommand.self, StatCommand.self, CatCommand.self, ThumbnailCommand.self, StatusCommand.self,
                    EventsCommand.self,
                ]),
            CommandGroup(
                name: "Use documents",
                subcommands: [
                    PickCommand.self, OpenCommand.self, EditCommand.self, ImportCommand.self, ExportCommand.self,
                    MoveCommand.self, MountCommand.self, UnmountCommand.self,
                ]),
            CommandGroup(
                name: "Arrange",
                subcommands: [
                    MakeFolderCommand.self, RenameCommand.self, RemoveCommand.self, BookmarkCommand.self,
                ]),
            CommandGroup(
                name: "What is here",
                subcommands: [
                    DownloadCommand.self, EvictCommand.self, RefreshCommand.self, PinCommand.self, UnpinCommand.self,
                    KeepCommand.self, SpaceCommand.self,
                ]),
            CommandGroup(
                name: "What is sent and brought",
                subcommands: [
                    PauseCommand.self, ResumeCommand.self, ExcludeCommand.self, IncludeCommand.self,
                    IgnoreCommand.self, PlanCommand.self, TrashCommand.self,
                ]),
            CommandGroup(
                name: "Versions",
                subcommands: [
                    VersionsCommand.self, RestoreCommand.self, ConflictsCommand.self, ResolveCommand.self,
                ]),
            CommandGroup(
                name: "Set up",
                subcommands: [
                    ProviderCommand.self, DomainCommand.self, LoginCommand.self, LogoutCommand.self, ToolCommand.self,
                    ContainerCommand.self, HostCommand.self,
                ]),
        ]
    )
}

enum Version {
    static let current = Release.version
}

/// Several things were asked for, and some of them failed; what failed was told already.
struct Failures: Error {
    private(set) var errors: [any Error] = []

    /// Runs something for every element, tells each failure, and goes on.
    static func collect<Element>(_ elements: [Element], _ body: (Element) async throws -> Void) async throws {
        var failures = Failures()
        for element in elements {
            do {
                try await body(element)
            } catch let error where error is CancellationError || Interruption.wasAsked {
                throw error
            } catch let error as Console.ReaderHasGone {
                throw error
            } catch {
                Console.complain(ErrorText.text(for: error))
                failures.errors.append(error)
            }
        }
        if !failures.errors.isEmpty { throw failures }
    }
}
