import CDocentShims
import DocumentModel
import DocumentTransport
import Glibc
import Logging
import SystemPackage

extension Provider {
    /// The whole program: serves the host on standard input and output until it says goodbye.
    ///
    /// Whatever prints to standard output from here on prints to standard error, which the host logs.
    @MainActor public static func main() async {
        exit(await ProviderProgram.run(Self.self))
    }
}

/// The process around a provider.
enum ProviderProgram {
    /// Set by the host when it starts a provider. A courtesy to people, not a secret.
    static let cookieKey = "DOCENT_PROVIDER_COOKIE"
    /// Stops the provider before its first frame; the host, which has the same variable, is patient then.
    private static let debuggerKey = "DOCENT_WAIT_FOR_DEBUGGER"
    /// How long a provider that has lost its host may take to end.
    private static let graceMilliseconds: Int32 = 3000
    private static let wrongUsage: Int32 = 64

    static func run<P: Provider>(_ type: P.Type) async -> Int32 {
        guard getenv(cookieKey) != nil else {
            complain(introduction(program: CommandLine.arguments.first ?? "\(P.self)"))
            return wrongUsage
        }
        var input: Int32 = -1
        var output: Int32 = -1
        let status = docent_protect_standard_streams(&input, &output)
        guard status == 0 else {
            complain("Standard input and output could not be used for frames: \(Errno(rawValue: -status)).")
            return 1
        }
        ignoreBrokenPipeSignal()
        // A file that may not grow any more fails its write, as on a full disk.
        signal(SIGXFSZ, SIG_IGN)
        if getenv(debuggerKey) != nil {
            complain("Process \(getpid()) waits for a debugger, or for SIGCONT.")
            raise(SIGSTOP)
        }
        // When it fails there is no watch; the end of the stream still ends the session.
        _ = docent_exit_after_hang_up(input, graceMilliseconds)

        let loop = EventLoop(name: "provider")
        let end = PipeEnd(
            reading: FileDescriptor(rawValue: input), writing: FileDescriptor(rawValue: output), loop: loop
        )
        let logger = Self.transportLogger
        let problem = await withTaskExecutorPreference(loop) { () async -> DocumentError? in
            do throws(DocumentError) {
                let ended = try await ProviderSession.run(P.self, over: end, loop: loop, logger: logger)
                return ended.reason == .failed ? ended.error : nil
            } catch {
                return error
            }
        }
        guard let problem else { return 0 }
        complain(problem.description)
        // Without a version in common a provider has done what it had to: the host knows, and tells the user.
        return problem.code == .unimplemented ? 0 : 1
    }

    private static var transportLogger: Logger {
        var logger = Logger(label: "docent.transport") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }

    private static func complain(_ text: String) {
        // Nobody is left to be told that standard error cannot be written to.
        _ = try? FileDescriptor.standardError.writeAll((text + "\n").utf8)
    }

    static func introduction(program: String) -> String {
        let name = FilePath(program).lastComponent?.string ?? program
        return """
            \(name) is a provider for Docent: a program that Docent starts by itself to reach documents that are kept \
            elsewhere. It does nothing when it is started by hand.

            To use it, put the folder that holds its provider.toml into ~/.local/share/docent/providers and run:

                docent provider list
                docent domain add NAME --provider IDENTIFIER
                docent ls NAME:/
            """
    }
}
