internal import CDocentShims
internal import DocumentModel
internal import Glibc

/// The clock that file systems stamp changes with. It counts in steps of some milliseconds, or of a second: two changes within
/// one step look like one, where the kernel does not tell apart what somebody has looked at in between (as of 6.13, and not on
/// every file system).
enum FileClock {
    /// Waits, a few milliseconds at most, until a change would get a later stamp than this one. What is read after that and has
    /// this stamp, is what it will stand for.
    static func wait(past stamp: Timestamp) {
        // A whole second: the file system knows no finer ones.
        let target = stamp.nanoseconds == 0 ? Timestamp(seconds: stamp.seconds, nanoseconds: 999_999_999) : stamp
        for _ in 0..<1500 {
            let now = read()
            // A stamp of the future says nothing.
            if now > target || now.seconds + 2 < target.seconds { return }
            var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            nanosleep(&pause, nil)
        }
    }

    static func read() -> Timestamp {
        var seconds: Int64 = 0
        var nanoseconds: UInt32 = 0
        docent_file_clock(&seconds, &nanoseconds)
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }
}
