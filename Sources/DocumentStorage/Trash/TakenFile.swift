import DocumentModel

/// A document's file that has left the tree, of which the index does not know yet.
struct TakenFile {
    var id: ItemIdentifier
    var location: Location
    var file: FileIdentity
    /// What it is in the trash; nil when it is gone for good.
    var trashed: TrashedDocument?
}
