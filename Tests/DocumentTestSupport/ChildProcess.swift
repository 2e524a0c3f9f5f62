import Foundation
import Glibc
package import SystemPackage

/// A program started with pipes on its three streams, for as long as a body runs; killed and reaped after it.
package struct ChildProcess {
    package let processID: Int32
    package let standardInput: FileDescriptor
    package let standardOutput: FileDescriptor
    /// Standard error goes to this file, so that nothing has to drain it.
    package let standardError: FilePath

    package static func with<Result>(
        _ executable: FilePath,
        arguments: [String] = [],
        environment: [String: String],
        body: (ChildProcess) async throws -> Result
    ) async throws -> Result {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let child = try start(
            executable, arguments: arguments, environment: environment, standardError: folder.appending("stderr")
        )
        defer { child.end() }
        return try await body(child)
    }

    /// What it wrote to standard error so far.
    package func errorText() -> String {
        (try? TemporaryFile.read(standardError)) ?? "(Standard error cannot be read.)"
    }

    /// Waits for its end and leaves it to be reaped.
    ///
    /// - Returns: its exit status, the negative signal that ended it, or nil when it still runs after the time.
    package func exitStatus(within limit: Duration) async throws -> Int32? {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while true {
            var info = siginfo_t()
            guard waitid(P_PID, id_t(processID), &info, WEXITED | WNOHANG | WNOWAIT) == 0 else {
                throw Errno(rawValue: errno)
            }
            if info._sifields._sigchld.si_pid == processID {
                let status = info._sifields._sigchld.si_status
                return info.si_code == Int32(CLD_EXITED) ? status : -status
            }
            if clock.now > deadline { return nil }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Where one of its descriptors leads, as the kernel tells it.
    package func target(of descriptor: Int32) throws -> String {
        try BuiltProducts.link("/proc/\(processID)/fd/\(descriptor)")
    }

    /// Its descriptors above the standard streams that a child of its own would get; but for those that it has got
    /// itself, through this process.
    package func inheritedDescriptors() throws -> [Int32] {
        let folder = "/proc/\(processID)/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
            guard let number = Int32(name), number > 2,
                let text = FileManager.default.contents(atPath: "\(folder)/\(name)"),
                let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first(where: {
                    $0.hasPrefix("flags:")
                }), let flags = Int32(line.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8)
            else { return nil }
            guard flags & O_CLOEXEC == 0 else { return nil }
            let ours = try? BuiltProducts.link("/proc/self/fd/\(number)")
            return try target(of: number) == ours ? nil : number
        }
    }

    package static func start(
        _ executable: FilePath, arguments: [String], environment: [String: String], standardError: FilePath
    ) throws -> ChildProcess {
        let (input, output) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
        for end in [input.readEnd, input.writeEnd, output.readEnd, output.writeEnd] {
            _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.readEnd.rawValue, 0)
        posix_spawn_file_actions_adddup2(&actions, output.writeEnd.rawValue, 1)
        posix_spawn_file_actions_addopen(&actions, 2, standardError.string, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

        var argv: [UnsafeMutablePointer<CChar>?] = ([executable.string] + arguments).map { strdup($0) } + [nil]
        var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in argv + envp { free(string) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, executable.string, &actions, nil, &argv, &envp)
        try input.readEnd.close()
        try output.writeEnd.close()
        guard code == 0 else {
            try input.writeEnd.close()
            try output.readEnd.close()
            throw Errno(rawValue: code)
        }
        return ChildProcess(
            processID: pid, standardInput: input.writeEnd, standardOutput: output.readEnd, standardError: standardError
        )
    }

    /// Killed and reaped; for whoever started it outside of a body.
    package func end() {
        kill(processID, SIGKILL)
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    }
}
