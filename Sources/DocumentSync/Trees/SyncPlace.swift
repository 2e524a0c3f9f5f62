package import DocumentModel

/// Where an item lies.
package struct SyncPlace: Hashable, Sendable {
    package var parentID: ItemIdentifier
    package var name: ItemName

    package init(parentID: ItemIdentifier, name: ItemName) {
        self.parentID = parentID
        self.name = name
    }

    package var slot: NameSlot { NameSlot(parentID: parentID, name: FoldedName(name)) }
}

/// What only one shown item may have: a folder, and a name but for case and Unicode form (CONT-12).
package struct NameSlot: Hashable {
    package let parentID: ItemIdentifier
    package let name: FoldedName
}
