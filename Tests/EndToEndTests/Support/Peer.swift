import Foundation
import Glibc

/// One process of `CoordinationPeer`, and what it says.
final class Peer {
    private let process = Process()
    private let output: String

    convenience init(_ machine: Machine, _ words: String...) throws { try self.init(machine, words) }

    init(_ machine: Machine, _ words: [String]) throws {
        output = machine.folder + "/peer-\(UInt64.random(in: 0 ... .max))"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        process.executableURL = URL(fileURLWithPath: Machine.programs + "/CoordinationPeer")
        process.arguments = words
        process.environment = machine.environment
        process.standardInput = FileHandle.nullDevice
        let file = FileHandle(forWritingAtPath: output)
        process.standardOutput = file
        try process.run()
        try file?.close()
    }

    deinit { kill() }

    var lines: [String] {
        ((try? String(contentsOfFile: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    var processID: Int32 { process.processIdentifier }

    var isRunning: Bool { process.isRunning }

    /// Waits until it has said a line that begins so.
    func says(_ start: String, within seconds: Double = 60) -> Bool {
        Machine.eventually(within: seconds) { lines.contains { $0.hasPrefix(start) } }
    }

    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits for its end by itself.
    func ends(within seconds: Double = 60) -> Bool {
        Machine.eventually(within: seconds) { !process.isRunning }
    }
}
