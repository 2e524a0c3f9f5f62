internal import CDocentShims
internal import SystemPackage

/// In which folder a server is tried just now, until that is known to be gone: whoever is killed meanwhile leaves it there, and
/// removes it after the next start.
struct TrialNote: Sendable {
    private static let fileName = "trial.txt"
    private let path: FilePath

    /// - Parameter folder: the provider's state.
    init(in folder: FilePath) { path = folder.appending(Self.fileName) }

    /// The last part of the folder's name; nil when none is left.
    var name: String? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec]) else { return nil }
        let read = try? file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        // What a crash has cut short is the name of nothing.
        guard let bytes = read, bytes.last == UInt8(ascii: "\n"), bytes.dropLast().allSatisfy(Self.isPlain) else {
            return nil
        }
        return bytes.count > 1 ? String(decoding: bytes.dropLast(), as: UTF8.self) : nil
    }

    /// - Throws: `Errno`.
    func write(_ name: String) throws {
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: [.ownerReadWrite])
        try file.closeAfter {
            _ = try file.writeAll((name + "\n").utf8)
            let result = docent_fsync(file.rawValue)
            if result != 0 { throw Errno(rawValue: -result) }
        }
    }

    func remove() { _ = docent_unlinkat(-100, path.string, 0) }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
