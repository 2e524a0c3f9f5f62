import CDocentShims
import Glibc
package import SystemPackage

/// Which program a connected process runs.
package enum PeerProgram {
    /// Asks the kernel who made the connection, and what that runs. Blocks, shortly.
    package static func program(of socket: FileDescriptor, processID: Int32) -> ToolProgram {
        let process = docent_peer_process(socket.rawValue, processID)
        guard process >= 0 else {
            return .unknown(reason: "process \(processID), which has connected, has ended or cannot be seen from here.")
        }
        defer { try? FileDescriptor(rawValue: process).close() }
        return program(of: processID, process)
    }

    /// - Parameter process: a descriptor of the process: while that lives its number is nobody else's.
    static func program(of processID: Int32, _ process: Int32) -> ToolProgram {
        // The file itself, whatever is called like that by now.
        let file = docent_open_program(processID)
        guard file >= 0 else {
            return .unknown(
                reason: "the program of process \(processID) cannot be looked at (\(Errno(rawValue: -file))).")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, let path = target(of: "/proc/self/fd/\(file)") else {
            return .unknown(
                reason: "the program of process \(processID) cannot be looked at (\(Errno(rawValue: errno))).")
        }
        guard docent_process_has_ended(process) == 0 else {
            return .unknown(reason: "process \(processID), which has connected, has ended.")
        }
        return .known(
            path: path, file: ProgramFile(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)))
    }

    private static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4097)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlink(link, $0, text.count) } ?? -1
            }
        }
        guard count > 0, count < buffer.count else { return nil }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
