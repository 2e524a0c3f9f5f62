import DocumentModel
import DocumentProvider
import DocumentTestSupport
import Glibc
import Logging
import Synchronization
import SystemPackage

@testable import FolderProvider

/// A folder to provide, with a state folder, a staging folder and a host that remembers what it is told. Everything is
/// removed with it.
final class FolderFixture: Sendable {
    let base: FilePath
    let host = RecordingHost()
    let log = LogRecord()

    var folder: FilePath { base.appending("folder") }
    var state: FilePath { base.appending("root/.docent/providers/test") }
    var staging: FilePath { base.appending("root/.docent/staging") }
    var storageRoot: FilePath { base.appending("root/documents") }

    init() throws {
        base = try TemporaryFolder.make("folder")
        for folder in [
            "folder", "root", "root/documents", "root/.docent", "root/.docent/providers", "root/.docent/staging",
        ] {
            try call(mkdir(base.appending(folder).string, 0o755))
        }
        try call(mkdir(state.string, 0o700))
    }

    deinit {
        _ = Self.remove(base.string)
    }

    // MARK: Providers

    func context(state: FilePath? = nil, settings: [String: String] = [:]) throws -> ProviderContext {
        var all = ["folder": folder.string]
        all.merge(settings) { $1 }
        return ProviderContext(
            providerIdentifier: try ProviderIdentifier("org.docent.folder"), domain: try DomainName("test"),
            settings: all, stateFolder: state ?? self.state, documentStorageURL: storageRoot, stagingFolder: staging,
            logger: log.logger, host: host)
    }

    func provider(state: FilePath? = nil, settings: [String: String] = [:]) async throws -> FolderProvider {
        try await FolderProvider(context: try context(state: state, settings: settings))
    }

    /// A second state folder: another domain of the same folder.
    func otherState(_ name: String) throws -> FilePath {
        let path = base.appending(name)
        try call(mkdir(path.string, 0o700))
        return path
    }

    /// What is behind a provider, without the thread that looks after the folder.
    func domain(
        state: FilePath? = nil, pace: FolderSettings.Pace = .init(), names: FolderNames = FolderNames(),
        onStep: @escaping @Sendable (ChangeStep) throws -> Void = { _ in },
        tellLeftOut: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> FolderDomain {
        var settings = FolderSettings(
            folder: folder, stateFolder: state ?? self.state,
            hostFolders: FolderSettings.hostFolders(storageRoot: storageRoot, stateFolder: self.state))
        settings.pace = pace
        return try FolderDomain(
            settings: settings, names: names, logger: log.logger, tellLeftOut: tellLeftOut, onStep: onStep)
    }

    // MARK: The folder

    func path(_ relative: String) -> String { folder.string + "/" + relative }

    func write(_ contents: String, to relative: String) throws {
        try write(Array(contents.utf8), toPath: path(relative))
    }

    func write(_ bytes: [UInt8], toPath path: String) throws {
        let file = try call(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644))
        defer { close(file) }
        var done = 0
        while done < bytes.count {
            done += try call(bytes[done...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) })
        }
    }

    func read(_ relative: String) throws -> String {
        String(decoding: try readPath(path(relative)), as: UTF8.self)
    }

    func readPath(_ path: String) throws -> [UInt8] {
        let file = try call(open(path, O_RDONLY))
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try call(Glibc.read(file, &buffer, buffer.count))
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    func makeFolder(_ relative: String) throws {
        try call(mkdir(path(relative), 0o755))
    }

    func rename(_ relative: String, to other: String) throws {
        try call(Glibc.rename(path(relative), path(other)))
    }

    /// As most editors save: another file takes the name.
    func save(_ contents: String, as relative: String) throws {
        try write(contents, to: relative + ".tmp")
        try rename(relative + ".tmp", to: relative)
    }

    func unlink(_ relative: String) throws {
        try call(Glibc.unlink(path(relative)))
    }

    func exists(_ relative: String) -> Bool {
        access(path(relative), F_OK) == 0
    }

    /// All names in a folder, those that no provider lists included. As paths, which are compared byte by byte.
    func names(in relative: String = "") throws -> Set<FilePath> {
        guard let listing = opendir(path(relative)) else { throw Errno(rawValue: errno) }
        defer { closedir(listing) }
        var names: Set<FilePath> = []
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.insert(FilePath(name)) }
        }
        return names
    }

    func inode(_ relative: String) throws -> UInt64 {
        var status = stat()
        try call(lstat(path(relative), &status))
        return UInt64(status.st_ino)
    }

    /// A file of the host with contents to send.
    func contents(_ text: String, _ name: String = "contents") throws -> FilePath {
        let path = staging.appending(name + "-\(UInt64.random(in: 0 ... .max))")
        try write(Array(text.utf8), toPath: path.string)
        return path
    }

    func emptyStagingFile() throws -> FilePath {
        try contents("", "download")
    }

    @discardableResult
    func call<Result: SignedInteger>(_ result: Result) throws -> Result {
        guard result >= 0 else { throw Errno(rawValue: errno) }
        return result
    }

    static func remove(_ path: String) -> Int32 {
        let path = FilePath(path)
        guard let name = path.lastComponent?.string,
            let parent = try? OpenFile.openAbsolute(path.removingLastComponent(), .folder)
        else { return -ENOENT }
        return FolderNames.remove(name, in: parent)
    }
}

/// A host that only remembers.
final class RecordingHost: ProviderHost {
    private let state = Mutex((placeholders: [Item](), signals: 0, resolved: [[DocumentError.Code]]()))

    var placeholders: [Item] { state.withLock { $0.placeholders } }
    var signals: Int { state.withLock { $0.signals } }
    var resolved: [[DocumentError.Code]] { state.withLock { $0.resolved } }

    func writePlaceholder(_ item: Item) async throws {
        state.withLock { $0.placeholders.append(item) }
    }

    func signalChanges() {
        state.withLock { $0.signals += 1 }
    }

    func signalErrorResolved(_ codes: [DocumentError.Code]) {
        state.withLock { $0.resolved.append(codes) }
    }
}

/// What was logged.
final class LogRecord: Sendable {
    private let lines = Mutex<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(record: self) }
    }

    private struct Handler: LogHandler {
        let record: LogRecord
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            record.lines.withLock {
                $0.append("\(event.level): \(event.message) \(event.metadata?.description ?? "")")
            }
        }
    }
}

extension FolderFixture {
    /// Waits until something holds; fails after ten seconds.
    func eventually(_ holds: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(10)
        while !(try await holds()) {
            guard ContinuousClock.now < end else { throw Errno.timedOut }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
