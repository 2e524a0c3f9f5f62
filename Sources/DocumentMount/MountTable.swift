import Glibc
import SystemPackage

/// What the kernel says is mounted. The mounts themselves are not asked: one whose server hangs would never answer.
///
/// See `proc_pid_mountinfo(5)`.
struct MountTable {
    struct Entry: Hashable {
        /// By which the kernel names a FUSE connection.
        var device: String
        var path: FilePath
        var type: String
        var source: String

        /// Everything that waits for the file system ends, with `ENOTCONN`, wherever it is mounted by now. Who mounted it may
        /// do that, where the kernel's control files are mounted.
        ///
        /// - Returns: whether it could be done.
        @discardableResult
        func abort() -> Bool {
            let control = FilePath("/sys/fs/fuse/connections/\(device)/abort")
            guard let file = try? FileDescriptor.open(control, .writeOnly, options: [.closeOnExec]) else {
                return false
            }
            return (try? file.closeAfter { try file.writeAll([UInt8(ascii: "1")]) }) != nil
        }
    }

    let entries: [Entry]

    init(_ text: String) {
        entries = text.split(separator: "\n").compactMap { line in
            // Optional fields end with a dash.
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard let dash = parts.dropFirst(6).firstIndex(of: "-"), parts.count > dash + 2,
                let minor = parts[2].split(separator: ":").last
            else { return nil }
            return Entry(
                device: String(minor), path: FilePath(Self.plain(parts[4])), type: String(parts[dash + 1]),
                source: Self.plain(parts[dash + 2]))
        }
    }

    /// Of this process.
    static func now() throws(Errno) -> MountTable {
        do {
            let file = try FileDescriptor.open("/proc/self/mountinfo", .readOnly, options: [.closeOnExec])
            let bytes = try file.closeAfter {
                var bytes: [UInt8] = []
                var part = [UInt8](repeating: 0, count: 1 << 16)
                while case let count = try part.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
                    bytes += part.prefix(count)
                }
                return bytes
            }
            return MountTable(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// What is seen at a place: the last of those that were mounted there.
    func entry(at path: FilePath) -> Entry? { entries.last { $0.path == path } }

    /// Blanks, line ends and backslashes are written as three octal digits.
    private static func plain(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
                bytes.append(digits.reduce(0) { $0 << 3 | ($1 - 0x30) })
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
