package import DocumentModel

/// Where an item lies.
package struct SyncPlace: Hashable, Sendable {
    package var parentID: ItemIdentifier
    package var name: ItemName

    package init(parentID: ItemIdentifier, name: ItemName) {
        self.parentID = parentID
        self.name = name
    }

    var slot: NameSlot { NameSlot(parentID: parentID, name: FoldedName(name)) }
}

/// What only one shown item may have: a folder, and a name but for case and Unicode form (CONT-12).
struct NameSlot: Hashable {
    let parentID: ItemIdentifier
    let name: FoldedName
}
