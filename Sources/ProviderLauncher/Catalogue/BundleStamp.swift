internal import Glibc
internal import SystemPackage

/// By which a bundle's manifest and program are told from later ones, without reading them.
struct BundleStamp: Hashable, Sendable {
    private struct File: Hashable {
        var inode: UInt64 = 0
        var size: Int64 = 0
        var seconds = 0
        var nanoseconds = 0

        init(_ path: FilePath) {
            var status = stat()
            guard stat(path.string, &status) == 0 else { return }
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private let manifest: File
    private let program: File

    /// Looks at two files.
    init(_ bundle: ProviderBundle) {
        manifest = File(bundle.folder.appending(Manifest.fileName))
        program = File(bundle.executable)
    }
}
