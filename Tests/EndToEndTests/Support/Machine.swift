import DocumentTestSupport
import Foundation
import Glibc
import SystemPackage

/// One user's machine, as far as Docent is concerned: a storage root, a runtime folder and a remote folder of its own,
/// below one temporary folder; the built programs; and nothing left of it at the end.
final class Machine: Sendable {
    /// What a finished command left.
    struct Result: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let folder: String
    let environment: [String: String]

    var root: String { folder + "/root" }
    var remote: String { folder + "/remote" }
    var log: String { root + "/.docent/host.log" }

    init(environment more: [String: String]) throws {
        folder = try TemporaryFolder.make("e2e").string
        for name in ["run", "remote", "home", "work"] { mkdir(folder + "/" + name, 0o700) }
        environment = [
            "DOCENT_ROOT": folder + "/root", "XDG_RUNTIME_DIR": folder + "/run", "HOME": folder + "/home",
            "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
        ].merging(more) { _, new in new }
        try install()
    }

    /// Runs a body on a machine of its own, and ends and removes everything afterwards.
    static func with<Value>(
        environment: [String: String] = [:], _ body: (Machine) throws -> Value
    ) throws -> Value {
        let machine = try Machine(environment: environment)
        defer { machine.tearDown() }
        return try body(machine)
    }

    // MARK: Programs

    /// Where the built programs are: beside this test program.
    static let programs: String = {
        var path =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        while !FileManager.default.isExecutableFile(atPath: path + "/docent"), path.count > 1 {
            path = (path as NSString).deletingLastPathComponent
        }
        return path
    }()

    /// Runs `docent` with these words, and with more environment for it and for a daemon that it starts.
    @discardableResult
    func docent(
        _ words: String..., environment more: [String: String] = [:], input: String? = nil, timeout: Double = 120
    ) throws -> Result {
        try run(folder + "/bin/docent", words, environment: more, input: input, timeout: timeout)
    }

    /// The same; a status other than 0 is a failure of the test.
    @discardableResult
    func succeed(_ words: String..., environment more: [String: String] = [:], timeout: Double = 120) throws -> String {
        let result = try run(folder + "/bin/docent", words, environment: more, input: nil, timeout: timeout)
        guard result.status == 0 else {
            throw Failure(
                description: "docent \(words.joined(separator: " ")): status \(result.status)\n\(result.errors)\n"
                    + "log:\n\(logTail)")
        }
        return result.output
    }

    func run(
        _ program: String, _ words: [String], environment more: [String: String] = [:], input: String? = nil,
        timeout: Double = 120
    ) throws -> Result {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = words
        process.environment = environment.merging(more) { _, new in new }
        process.currentDirectoryURL = URL(fileURLWithPath: folder + "/work")
        // Files, not pipes: a daemon that the command starts may outlive it.
        let stem = folder + "/out-\(UInt64.random(in: 0 ... .max))"
        for name in [stem + ".out", stem + ".err"] { _ = FileManager.default.createFile(atPath: name, contents: nil) }
        guard let output = FileHandle(forWritingAtPath: stem + ".out"),
            let errors = FileHandle(forWritingAtPath: stem + ".err")
        else { throw Failure(description: "no files for the output in \(folder)") }
        process.standardOutput = output
        process.standardError = errors
        if let input {
            try Data(input.utf8).write(to: URL(fileURLWithPath: stem + ".in"))
            process.standardInput = FileHandle(forReadingAtPath: stem + ".in")
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
        // Foundation keeps a process and its handles for good.
        for file in [output, errors, process.standardInput as? FileHandle] where file !== FileHandle.nullDevice {
            try file?.close()
        }
        let deadline = Date().addingTimeInterval(timeout)
        while process.isRunning {
            guard Date() < deadline else {
                kill(process.processIdentifier, SIGKILL)
                throw Failure(description: "\(program) \(words) did not end within \(timeout) s\nlog:\n\(logTail)")
            }
            usleep(2000)
        }
        defer { for name in [".out", ".err", ".in"] { unlink(stem + name) } }
        return Result(
            status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            output: try String(contentsOfFile: stem + ".out", encoding: .utf8),
            errors: try String(contentsOfFile: stem + ".err", encoding: .utf8))
    }

    // MARK: Looking at it

    var logTail: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? "(none)"
        return text.split(separator: "\n").suffix(30).joined(separator: "\n")
    }

    /// A command's JSON output.
    func json(_ words: String...) throws -> Any {
        let result = try run(folder + "/bin/docent", words + ["--json"])
        guard result.status == 0 else { throw Failure(description: "docent \(words): \(result.errors)") }
        return try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    }

    /// The processes of this machine that live, of a program or of a script: those whose environment names its storage root.
    func processes(named name: String) -> [Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.filter { pid in
            guard let command = try? String(contentsOfFile: "/proc/\(pid)/cmdline", encoding: .utf8),
                command.split(separator: "\0").prefix(2).contains(where: { $0.hasSuffix("/" + name) }),
                let environ = FileManager.default.contents(atPath: "/proc/\(pid)/environ")
            else { return false }
            return String(decoding: environ, as: UTF8.self).contains(folder + "/")
                || command.contains(folder + "/")
        }
    }

    var daemon: Int32? { processes(named: "docentd").first }

    var providers: [Int32] { processes(named: "FolderProvider") + processes(named: "MemoryProvider") }

    /// Waits until something is so; false when it is not within the time. Who has to run a command to know takes no more than a
    /// quarter of a processor from what is waited for.
    static func eventually(within seconds: Double = 10, _ condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while true {
            let began = Date()
            if try condition() { return true }
            guard Date() < deadline else { return false }
            usleep(UInt32(min(max(0.01, 3 * Date().timeIntervalSince(began)), 0.5) * 1_000_000))
        }
    }

    /// Begins a `docent` command, whose output is of no interest; whoever asked ends it.
    func begin(_ words: [String]) throws -> Process {
        let tool = Process()
        tool.executableURL = URL(fileURLWithPath: folder + "/bin/docent")
        tool.arguments = words
        tool.environment = environment
        tool.standardInput = FileHandle.nullDevice
        tool.standardOutput = FileHandle.nullDevice
        tool.standardError = FileHandle.nullDevice
        try tool.run()
        return tool
    }

    /// Makes a document that takes its time, of bytes that show where they belong; with another seed all of them are others.
    func fill(_ path: String, mebibytes: Int, seed: UInt64 = 0) throws {
        guard let file = fopen(path, "w") else { throw Failure(description: "\(path) cannot be made") }
        defer { fclose(file) }
        var block = [UInt64](repeating: 0, count: 1 << 17)
        for number in 0..<UInt64(mebibytes) {
            for index in block.indices { block[index] = seed << 56 | number << 32 | UInt64(index) }
            fwrite(block, 8, block.count, file)
        }
    }

    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    func read(_ path: String) -> String? {
        try? String(contentsOfFile: path, encoding: .utf8)
    }

    // MARK: Ends

    func tearDown() {
        _ = try? run(folder + "/bin/docent", ["host", "stop"], timeout: 20)
        for pid in processes(named: "docentd") + providers { kill(pid, SIGKILL) }
        if ProcessInfo.processInfo.environment["DOCENT_TEST_KEEP"] == nil {
            try? FileManager.default.removeItem(atPath: folder)
        } else {
            print("kept: \(folder)")
        }
    }

    /// An installation of its own: the programs, and the providers' bundles beside them.
    private func install() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        try makeFolder("bin")
        for program in ["docent", "docentd", "docent-trampoline"] { try place(program, as: "bin/" + program) }
        for (name, kind) in [
            ("FolderProvider", "Plugins"), ("WebDAVProvider", "Plugins"), ("MemoryProvider", "Examples"),
        ] {
            try makeFolder("bin/providers/" + name)
            try FileManager.default.copyItem(
                atPath: "\(sources)/\(kind)/\(name)/provider.toml",
                toPath: "\(folder)/bin/providers/\(name)/provider.toml")
            try place(name, as: "bin/providers/\(name)/\(name)")
        }
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
    }

    /// A hard link where that is possible: the programs are large.
    private func place(_ program: String, as name: String) throws {
        let (source, target) = (Self.programs + "/" + program, folder + "/" + name)
        if link(source, target) == 0 { return }
        try FileManager.default.copyItem(atPath: source, toPath: target)
    }
}
