package import DocumentModel

/// What tells one state of a file on disk from another: recorded when the host last looked at it.
package struct FileIdentity: Hashable, Sendable {
    package var inode: UInt64
    package var size: Int64
    package var modified: Timestamp
    /// When the inode last changed. Renaming and linking change it too, so it is no proof of other contents.
    package var changed: Timestamp
    /// How many names the file has.
    package var links: UInt32

    package init(inode: UInt64, size: Int64, modified: Timestamp, changed: Timestamp = .zero, links: UInt32 = 1) {
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
        self.links = links
    }

    /// The same file with, as far as can be told without reading it, the same contents.
    package func hasSameContents(as other: FileIdentity) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }

    /// The same file, to which nobody has done anything at all, not even given it another name.
    func isStill(_ other: FileIdentity) -> Bool { hasSameContents(as: other) && changed == other.changed }

    /// Another file, that nobody has done anything to since the other one came, not even given it this name, as far as the
    /// machine's clock can be believed.
    func isOlder(than other: FileIdentity) -> Bool { inode != other.inode && changed < other.changed }

    /// Nobody has done anything to it: some programs set the time of modification back after they wrote, and only the
    /// time of the inode's change tells. It tells nothing of a file with several names, whose making changed it, too.
    package func isUntouched(since other: FileIdentity) -> Bool {
        hasSameContents(as: other) && (changed == other.changed || links > 1)
    }
}

/// What the state of a file tells of what was done to it.
enum Touch {
    case none
    /// It has several names, whose making changed the time of its inode, too: nothing is known of what else was done.
    case linked
    /// Something was: perhaps nothing but attributes were set.
    case changed

    init(of file: FileIdentity, since other: FileIdentity) {
        self =
            !file.isUntouched(since: other)
            ? .changed : file.links > 1 && file.changed != other.changed ? .linked : .none
    }
}
