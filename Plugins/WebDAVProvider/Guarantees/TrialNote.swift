internal import CDocentShims
internal import SystemPackage

/// In which folder a server is tried just now, until that is known to be gone: whoever is killed meanwhile leaves it there, and
/// removes it after the next start, or after a later one while the server does not let it.
struct TrialNote: Sendable {
    private static let fileName = "trial.txt"
    /// More are not left by what can be mended.
    private static let mostNames = 64
    private static let mostBytes = 2048
    private let path: FilePath

    /// - Parameter folder: the provider's state.
    init(in folder: FilePath) { path = folder.appending(Self.fileName) }

    /// The last parts of the folders' names.
    var names: [String] {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec]) else { return [] }
        let read = try? file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: Self.mostBytes) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
        // What a crash has cut short is the name of nothing.
        guard let bytes = read, let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return bytes[..<end].split(separator: UInt8(ascii: "\n")).filter { $0.allSatisfy(Self.isPlain) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// - Parameter names: all that are left; none for nothing.
    /// - Throws: `Errno`.
    func write(_ names: [String]) throws {
        guard !names.isEmpty else { return remove() }
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: [.ownerReadWrite])
        try file.closeAfter {
            _ = try file.writeAll(names.suffix(Self.mostNames).map { $0 + "\n" }.joined(separator: "").utf8)
            let result = docent_fsync(file.rawValue)
            if result != 0 { throw Errno(rawValue: -result) }
        }
    }

    private func remove() { _ = docent_unlinkat(-100, path.string, 0) }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
