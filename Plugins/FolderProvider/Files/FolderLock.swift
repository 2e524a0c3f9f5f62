internal import CDocentShims
internal import DocumentModel

/// Keeps other providers of the same folder from changing names in it. Freed when it goes out of use, or the process
/// ends. Leaves nothing in the folder.
struct FolderLock: ~Copyable {
    private let folder: OpenFile

    /// - Throws: `busy` when another process keeps it.
    init(_ folder: borrowing OpenFile) throws(DocumentError) {
        do {
            // An open file of its own: locks belong to those.
            self.folder = try folder.openBeneath(".", .folder)
        } catch {
            throw error.error(.remote, "The folder cannot be opened")
        }
        for attempt in 0..<500 {
            let result = docent_lock(self.folder.descriptor)
            // Where the file system knows no locks, the exchange of names is what decides.
            if result != -11 { return }
            docent_pause(attempt < 50 ? 1 : 10)
        }
        throw DocumentError(.busy, "Another program keeps the folder locked; try again in a moment.")
    }
}
