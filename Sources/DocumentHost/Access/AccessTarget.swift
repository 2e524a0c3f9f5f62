import DocumentModel
import DocumentStorage
import FileCoordination

/// What one intention of a request is about.
enum AccessTarget: Sendable {
    case item(ItemKey)
    /// Nothing is there yet: a document is to be written there, or moved there (COORD-19, COORD-30).
    case place(FreePlace)
}

/// A place where no item is, in a folder that is there.
struct FreePlace: Sendable {
    let name: ItemName
    let folder: ItemKey
    /// What is claimed.
    let coordinated: CoordinatedItem

    /// - Parameter around: of the folder.
    init(_ name: ItemName, in folder: IndexedItem, _ around: CoordinatedItem, at location: Location) {
        self.name = name
        self.folder = folder.key
        coordinated = CoordinatedItem(
            subject: .place(location), kind: .document,
            enclosing: around.enclosing
                + [CoordinatedItem.Folder(key: folder.key, isPackage: folder.item.kind == .package)],
            location: location)
    }
}
