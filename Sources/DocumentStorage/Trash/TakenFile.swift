import DocumentModel

/// A document's file that has left the tree, of which the index does not know yet.
struct TakenFile {
    var id: ItemIdentifier
    var location: Location
    var file: FileIdentity
    /// What the index had recorded of it then: other contents that have come since are other than that, even where their file
    /// has got the inode's number.
    var recorded: FileIdentity?
    /// What it is in the trash; nil when it is gone for good.
    var trashed: TrashedDocument?
}
