import CDocentShims
import DocumentTransport
import Glibc
package import SystemPackage

/// A connected process, as the kernel knows it.
package final class PeerProcess: Sendable {
    package let id: Int32
    /// While it lives, its number is nobody else's. Negative when there is none.
    private let descriptor: Int32

    /// Asks the kernel who made the connection.
    package init(of socket: FileDescriptor, processID: Int32) {
        id = processID
        descriptor = docent_peer_process(socket.rawValue, processID)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// What it runs. Blocks: for as long as the network is gone that the program lies on.
    var program: ToolProgram {
        guard descriptor >= 0 else {
            return .unknown(reason: "process \(id), which has connected, has ended or cannot be seen from here.")
        }
        return PeerProgram.program(of: id, descriptor)
    }
}

/// Looks at the programs of connected processes. One that lies on a network that is gone keeps no other process waiting.
package final class PeerPrograms: Sendable {
    private let looks = UnboundedCalls(name: "docent-peer", mostHanging: 256)

    package init() {}

    package func program(of process: PeerProcess) async -> ToolProgram {
        await program(of: process.id, within: .seconds(2)) { process.program }
    }

    /// - Parameter look: may block, for ever.
    func program(
        of processID: Int32, within patience: Duration, _ look: @escaping @Sendable () -> ToolProgram
    ) async -> ToolProgram {
        let found = try? await looks.run(within: patience, look)
        return found
            ?? .unknown(
                reason:
                    "the program of process \(processID) gives no answer: the disk or the network that it is on may be gone."
            )
    }
}

/// Which program a connected process runs.
enum PeerProgram {
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
