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

    deinit {
        Self.remove(path)
    }

    @discardableResult
    func folder(_ name: String, mode: mode_t = 0o755) throws -> FilePath {
        var folder = path
        for component in FilePath(name).components {
            folder.append(component)
            if mkdir(folder.string, 0o755) != 0, errno != EEXIST { throw Errno(rawValue: errno) }
        }
        try Self.change(folder, mode: mode)
        return folder
    }

    @discardableResult
    func file(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> FilePath {
        let file = path.appending(FilePath(name).components)
        if FilePath(name).components.count > 1 {
            try folder(FilePath(name).removingLastComponent().string)
        }
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

    private static func remove(_ path: FilePath) {
        if (try? path.stat(followTargetSymlink: false))?.type == .directory, let folder = opendir(path.string) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove(path.appending(name)) }
            }
            closedir(folder)
            rmdir(path.string)
        } else {
            unlink(path.string)
        }
    }
}
