import Foundation
import Glibc

/// The documents of a machine as files, for programs that know nothing of Docent. Whatever a mount may hang is done by
/// programs with a deadline, and not by the process of the tests.
extension Machine {
    /// Whether this kernel and these rights allow a mount.
    static let canMount: Bool = {
        let device = open("/dev/fuse", O_RDWR)
        if device >= 0 { close(device) }
        return device >= 0
    }()

    var tree: String { folder + "/home/Docent" }

    /// The processes that serve mounts of this machine.
    var mounts: [Int32] { processes(named: "docent") }

    /// Mounts the documents, runs a body, and takes the mount away, whatever has become of it.
    func mounted<Value>(environment: [String: String] = [:], _ body: () throws -> Value) throws -> Value {
        try succeed("mount", environment: environment)
        defer { takeMountAway() }
        return try body()
    }

    func takeMountAway() {
        let own = mounts
        if (try? docent("unmount", timeout: 40))?.status == 0 { return }
        for process in own { kill(process, SIGKILL) }
        _ = try? run("/bin/umount", ["-l", tree], timeout: 20)
    }

    /// Runs a command of the shell in the mounted tree.
    @discardableResult
    func shell(_ command: String, timeout: Double = 60) throws -> Result {
        try run("/bin/sh", ["-c", "cd '\(tree)' && { \(command)\n}"], timeout: timeout)
    }

    /// The same; a status other than 0 is a failure of the test.
    @discardableResult
    func sh(_ command: String, timeout: Double = 60) throws -> String {
        let result = try shell(command, timeout: timeout)
        guard result.status == 0 else {
            throw Failure(
                description: "\(command): status \(result.status)\n\(result.output)\(result.errors)\nlog:\n\(logTail)")
        }
        return result.output
    }

    /// Begins a command of the shell in the mounted tree.
    func background(_ command: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "cd '\(tree)' && { \(command)\n}"]
        try process.run()
        return process
    }

    /// What `docent stat` says of an item's state.
    func state(_ location: String) throws -> String {
        let status = try json("stat", location) as? [String: Any]
        return status?["state"] as? String ?? "unknown"
    }
}
