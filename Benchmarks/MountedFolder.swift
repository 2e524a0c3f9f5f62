import DocumentClient
import DocumentModel
import Glibc
import SystemPackage

/// A folder with documents: as it is, as a domain that is mounted, and, where asked for, mounted by rclone as well.
///
/// The mounts are served by processes of their own: a process that waits for a mount of its own may wait for ever.
struct MountedFolder {
    let host: TemporaryHost
    /// The folder itself.
    let native: FilePath
    /// The same documents, mounted.
    let mounted: FilePath
    /// The same, mounted by rclone.
    let other: FilePath
    private let mountPoint: FilePath
    private let hasOther: Bool

    /// - Parameter fill: makes the documents in the folder.
    init(withOther: Bool = false, readsAhead: Bool = true, _ fill: (FilePath) throws -> Void) throws {
        host = try TemporaryHost()
        native = host.path.appending("native")
        mountPoint = host.path.appending("mount")
        mounted = mountPoint.appending("bench")
        other = host.path.appending("other")
        hasOther = withOther
        for folder in [native, other] {
            guard mkdir(folder.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        }
        try fill(native)
        try Self.run([
            Self.docent, "domain", "add", "bench", "--provider", "org.docent.folder", "--set", "folder=\(native)",
        ])
        try Self.run([Self.docent, "mount", mountPoint.string] + (readsAhead ? [] : ["--no-read-ahead"]))
        guard withOther else { return }
        try Self.run([
            "rclone", "mount", native.string, other.string, "--vfs-cache-mode", "full", "--daemon", "--cache-dir",
            host.path.appending("rclone").string,
        ])
    }

    func remove() {
        if hasOther { try? Self.run(["fusermount3", "-u", other.string]) }
        try? Self.run([Self.docent, "unmount", mountPoint.string])
        try? Self.run([Self.docent, "host", "stop"])
        host.remove()
    }

    /// Beside this program.
    static var docent: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return FilePath(own).removingLastComponent().appending("docent").string
    }

    /// Runs a command to its end; what it prints is of no interest.
    static func run(_ command: [String]) throws {
        guard wait(try spawn(command)) == 0 else { throw Errno.ioError }
    }

    /// Starts a command; what it prints is of no interest.
    static func spawn(_ command: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var arguments = command.map { (argument: String) in strdup(argument) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let error = posix_spawnp(&pid, command[0], &actions, nil, &arguments, environ)
        guard error == 0 else { throw Errno(rawValue: error) }
        return pid
    }

    /// - Returns: the status that it ended with.
    @discardableResult
    static func wait(_ pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        return status
    }

    /// Opens a file, looks at it, as programs do, and reads all of it, so many bytes at a time.
    ///
    /// - Returns: how many bytes there were.
    @discardableResult
    static func read(_ path: FilePath, by step: Int) throws -> Int {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var status = stat()
            guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
            return try withUnsafeTemporaryAllocation(byteCount: step, alignment: 4096) { buffer in
                var count = 0
                while case let next = try file.read(into: buffer), next > 0 { count += next }
                return count
            }
        }
    }

    /// Small documents with numbers as names, each opened, looked at, read to its end, and closed, as `cat` does.
    ///
    /// - Returns: how long one takes, in microseconds.
    static func openAll(_ count: Int, in folder: FilePath) throws -> Double {
        let time = try microseconds {
            for document in 0..<count {
                guard try read(folder.appending("\(document).txt"), by: 8192) == 4096 else { throw Errno.ioError }
            }
        }
        return time / Double(count)
    }

    static func write(_ bytes: [UInt8], times: Int = 1, to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        try file.closeAfter { for _ in 0..<times { _ = try file.writeAll(bytes) } }
    }

    static func microseconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start).microseconds
    }
}
