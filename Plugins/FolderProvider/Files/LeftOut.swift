/// What a folder holds that is no item.
struct LeftOut: Hashable {
    /// Symlinks, which are not followed.
    var links = 0
    /// Devices, sockets, named pipes.
    var special = 0
    /// Names that no item may have, however they are shown (``DiskName``).
    var unnameable = 0
    /// Other file systems, and what could not be looked at.
    var hidden = 0

    var isEmpty: Bool { self == LeftOut() }

    static func += (one: inout Self, other: Self) {
        one.links += other.links
        one.special += other.special
        one.unnameable += other.unnameable
        one.hidden += other.hidden
    }

    /// What people are told of all folders: how much is left out, why, and one place where some of it is.
    ///
    /// - Parameter folders: with their paths, from the top; the top one's is empty.
    /// - Returns: empty where nothing is left out.
    static func sentence(of folders: [(path: String, leftOut: LeftOut)]) -> String {
        guard let first = folders.filter({ !$0.leftOut.isEmpty }).min(by: { $0.path < $1.path }) else { return "" }
        var all = LeftOut()
        for folder in folders { all += folder.leftOut }
        let kinds = [
            counted(all.links, "symbolic link", "symbolic links"),
            counted(all.special, "device, socket or pipe", "devices, sockets or pipes"),
            counted(
                all.unnameable, "entry with a name that no document can have",
                "entries with names that no document can have"),
            counted(
                all.hidden, "entry of another file system, or that may not be looked at",
                "entries of other file systems, or that may not be looked at"),
        ].compactMap(\.self)
        return
            "Left out, as documents cannot be these: \(kinds.joined(separator: ", ")); the first of them in “/\(first.path)”. "
            + "They go with the folder that they are in, when that is removed."
    }

    private static func counted(_ count: Int, _ one: String, _ many: String) -> String? {
        count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
    }
}
