internal import CDocentShims
internal import DocumentModel
internal import DocumentTransport
internal import Glibc
internal import SystemPackage

/// Starts a host that outlives this process, and tells what became of it.
struct HostStarter {
    let address: HostAddress
    private var executable = FilePath()
    private var process: FileDescriptor?
    /// When the process was first seen to have ended.
    private var endedAt: ContinuousClock.Instant?
    /// How long the log was before.
    private var logStart: Int64 = 0

    /// How long to wait for another host when ours has ended: two tools may start one at the same time, and the
    /// second of the two hosts ends at once.
    private static let graceForAnother = Duration.seconds(5)

    init(address: HostAddress) {
        self.address = address
    }

    /// Starts it.
    ///
    /// - Parameter executable: nil: `docentd` beside this program, or in the `PATH`.
    mutating func start(executable: FilePath?) throws(DocumentError) {
        if let executable {
            self.executable = executable
        } else {
            self.executable = try Self.findExecutable()
        }
        let log = try openLog()
        defer { try? log.close() }
        logStart = (try? log.seek(offset: 0, from: .end)) ?? 0

        var arguments = Self.cStrings([self.executable.string])
        var environment = Self.cStrings(childEnvironment())
        defer { for string in arguments + environment { free(string) } }
        let result = docent_start_daemon(self.executable.string, &arguments, &environment, log.rawValue)
        guard result > 0 else {
            throw DocumentError(
                .hostUnavailable,
                "The host \(self.executable) cannot be started (\(Errno(rawValue: -result))): install Docent anew, or start docentd by hand."
            )
        }
        let descriptor = docent_open_process(result)
        if descriptor >= 0 {
            process = FileDescriptor(rawValue: descriptor)
        } else {
            endedAt = ContinuousClock().now
        }
    }

    /// Throws when the host that was started has ended, and no other one has come up since.
    mutating func check() throws(DocumentError) {
        if endedAt == nil, let process, docent_process_has_ended(process.rawValue) != 0 {
            endedAt = ContinuousClock().now
        }
        guard let endedAt else { return }
        let isLocked = logTail().contains { $0.contains("is in use by process") }
        let grace = isLocked ? Self.graceForAnother : .milliseconds(200)
        if ContinuousClock().now - endedAt > grace { throw failure("ended at once") }
    }

    /// Gives up what is held for watching the process.
    mutating func release() {
        try? process?.close()
        process = nil
    }

    /// The error for a host that did not come up, with what its log says.
    func failure(_ what: String) -> DocumentError {
        let tail = logTail()
        return DocumentError(
            .hostUnavailable,
            "The host \(executable) \(what): \(tail.isEmpty ? "its log \(address.log) says nothing." : "see its log \(address.log).")",
            causes: tail
        )
    }

    /// The last lines that were written since the start.
    private func logTail() -> [String] {
        guard let file = try? FileDescriptor.open(FilePath(address.log), .readOnly, options: .closeOnExec) else {
            return []
        }
        defer { try? file.close() }
        let end = (try? file.seek(offset: 0, from: .end)) ?? 0
        // The daemon begins a new log when one is full.
        let start = max(end < logStart ? 0 : logStart, end - 4_096)
        guard end > start else { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(end - start)) { buffer, count in
            count = (try? file.read(fromAbsoluteOffset: start, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
        return bytes.split(separator: UInt8(ascii: "\n")).suffix(5).map { line in
            ItemName.printable(String(decoding: line, as: UTF8.self), limit: 400)
        }
    }

    private func openLog() throws(DocumentError) -> FileDescriptor {
        do {
            for folder in [address.root, address.stateFolder] { try Self.makeFolder(FilePath(folder)) }
            return try FileDescriptor.open(
                FilePath(address.log), .writeOnly, options: [.create, .append, .closeOnExec],
                permissions: [.ownerReadWrite])
        } catch {
            throw DocumentError(
                .localStorage,
                "The storage root \(address.root) cannot be written to (\(error)): give DOCENT_ROOT a folder of yours, or make room."
            )
        }
    }

    /// Makes a folder for the user alone, and those around it.
    private static func makeFolder(_ folder: FilePath) throws(Errno) {
        if mkdir(folder.string, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, !folder.removingLastComponent().isEmpty else { throw Errno(rawValue: errno) }
        try makeFolder(folder.removingLastComponent())
        if mkdir(folder.string, 0o700) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
    }

    private static func findExecutable() throws(DocumentError) -> FilePath {
        var candidates: [FilePath] = []
        if let own = realpath("/proc/self/exe", nil) {
            candidates.append(FilePath(String(cString: own)).removingLastComponent())
            free(own)
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        candidates += path.split(separator: ":").map { FilePath(String($0)) }.filter(\.isAbsolute)
        for folder in candidates where access(folder.appending("docentd").string, X_OK) == 0 {
            return folder.appending("docentd")
        }
        throw DocumentError(
            .hostUnavailable,
            "No host runs, and docentd is neither beside this program nor in the PATH: install Docent, or start docentd by hand."
        )
    }

    /// The environment of this process, with the variables that lead the daemon to the same address.
    private func childEnvironment() -> [String] {
        var entries: [String] = []
        var next = environ
        while let entry = next.pointee {
            entries.append(String(cString: entry))
            next += 1
        }
        entries.removeAll { $0.hasPrefix("DOCENT_ROOT=") }
        entries.append("DOCENT_ROOT=\(address.root)")
        // Who waits for this process is not to take the host's readiness for its own.
        entries.removeAll { $0.hasPrefix("\(ServiceNotice.socket)=") }
        let folder = FilePath(address.socket).removingLastComponent()
        if folder.lastComponent == "docent" {
            entries.removeAll { $0.hasPrefix("XDG_RUNTIME_DIR=") }
            entries.append("XDG_RUNTIME_DIR=\(folder.removingLastComponent())")
        }
        return entries
    }

    /// Copies for C, closed by a nil.
    private static func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        strings.map { strdup($0) } + [nil]
    }
}
