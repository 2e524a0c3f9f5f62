import CDocentShims
import DocumentClient
import DocumentModel
import DocumentMount
import Glibc
import SystemPackage

/// Starts a process that serves a mount and outlives this one, and returns when the mount is there.
struct BackgroundMount {
    /// How long it may take: it may have to start the host first.
    private static let patience = Duration.seconds(90)

    private let point: MountPoint
    private let options: [String]

    /// - Parameter options: of `docent mount`, handed on.
    init(at point: MountPoint, options: [String]) {
        self.point = point
        self.options = options
    }

    func start() async throws {
        guard !point.isMounted || point.process == nil else {
            throw DocumentError(
                .destinationExists,
                "Documents are mounted at \(point.path) already: docent unmount \(point.path) ends that.")
        }
        // What it says when it fails is ours to tell.
        let log = try Self.temporaryFile()
        defer { try? log.close() }
        guard let program = realpath("/proc/self/exe", nil) else {
            throw DocumentError(.localStorage, "This program's own file cannot be found: use --foreground.")
        }
        defer { free(program) }
        let words = [String(cString: program), "mount", "--foreground"] + options + ["--", point.path.string]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        let result = docent_start_daemon(program, &arguments, environ, log.rawValue)
        let process = result > 0 ? docent_open_process(result) : -1
        guard process >= 0 else {
            throw DocumentError(
                .localStorage,
                "The mount cannot be started (\(Errno(rawValue: result > 0 ? -process : -result))): use --foreground.",
                causes: Self.lines(of: log))
        }
        defer { close(process) }
        let deadline = ContinuousClock.now + Self.patience
        while point.process != result {
            guard docent_process_has_ended(process) == 0, ContinuousClock.now < deadline else {
                kill(result, SIGTERM)
                var said = Self.lines(of: log)
                let first = said.isEmpty ? "The mount at \(point.path) ended at once." : said.removeFirst()
                throw DocumentError(.localStorage, first, causes: said)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func temporaryFile() throws(DocumentError) -> FileDescriptor {
        let folder = FilePath(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
        var name = Array(folder.appending("docent-mount.XXXXXX").string.utf8CString)
        let number = mkstemp(&name)
        guard number >= 0 else {
            throw DocumentError(.localStorage, "There is no room for the mount's messages (\(Errno(rawValue: errno))).")
        }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unlink(name)
        return FileDescriptor(rawValue: number)
    }

    private static func lines(of log: FileDescriptor) -> [String] {
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = (try? log.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
        return bytes.split(separator: UInt8(ascii: "\n")).map { line in
            let text = ItemName.printable(String(decoding: line, as: UTF8.self), limit: 400)
            // As it was said to a person, whom we tell anew.
            let introduction = ["docent: ", "  because: "].first { text.hasPrefix($0) } ?? ""
            return String(text.dropFirst(introduction.count))
        }
    }
}
