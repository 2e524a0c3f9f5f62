internal import CDocentShims
internal import DocumentModel
internal import Glibc

/// Keeps other providers of the same folder from changing names in it. Freed when it goes out of use, or the process
/// ends. Leaves nothing in the folder.
struct FolderLock: ~Copyable {
    private let folder: OpenFile

    private init(_ folder: consuming OpenFile) {
        self.folder = folder
    }

    /// - Throws: `busy` when another process keeps it.
    static func take(_ folder: borrowing OpenFile) throws(DocumentError) -> FolderLock {
        // An open file of its own: locks belong to those.
        let file = try folder.openBeneath(".", .folder, .remote, "The folder cannot be opened")
        for attempt in 0..<500 {
            // Where the file system knows no locks, the exchange of names is what decides.
            if docent_lock(file.descriptor) != -EWOULDBLOCK { return FolderLock(file) }
            docent_pause(attempt < 50 ? 1 : 10)
        }
        throw DocumentError(.busy, "Another program keeps the folder locked; try again in a moment.")
    }

    func free() {
        _ = docent_unlock(folder.descriptor)
    }
}
