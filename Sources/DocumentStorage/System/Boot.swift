internal import Glibc

/// Tells one start of the system from another: what a process wrote and did not flush is there for all later
/// processes of the same start, and for none of the next.
enum Boot {
    static func current() -> String? {
        guard let folder = try? DirectoryHandle(trusting: "/proc/sys/kernel/random"),
            let file = try? folder.file("boot_id", O_RDONLY), let bytes = try? file.read(upTo: 64)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
