import CDocentShims
import Glibc
import SystemPackage

/// What users and their programs do behind the host's back.
enum FileSystemMoves {
    static func rename(_ from: FilePath, _ to: FilePath) throws {
        guard Glibc.rename(from.string, to.string) == 0 else { throw Errno(rawValue: errno) }
    }

    static func link(_ target: String, _ path: FilePath) throws {
        guard symlink(target, path.string) == 0 else { throw Errno(rawValue: errno) }
    }

    static func hardLink(_ from: FilePath, _ to: FilePath) throws {
        guard Glibc.link(from.string, to.string) == 0 else { throw Errno(rawValue: errno) }
    }

    /// As `cp -a` does.
    static func copyWithAttributes(_ from: FilePath, _ to: FilePath) throws {
        let source = try FileDescriptor.open(from, .readOnly)
        defer { try? source.close() }
        let target = try FileDescriptor.open(
            to, .writeOnly, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite])
        defer { try? target.close() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
            if count == 0 { break }
            try target.writeAll(buffer[..<count])
        }
        var value = [UInt8](repeating: 0, count: 1024)
        let size = docent_fgetxattr(source.rawValue, "user.docent.item", &value, value.count)
        if size > 0 {
            let result = docent_fsetxattr(target.rawValue, "user.docent.item", value, size, 0)
            guard result == 0 else { throw Errno(rawValue: -result) }
        }
        var status = stat()
        guard fstat(source.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        let times = [status.st_atim, status.st_mtim]
        guard futimens(target.rawValue, times) == 0 else { throw Errno(rawValue: errno) }
    }

    static func mode(of path: FilePath) throws -> UInt32 {
        var status = stat()
        guard lstat(path.string, &status) == 0 else { throw Errno(rawValue: errno) }
        return status.st_mode & 0o7777
    }

    static func makeFolder(_ path: FilePath, mode: UInt32 = 0o700) throws {
        guard mkdir(path.string, mode) == 0 else { throw Errno(rawValue: errno) }
    }
}
