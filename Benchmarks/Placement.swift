import Glibc
import SystemPackage

/// Which processors two processes run on. Where messages are all that is measured, this decides more than anything else: to
/// wake a process on another processor takes several times as long as to change over to it on one's own. What is compared
/// has to be placed alike.
enum Placement: Sendable {
    /// As the system likes.
    case free
    /// On two processors.
    case apart
    /// On one.
    case together

    /// Places this process, with all threads that it has, and another one.
    func place(other process: pid_t) throws {
        switch self {
        case .free: return
        case .apart:
            try Self.bind(getpid(), to: "0")
            try Self.bind(process, to: "1")
        case .together:
            try Self.bind(getpid(), to: "0")
            try Self.bind(process, to: "0")
        }
    }

    /// This process may run everywhere again.
    func end() throws {
        guard self != .free else { return }
        try Self.bind(getpid(), to: "0-\(sysconf(Int32(_SC_NPROCESSORS_CONF)) - 1)")
    }

    private static func bind(_ process: pid_t, to processors: String) throws {
        var arguments =
            ["taskset", "-a", "-c", "-p", processors, "\(process)"].map { (word: String) in strdup(word) } + [nil]
        defer { for argument in arguments { Glibc.free(argument) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var pid: pid_t = 0
        let error = posix_spawnp(&pid, "taskset", &actions, nil, &arguments, environ)
        guard error == 0 else { throw Errno(rawValue: error) }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else { throw Errno.invalidArgument }
    }
}
