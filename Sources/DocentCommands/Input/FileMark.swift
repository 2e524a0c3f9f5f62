import Glibc
import SystemPackage

/// What tells whether a file was written to or replaced.
struct FileMark: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int
    /// Of the inode's change: some programs set the time of modification back after they wrote.
    private let changedSeconds: Int
    private let changedNanoseconds: Int

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
    }
}
