import Foundation
import Glibc

/// Work like a host's without a host: bytes to another process and back, and a small file that is flushed and renamed.
final class MachinePace: @unchecked Sendable {
    // Unchecked: used by one task at a time.

    private let process = Process()
    private let output: FileHandle
    private let input: FileHandle
    private let folder: String

    /// - Parameter folder: where the file is written; has to be on the host's disk.
    /// - Throws: ``KitError``.
    init(folder: String) throws {
        self.folder = folder
        let (there, back) = (Pipe(), Pipe())
        output = there.fileHandleForWriting
        input = back.fileHandleForReading
        process.executableURL = URL(fileURLWithPath: "/bin/cat")
        process.standardInput = there
        process.standardOutput = back
        do { try process.run() } catch { throw KitError("“/bin/cat” cannot be run: \(error.localizedDescription)") }
        // The other program's ends, which are of no use here.
        try? there.fileHandleForReading.close()
        try? back.fileHandleForWriting.close()
    }

    deinit {
        // It ends with its input.
        try? output.close()
        process.waitUntilExit()
        try? input.close()
    }

    /// As many ways to a process and back as a step of a host's takes, about, and as many flushes.
    func step() async throws {
        let question = Data(repeating: 0x61, count: 64)
        for _ in 0..<10 {
            try output.write(contentsOf: question)
            guard try input.read(upToCount: question.count)?.count == question.count else {
                throw KitError("“/bin/cat” gives back less than it was given.")
            }
            await Task.yield()
        }
        for name in ["new", "newer"] {
            let path = "\(folder)/\(name)"
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw KitError("“\(path)” cannot be written: \(errno).") }
            defer { close(file) }
            let isWritten = question.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == question.count
            guard isWritten, fsync(file) == 0, rename(path, "\(folder)/file") == 0 else {
                throw KitError("“\(path)” cannot be written: \(errno).")
            }
            await Task.yield()
        }
    }
}
