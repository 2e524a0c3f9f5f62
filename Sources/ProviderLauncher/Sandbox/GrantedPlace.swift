internal import Glibc
package import SystemPackage

/// A file or folder that a provider was given, and which one that was: Landlock's rule is for that one, and not for another
/// that has its name later.
package struct GrantedPlace: Hashable, Sendable {
    /// As the manifest and the settings name it.
    package var path: FilePath
    private var device: UInt64
    private var inode: UInt64

    /// What is there now; nil when nothing is. Blocks.
    package init?(at path: FilePath) {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// What has become of its name.
    package enum Change: Hashable, Sendable {
        case none
        /// Nothing has its name now.
        case gone
        /// Another one has its name.
        case replaced
    }

    /// Blocks.
    package var change: Change {
        guard let now = GrantedPlace(at: path) else { return .gone }
        return now == self ? .none : .replaced
    }
}
