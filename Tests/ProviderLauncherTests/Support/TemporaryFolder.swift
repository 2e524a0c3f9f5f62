import DocumentTestSupport
import Glibc
import SystemPackage

/// A folder of one test, removed with all that is in it when the last reference goes.
final class TemporaryFolder: Sendable {
    let path: FilePath

    init() throws {
        let made = try DocumentTestSupport.TemporaryFolder.make("launcher")
        guard let real = realpath(made.string, nil) else { throw Errno(rawValue: errno) }
        defer { free(real) }
        path = FilePath(platformString: real)
    }

    deinit { DocumentTestSupport.TemporaryFolder.remove(path) }

    @discardableResult
    func folder(_ name: String, mode: mode_t = 0o755) throws -> FilePath {
        var folder = path.string
        for component in name.split(separator: "/") {
            folder += "/\(component)"
            if mkdir(folder, 0o755) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        }
        let made = FilePath(folder)
        try Self.change(made, mode: mode)
        return made
    }

    @discardableResult
    func file(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> FilePath {
        if let slash = name.lastIndex(of: "/") { try folder(String(name[..<slash])) }
        let file = FilePath("\(path.string)/\(name)")
        let descriptor = try FileDescriptor.open(
            file, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: [.ownerReadWrite])
        try descriptor.closeAfter { _ = try descriptor.writeAll(text.utf8) }
        try Self.change(file, mode: mode)
        return file
    }

    func text(_ name: String) -> String? {
        guard let file = try? FileDescriptor.open(path.appending(name), .readOnly, options: [.closeOnExec]) else {
            return nil
        }
        return try? file.closeAfter {
            let size = Int(try file.stat().size)
            let bytes = try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    static func change(_ path: FilePath, mode: mode_t) throws {
        guard chmod(path.string, mode) == 0 else { throw Errno(rawValue: errno) }
    }
}
