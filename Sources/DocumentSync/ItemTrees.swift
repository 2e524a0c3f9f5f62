package import DocumentModel

/// One item in the three trees (design, section 8).
package struct ItemTrees: Hashable, Sendable {
    /// Where an item lies.
    package struct Place: Hashable, Sendable {
        package var parentID: ItemIdentifier
        package var name: ItemName

        package init(parentID: ItemIdentifier, name: ItemName) {
            self.parentID = parentID
            self.name = name
        }
    }

    /// What the provider last told.
    package struct Remote: Hashable, Sendable {
        package var place: Place
        package var contentVersion: [UInt8]

        package init(place: Place, contentVersion: [UInt8]) {
            self.place = place
            self.contentVersion = contentVersion
        }
    }

    /// What was seen on this machine's disk.
    package enum Local: Hashable, Sendable {
        /// No contents; perhaps a placeholder.
        case absent
        /// Contents are here, as they were when both sides last agreed.
        case clean
        /// Contents are here, and somebody changed them.
        case changed
    }

    /// What both sides last agreed on; nil for an item that was never materialised nor sent.
    package struct Synced: Hashable, Sendable {
        package var place: Place
        package var contentVersion: [UInt8]

        package init(place: Place, contentVersion: [UInt8]) {
            self.place = place
            self.contentVersion = contentVersion
        }
    }

    /// Nil when the provider said, on positive evidence, that the item is gone.
    package var remote: Remote?
    package var local: Local
    package var synced: Synced?

    package init(remote: Remote?, local: Local, synced: Synced?) {
        self.remote = remote
        self.local = local
        self.synced = synced
    }
}
