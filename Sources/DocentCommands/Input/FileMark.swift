import DocumentModel
import Foundation
import Glibc
import SystemPackage

/// What tells whether a file was written to or replaced; of a package, whether anything in it was.
struct FileMark: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int
    /// Of the inode's change: some programs set the time of modification back after they wrote.
    private let changedSeconds: Int
    private let changedNanoseconds: Int
    /// Of what is in a folder, by its path.
    private var parts: [String: FileMark] = [:]

    /// Nil when there is no such file.
    init?(_ path: FilePath) {
        var status = stat()
        guard lstat(path.string, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
        size = status.st_size
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
        changedSeconds = status.st_ctim.tv_sec
        changedNanoseconds = status.st_ctim.tv_nsec
        guard status.st_mode & S_IFMT == S_IFDIR else { return }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path.string)) ?? []
        // Where the host has placeholders is not what the package is.
        for name in names where name != ItemName.placeholderFolder { parts[name] = FileMark(path.appending(name)) }
    }
}
