import Glibc

/// A provider that was started by a misbehaving host, in a session of its own.
final class SpawnedProvider {
    let pid: pid_t
    let pipe: FramePipe
    /// The reading end of its standard error, which nobody needs to read.
    private let errors: Int32
    private var status: Int32?

    /// What a pipe takes that nobody reads, in bytes: the least there is, so that it is full soon.
    private static let unreadBytes: Int32 = 4096

    /// - Parameter keepsErrors: its standard error is a pipe that nobody reads; else it is ours.
    init(_ command: [String], keepsErrors: Bool = false) throws {
        guard let program = command.first else { throw Misuse(description: "name a provider after “--”") }
        let input = try Self.pipe()
        let output = try Self.pipe()
        let errors = try Self.pipe()
        // F_SETPIPE_SZ, which Glibc's module leaves out.
        _ = fcntl(errors.writing, 1031, Self.unreadBytes)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
        if keepsErrors { posix_spawn_file_actions_adddup2(&actions, errors.writing, STDERR_FILENO) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF: it does not inherit that we ignore SIGPIPE.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, 0x80 | 0x04)
        var pid: pid_t = 0
        let result = Arguments.withCStrings(command) { words in
            posix_spawnp(&pid, program, &actions, &attributes, words, environ)
        }
        for end in [input.reading, output.writing, errors.writing] { close(end) }
        guard result == 0 else {
            for end in [input.writing, output.reading, errors.reading] { close(end) }
            throw Misuse(description: "“\(program)” cannot be started: errno \(result)")
        }
        self.pid = pid
        self.errors = errors.reading
        pipe = FramePipe(input: output.reading, output: input.writing)
    }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw Misuse(description: "no pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    func closeInput() { close(pipe.output) }
    func closeOutput() { close(pipe.input) }

    /// Its exit status, as `waitpid` tells; nil when it still runs after so many seconds.
    func wait(seconds: Double) -> Int32? {
        if let status { return status }
        var rest = Int(seconds * 100)
        while true {
            var status: Int32 = 0
            if waitpid(pid, &status, WNOHANG) == pid {
                self.status = status
                return status
            }
            guard rest > 0 else { return nil }
            rest -= 1
            usleep(10_000)
        }
    }

    /// Ends whatever is left of it.
    func kill() {
        Glibc.kill(-pid, SIGKILL)
        if status == nil {
            Glibc.kill(pid, SIGKILL)
            _ = wait(seconds: 10)
        }
    }
}
