internal import Glibc
internal import SystemPackage

/// How much room there is on the disk that contents come to.
package struct DiskRoom: Hashable, Sendable {
    /// In bytes; what is free for everybody.
    package var free: Int64
    package var all: Int64

    package init(free: Int64, all: Int64) {
        self.free = free
        self.all = all
    }
}

extension StorageRoot {
    /// Nil where the system does not say. May wait for the disk.
    package func diskRoom() -> DiskRoom? {
        var status = statvfs()
        guard statvfs(path.string, &status) == 0 else { return nil }
        let unit = Int64(clamping: status.f_frsize)
        return DiskRoom(
            free: unit.multiplied(Int64(clamping: status.f_bavail)),
            all: unit.multiplied(Int64(clamping: status.f_blocks)))
    }
}

extension Int64 {
    /// Some file systems say that they have all the room that there is.
    fileprivate func multiplied(_ count: Int64) -> Int64 {
        let (product, overflows) = multipliedReportingOverflow(by: count)
        return overflows ? .max : product
    }
}
