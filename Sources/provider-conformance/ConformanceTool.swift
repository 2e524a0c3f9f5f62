import ArgumentParser
import DocumentModel
import Glibc

/// The program's commands.
@main
struct ConformanceTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider-conformance",
        abstract: "Shows whether a provider for Docent, in any language, does what the protocol asks of it.",
        discussion: """
            Exit status: 0 when all is as expected, 1 with failures, 2 for wrong usage, 3 when the kit itself failed.
            """,
        version: "provider-conformance \(Release.version)",
        subcommands: [RunCommand.self, RunHostCommand.self, ListCommand.self, ReplayCommand.self])

    static func main() async {
        // Who reads a part only, as head does, is no reason to end before the reports are written.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            exit(with: error)
        }
        if !ToolOutput.isWhole { ToolOutput.end(3, ExitCode(3), "") }
    }

    /// Ends the program: ArgumentParser's own status for wrong usage is another one.
    private static func exit(with error: any Error) -> Never {
        ToolOutput.end(exitCode(for: error) == .validationFailure ? 2 : nil, error, fullMessage(for: error))
    }
}
