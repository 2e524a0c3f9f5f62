import DocumentModel
import Foundation
import Glibc

/// A document's placeholder, as the file that it is: nobody who fails to bring the document has a reason to touch it.
struct PlaceholderLook: Sendable, Equatable, CustomStringConvertible {
    private let file: UInt64
    private let size: Int64
    private let mode: UInt32
    private let changed: [Int]

    /// - Parameter path: the document's place.
    /// - Returns: nil where none is, or one is just being written.
    init?(of path: String) {
        let place = path as NSString
        let own = "\(place.deletingLastPathComponent)/\(ItemName.placeholderFolder)/\(place.lastPathComponent)"
        var status = stat()
        guard !path.isEmpty, lstat(own, &status) == 0, status.st_size > 0 else { return nil }
        file = UInt64(status.st_ino)
        size = Int64(status.st_size)
        mode = status.st_mode
        changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    var description: String {
        "file \(file), \(size) bytes, mode \(String(mode, radix: 8)), changed at \(changed)"
    }
}
