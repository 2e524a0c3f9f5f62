internal import CDocentShims
internal import SystemPackage

/// What a process, and the children that it took in, used.
package struct ResourceUsage: Hashable, Sendable {
    package var userTime: Duration
    package var systemTime: Duration
    /// The largest that one of the processes was, in bytes.
    package var peakMemory: UInt64
    /// Those that had to wait for a disk.
    package var pageFaults: UInt64
    /// Of 512 bytes each.
    package var blocksRead: UInt64
    package var blocksWritten: UInt64

    /// Of a child that has ended and was not reaped yet.
    init?(ofEnded handle: FileDescriptor) {
        var usage = docent_usage()
        guard docent_child_usage(handle.rawValue, &usage) == 0 else { return nil }
        userTime = .microseconds(usage.user_microseconds)
        systemTime = .microseconds(usage.system_microseconds)
        peakMemory = UInt64(clamping: usage.peak_kibibytes) * 1024
        pageFaults = UInt64(clamping: usage.page_faults)
        blocksRead = UInt64(clamping: usage.blocks_read)
        blocksWritten = UInt64(clamping: usage.blocks_written)
    }
}
