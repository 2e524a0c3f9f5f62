internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import Synchronization

/// The key that bookmarks are sealed with: `bookmark.key` in the host's folder, for its owner alone. Made when it is first
/// needed. Without it all bookmarks that were made are worth nothing.
final class BookmarkKey: Sendable {
    private static let name = "bookmark.key"

    private let folder: DirectoryHandle
    private let known = Mutex<[UInt8]?>(nil)

    init(in folder: DirectoryHandle) {
        self.folder = folder
    }

    /// Blocks when it is first asked for.
    func bytes() throws -> [UInt8] {
        try known.withLock { known in
            if let known { return known }
            let bytes = try read() ?? make()
            known = bytes
            return bytes
        }
    }

    private func read() throws -> [UInt8]? {
        guard let file = try folder.file(Self.name) else { return nil }
        let status = try file.status()
        guard status.isFile, status.raw.mode & 0o077 == 0 else {
            throw DocumentError(
                .notPermitted,
                "\(file.name) can be read by others, who could make bookmarks with it: remove it for a new key. Bookmarks that were made until then are worth nothing afterwards."
            )
        }
        let bytes = try file.read(upTo: BookmarkSeal.keyLength + 1)
        guard bytes.count == BookmarkSeal.keyLength else {
            throw DocumentError(
                .localStorage,
                "\(file.name) is damaged: put it back from a backup, or remove it for a new key. Bookmarks that were made until then are worth nothing afterwards."
            )
        }
        return bytes
    }

    /// Whole or not at all: it gets its name when it is on disk.
    private func make() throws -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<BookmarkSeal.keyLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let temporary = Self.name + ".new"
        _ = try folder.unlink(temporary)
        guard let file = try folder.makeFile(temporary) else {
            throw DocumentError(
                .localStorage, "\(folder.path)/\(temporary) could not be made: remove it and try again.")
        }
        try file.setMode(0o600)
        try file.write(bytes)
        try file.flush()
        _ = try folder.rename(temporary, to: folder, Self.name, .notReplacing)
        try folder.flush()
        return bytes
    }
}
