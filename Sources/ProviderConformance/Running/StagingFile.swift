import CDocentShims
import Foundation
import Glibc
package import SystemPackage

/// A file that the kit makes for a provider to fill or to read, in a folder of its own, and what became of it.
package struct StagingFile: Sendable {
    package let folder: FilePath
    package let path: FilePath
    private let inode: UInt64
    /// The file that was made: while it is open no other one gets its number.
    private let made: OpenEntry

    private final class OpenEntry: Sendable {
        private let descriptor: Int32

        init(_ path: FilePath) throws {
            descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw KitError("The staging file “\(path)” cannot be looked at: \(Errno(rawValue: errno))")
            }
        }

        deinit { close(descriptor) }
    }

    init(in parent: FilePath, contents: [UInt8]) throws {
        folder = parent.appending(String(UInt64.random(in: 0...UInt64.max), radix: 36))
        path = folder.appending("contents")
        do {
            try FileManager.default.createDirectory(
                atPath: folder.string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: [.ownerReadWrite])
            _ = try file.closeAfter { try file.writeAll(contents) }
        } catch {
            throw KitError("The staging file “\(path)” cannot be made: \(error)")
        }
        inode = try Self.status(path).inode
        made = try OpenEntry(path)
    }

    /// - Throws: ``CheckFailure`` when the provider removed it.
    package func bytes() throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path.string) else {
            throw CheckFailure("The staging file is gone, or cannot be read any more.")
        }
        return [UInt8](data)
    }

    /// In bytes.
    ///
    /// - Throws: ``CheckFailure`` when the provider removed it.
    package func size() throws -> Int64 { try Self.status(path).size }

    /// Whether it is still the file that was made, a plain one with a single link.
    package func isUntouchedAsAnEntry() throws -> Bool {
        let status = try Self.status(path)
        return status.inode == inode && status.isPlain
    }

    /// Whether somebody has it open for writing; nil where the file system cannot tell.
    package func isOpenForWriting() throws -> Bool? {
        let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        return try file.closeAfter {
            switch docent_set_lease(file.rawValue, Int32(DOCENT_LEASE_READ.rawValue)) {
            case 0...:
                _ = docent_set_lease(file.rawValue, Int32(DOCENT_LEASE_NONE.rawValue))
                return false
            case -EAGAIN: return true
            default: return nil
            }
        }
    }

    /// What lies beside it.
    package func neighbours() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []).filter { $0 != "contents" }
    }

    /// When it was last written to, in nanoseconds.
    ///
    /// - Throws: ``CheckFailure`` when the provider removed it.
    package func modified() throws -> Int64 { try Self.status(path).modified }

    /// Whether there is something under its name.
    package var exists: Bool {
        var status = stat()
        return lstat(path.string, &status) == 0
    }

    /// Takes the file away, as a host does that is in a hurry, and leaves its folder.
    package func removeEntry() {
        unlink(path.string)
    }

    /// Removes it and its folder.
    package func remove() {
        try? FileManager.default.removeItem(atPath: folder.string)
    }

    private static func status(_ path: FilePath) throws -> (inode: UInt64, size: Int64, modified: Int64, isPlain: Bool)
    {
        var status = stat()
        guard lstat(path.string, &status) == 0 else {
            throw CheckFailure("The staging file is gone, or cannot be looked at any more.")
        }
        let isPlain = status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        return (UInt64(status.st_ino), Int64(status.st_size), modified, isPlain)
    }
}
