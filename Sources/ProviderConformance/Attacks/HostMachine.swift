import DocumentClient
import DocumentModel
import Foundation
import Glibc

/// A machine of one's own for a host: folders, bundles of the misbehaving provider, and the host's process.
package final class HostMachine: @unchecked Sendable {
    // Unchecked: all is constant but the process, which is told to start and to end by one task only.

    /// How long anything of a host may take that is not the attack itself.
    static let patience = Duration.seconds(20)
    static let good = "good"

    let folder: String
    let address: HostAddress
    /// The program that misbehaves.
    let peer: String
    private let environment: [String: String]
    private let command: [String]
    private var process: Process?

    /// - Parameters:
    ///   - command: the host and its arguments; empty: `docentd` beside this program.
    ///   - peer: `misbehaving-peer`; nil: the one beside this program.
    /// - Throws: ``KitError``, ``ConformanceUsageError``.
    package init(command: [String], peer: String?) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = (own as NSString).deletingLastPathComponent
        self.command = command.isEmpty ? [beside + "/docentd", "--idle-time", "120"] : command
        self.peer = peer ?? beside + "/misbehaving-peer"
        for program in [self.peer, self.command[0]] where program.contains("/") {
            guard FileManager.default.isExecutableFile(atPath: program) else {
                throw ConformanceUsageError("The program “\(program)” is not there; build or install it.")
            }
        }
        // A short path: it is part of the socket's, which may have 107 bytes.
        let asked = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        let parent = asked.utf8.count > 40 ? "/tmp" : asked
        var template = Array("\(parent)/docent-host.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw KitError("No temporary folder can be made in “\(parent)”: \(errno).")
        }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.folder = folder
        for name in ["root", "run", "home", "bundles", "work"] { mkdir("\(folder)/\(name)", 0o700) }
        var environment: [String: String] = [:]
        for name in Self.inherited { environment[name] = ProcessInfo.processInfo.environment[name] }
        environment["DOCENT_ROOT"] = folder + "/root"
        environment["XDG_RUNTIME_DIR"] = folder + "/run"
        environment["XDG_DATA_HOME"] = folder + "/home/.local/share"
        environment["XDG_CONFIG_HOME"] = folder + "/home/.config"
        environment["HOME"] = folder + "/home"
        environment["DOCENT_PROVIDER_PATH"] = MisbehavingBundle.all.map { "\(folder)/bundles/\($0.name)" }
            .joined(separator: ":")
        self.environment = environment
        let home = folder + "/home"
        address = try HostAddress.resolve(
            environment: environment,
            surroundings: HostAddress.Surroundings(
                userID: getuid(), home: home, hasRuntimeFolder: false, canonical: { $0 }))
        for bundle in MisbehavingBundle.all {
            try bundle.write(to: "\(folder)/bundles/\(bundle.name)", program: self.peer)
        }
    }

    var log: String { folder + "/host.log" }

    /// What the host gets of our own environment: with the words for sanitizers, which it may be built with.
    private static let inherited = [
        "PATH", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "DOCENT_ALLOW_UNSANDBOXED", "ASAN_OPTIONS", "LSAN_OPTIONS",
        "TSAN_OPTIONS", "UBSAN_OPTIONS",
    ]

    /// Starts the host, and waits until it answers.
    ///
    /// - Throws: ``CheckFailure`` with the end of its log when it does not come up; ``KitError``.
    package func start() async throws {
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        guard let file = FileHandle(forWritingAtPath: log) else { throw KitError("“\(log)” cannot be written.") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder + "/work")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file
        process.standardError = file
        do { try process.run() } catch { throw KitError("The host cannot be started: \(error.localizedDescription)") }
        try? file.close()
        self.process = process
        let address = address
        let answers = try await eventually(within: Self.patience) {
            guard process.isRunning else { return true }
            return
                (try? await within(Self.patience, else: CancellationError(), grace: .zero) {
                    try await withDocumentClient(tool: "conformance", address: address, start: .never) { client in
                        try await client.hostStatus()
                    }
                }) != nil
        }
        guard answers, process.isRunning else {
            let reason =
                process.isRunning
                ? "It does not answer on \(address.socket)." : "It ended with \(end ?? "nothing")."
            throw CheckFailure("The host does not come up.", detail: [reason, logTail].joined(separator: "\n"))
        }
    }

    /// Of the process that was started.
    var processID: Int32? { process?.processIdentifier }

    /// Whether the process that was started still runs.
    var isRunning: Bool { process?.isRunning ?? false }

    /// How the process that was started has ended; nil while it runs.
    var end: String? {
        guard let process, !process.isRunning else { return nil }
        return (process.terminationReason == .exit ? "status" : "signal") + " \(process.terminationStatus)"
    }

    /// Whether the host ends within a time.
    func ends(within limit: Duration) async throws -> Bool {
        guard let process else { return true }
        return try await eventually(within: limit) { !process.isRunning }
    }

    /// Asks the host, on a connection of its own.
    func ask<Value: Sendable>(
        as tool: String = "conformance", _ body: @Sendable (DocumentClient) async throws -> Value
    ) async throws -> Value {
        try await withDocumentClient(tool: tool, address: address, start: .never) { try await body($0) }
    }

    var logTail: String {
        let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").suffix(10).joined(separator: "\n")
    }

    /// Ends what still runs, and removes everything.
    package func remove() {
        if let process, process.isRunning {
            // A host may be several processes; what it started would be nobody's.
            let own = HostFootprint.descendants(of: [process.processIdentifier])
            kill(process.processIdentifier, SIGKILL)
            for entry in own { kill(entry.id, SIGKILL) }
        }
        for entry in HostFootprint.processes(below: folder) { kill(entry.id, SIGKILL) }
        if ProcessInfo.processInfo.environment["DOCENT_KEEP"] == nil {
            removeFolder()
        } else {
            FileHandle.standardError.write(Data("Kept: \(folder)\n".utf8))
        }
    }

    private func removeFolder() {
        // A provider may have taken the permissions off folders of it.
        if let all = FileManager.default.enumerator(atPath: folder) {
            for case let name as String in all where all.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
            {
                chmod("\(folder)/\(name)", 0o700)
            }
        }
        try? FileManager.default.removeItem(atPath: folder)
    }
}
