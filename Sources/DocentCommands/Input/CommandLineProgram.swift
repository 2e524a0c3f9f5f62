import DocumentModel
import Glibc
import Synchronization
import SystemPackage

/// A command that the user named, run on a document: with this process's terminal, without a shell.
struct CommandLineProgram: Sendable {
    let words: [String]

    /// - Parameter words: the command; every `{}` in it becomes the document's path, which is appended when there is
    ///   none.
    init(words: [String]) {
        self.words = words
    }

    /// The user's editor.
    static func editor() throws(DocumentError) -> CommandLineProgram {
        for name in ["VISUAL", "EDITOR"] {
            let words = (getenv(name).map { String(cString: $0) } ?? "").split(separator: " ").map(String.init)
            if !words.isEmpty { return CommandLineProgram(words: words) }
        }
        throw DocumentError(
            .invalidArgument,
            "No editor is known: set VISUAL or EDITOR, or name a command, for example docent edit LOCATION --with nano."
        )
    }

    var name: String { words.first ?? "" }

    func arguments(for path: FilePath) -> [String] {
        guard words.contains(where: { $0.contains("{}") }) else { return words + [path.string] }
        return words.map { $0.split(separator: "{}", omittingEmptySubsequences: false).joined(separator: path.string) }
    }

    /// Runs it to its end.
    ///
    /// - Returns: its exit status; 128 and the signal's number when a signal ended it.
    func run(on path: FilePath) async throws -> Int32 {
        let arguments = arguments(for: path)
        // As a shell does it: the terminal's signals are for the command. A request to end is passed on to it, and
        // we end in order when it has.
        let signals = ForwardedSignals()
        defer { signals.restore() }
        let process = try Self.spawn(arguments)
        signals.forward(to: process)
        return await Self.waiting(for: process)
    }

    /// Runs a program to its end, with these words and this environment and nothing else: in a folder, without input, and
    /// what it has to say goes to standard error.
    static func run(
        _ arguments: [String], environment: [String], in folder: FilePath
    ) async throws -> Int32 {
        let signals = ForwardedSignals()
        defer { signals.restore() }
        // The system's own way to a folder, which glibc does not offer to us.
        let process = try spawn(["/usr/bin/env", "-C", folder.string] + arguments, environment: environment)
        signals.forward(to: process)
        return await waiting(for: process)
    }

    private static func spawn(
        _ arguments: [String], environment: [String]? = nil
    ) throws(DocumentError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if environment != nil {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        var variables = (environment ?? []).map { strdup($0) } + [nil]
        defer { for variable in variables { free(variable) } }
        let error =
            environment == nil
            ? posix_spawnp(&process, arguments.first ?? "", &actions, &attributes, &words, environ)
            : posix_spawn(&process, arguments.first ?? "", &actions, &attributes, &words, &variables)
        guard error == 0 else {
            throw DocumentError(
                .invalidArgument,
                "The command “\(arguments.first ?? "")” cannot be run (\(Errno(rawValue: error))): check its name."
            )
        }
        return process
    }

    /// Waits on a thread of its own: an editor may run for hours.
    private static func waiting(for process: pid_t) async -> Int32 {
        await withCheckedContinuation { continuation in
            let waiter = Waiter(process: process, continuation: continuation)
            var thread = pthread_t()
            let error = pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Waiter>.fromOpaque(argument).takeRetainedValue().wait() }
                    return nil
                }, Unmanaged.passRetained(waiter).toOpaque())
            if error == 0 {
                pthread_detach(thread)
            } else {
                Unmanaged.passUnretained(waiter).release()
                waiter.wait()
            }
        }
    }

    private final class Waiter: Sendable {
        let process: pid_t
        let continuation: CheckedContinuation<Int32, Never>

        init(process: pid_t, continuation: CheckedContinuation<Int32, Never>) {
            self.process = process
            self.continuation = continuation
        }

        func wait() {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
        }
    }
}

/// While a command runs: what the terminal sends is left to the command, and requests to end are passed on.
private struct ForwardedSignals {
    private static let ignored = [SIGINT, SIGQUIT]
    private static let forwarded = [SIGTERM, SIGHUP]
    /// What a signal handler can reach: the command's process, 0 before it runs.
    private static let target = Atomic<Int32>(0)

    init() {
        for number in Self.ignored { signal(number, SIG_IGN) }
    }

    func forward(to process: pid_t) {
        Self.target.store(process, ordering: .sequentiallyConsistent)
        for number in Self.forwarded {
            signal(number) { number in
                let process = ForwardedSignals.target.load(ordering: .sequentiallyConsistent)
                if process > 0 { kill(process, number) }
            }
        }
    }

    func restore() {
        Self.target.store(0, ordering: .sequentiallyConsistent)
        for number in Self.ignored + Self.forwarded { signal(number, SIG_DFL) }
    }
}
