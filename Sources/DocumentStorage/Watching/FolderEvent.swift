/// What the system told of a watched folder. A hint where to look, never a fact: what is there is read from the disk.
package struct FolderEvent: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A file was made, or given a further name.
        case made
        /// Some bytes of it, or its size.
        case written
        /// One who could write has closed it.
        case closed
        /// It got its name by being moved.
        case movedHere
        case movedAway
        case removed
        /// Something came, or is gone, whose name is not UTF-8, so that no item can have it.
        case misnamed
        /// The folder itself has another place, or another name.
        case folderMoved
        /// The watch is gone: its folder was removed or unmounted, or the watch was taken back.
        case ended
        /// More happened than could be told: anything may have changed anywhere.
        case overflow
        /// What tells nothing of contents: attributes, and the folder's own removal, after which the watch ends.
        case other
    }

    /// Of the watch, as ``FolderWatcher/watch(_:)`` gave it.
    package var watch: Int32
    package var kind: Kind
    /// What it is about; nil for the folder itself, and for names that are not UTF-8.
    package var name: String?
    /// Whether it is about a folder in the watched one.
    package var isFolder: Bool

    package init(watch: Int32, _ kind: Kind, _ name: String? = nil, isFolder: Bool = false) {
        self.watch = watch
        self.kind = kind
        self.name = name
        self.isFolder = isFolder
    }
}
