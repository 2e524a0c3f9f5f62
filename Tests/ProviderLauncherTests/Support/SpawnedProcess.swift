import Glibc
import SystemPackage

/// A process that a test started itself, without the code under test. Killed and reaped when the last reference goes.
final class SpawnedProcess: Sendable {
    let pid: pid_t
    let output: FileDescriptor

    init(_ program: FilePath, _ arguments: [String]) throws {
        let pipe = try FileDescriptor.pipe(options: .closeOnExec)
        output = pipe.readEnd
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe.writeEnd.rawValue, 1)
        posix_spawn_file_actions_adddup2(&actions, pipe.writeEnd.rawValue, 2)
        var argv: [UnsafeMutablePointer<CChar>?] = ([program.string] + arguments).map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var pid: pid_t = 0
        let result = posix_spawn(&pid, program.string, &actions, nil, &argv, environ)
        try pipe.writeEnd.close()
        guard result == 0 else { throw Errno(rawValue: result) }
        self.pid = pid
    }

    deinit {
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        try? output.close()
    }

    /// All that it and its children print until the last of them has closed its output.
    func allOutput() throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = try buffer.withUnsafeMutableBytes({ try output.read(into: $0) }), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func line() throws -> String {
        var bytes: [UInt8] = []
        var byte: [UInt8] = [0]
        while try byte.withUnsafeMutableBytes({ try output.read(into: $0) }) == 1, byte[0] != UInt8(ascii: "\n") {
            bytes += byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reaps it, and gives the status as a shell would.
    func status() -> CInt {
        var status: CInt = 0
        waitpid(pid, &status, WNOHANG | WUNTRACED)
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}

/// Whether a process lives. A zombie is dead: nobody may be there to reap it.
func isAlive(_ pid: pid_t) -> Bool {
    guard let file = try? FileDescriptor.open(FilePath("/proc/\(pid)/stat"), .readOnly, options: [.closeOnExec]) else {
        return false
    }
    var buffer = [UInt8](repeating: 0, count: 1024)
    guard let count = try? file.closeAfter({ try buffer.withUnsafeMutableBytes { try file.read(into: $0) } }),
        let name = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), name + 2 < count
    else { return false }
    return buffer[name + 2] != UInt8(ascii: "Z") && buffer[name + 2] != UInt8(ascii: "X")
}

/// Polls until it holds.
func holdsSoon(within limit: Duration = .seconds(20), _ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        usleep(5_000)
    }
    return true
}

/// The same for tests that share their threads with what they wait for.
func holdsSoon(within limit: Duration = .seconds(20), _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}

/// Where the build products lie: beside the test bundle.
let buildProducts: FilePath = {
    let arguments = CommandLine.arguments.map { FilePath($0) }
    let bundle = arguments.first { $0.string.hasSuffix(".xctest") } ?? FilePath("/proc/self/exe")
    guard let real = realpath(bundle.string, nil) else { return bundle.removingLastComponent() }
    defer { free(real) }
    return FilePath(platformString: real).removingLastComponent()
}()

let trampoline = buildProducts.appending("docent-trampoline")
