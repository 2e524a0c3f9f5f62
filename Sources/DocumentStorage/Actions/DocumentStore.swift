package import DocumentModel
package import Logging
package import SystemPackage

/// The journaled actions on items: tree, placeholders, staging, index and journal joined. The host puts the
/// provider's calls between `begin…` and `finish`; everything that must hold over a crash is in here.
///
/// Calls block and may come from any thread. The host sees to it that only one action at a time runs on an item.
package struct DocumentStore: Sendable {
    package let root: StorageRoot

    package init(_ root: StorageRoot, observer: (any StepObserver)? = nil, logger: Logger) { self.root = root }

    // MARK: Contents come

    /// The item is `materialising`; `file` is what the provider is to fill.
    package func beginMaterialising(_ id: ItemIdentifier, in domain: DomainName) throws -> Materialisation {
        throw DocumentError(.unimplemented, "")
    }
    /// Verifies what the provider has filled and puts it at the item's place.
    ///
    /// - Parameter item: what the provider answered, in exactly the version written.
    package func finish(_ materialisation: Materialisation, as item: Item, sha256: [UInt8]? = nil) throws
        -> IndexedItem
    { throw DocumentError(.unimplemented, "") }
    /// Nothing of it stays; the item is what it was.
    package func abandon(_ materialisation: Materialisation, because error: DocumentError?) throws {}

    // MARK: Contents change

    /// To be called before a coordinated write is granted.
    package func expectChange(of id: ItemIdentifier, in domain: DomainName) throws -> JournalEntry {
        throw DocumentError(.unimplemented, "")
    }
    /// To be called when the coordinated write has ended: the item is `changed` if its file is not what it was.
    package func recordChange(_ entry: JournalEntry) throws -> IndexedItem { throw DocumentError(.unimplemented, "") }
    /// Looks at an item's file, outside a coordinated write: records a change that was made without asking.
    package func recordChange(of id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem {
        throw DocumentError(.unimplemented, "")
    }

    // MARK: Contents go to the provider

    /// The item is `sending`; `snapshot` is what the provider is to take.
    package func beginSending(_ id: ItemIdentifier, in domain: DomainName) throws -> Sending {
        throw DocumentError(.unimplemented, "")
    }
    /// The provider has taken it. The item is `materialised`, or `changed` again when it was written to meanwhile.
    package func finish(_ sending: Sending, as item: Item) throws -> IndexedItem {
        throw DocumentError(.unimplemented, "")
    }
    /// The item is `changed` again, with its base version.
    package func abandon(_ sending: Sending, because error: DocumentError?) throws {}
    /// The remote has other contents than the change began from: the item is in `conflict`. A copy of the local
    /// contents is kept; the local file stays where it is, too.
    package func recordConflict(_ sending: Sending, remote: Item?, because error: DocumentError) throws -> IndexedItem {
        throw DocumentError(.unimplemented, "")
    }

    // MARK: Local documents become items

    /// Copies a local document for the provider. A folder has no `source`.
    ///
    /// - Parameter removingSource: the local document moves: it ends up materialised at the item's place, and its old
    ///   name goes away.
    package func beginExport(
        of source: FilePath?, to parent: ItemIdentifier, name: ItemName, kind: ItemKind, in domain: DomainName,
        removingSource: Bool
    ) throws -> Export { throw DocumentError(.unimplemented, "") }
    /// The provider has made the item.
    package func finish(_ export: Export, as item: Item) throws -> IndexedItem {
        throw DocumentError(.unimplemented, "")
    }
    package func abandon(_ export: Export) throws {}

    // MARK: Contents leave

    /// - Throws: `unsyncedEdits`, `busy` (open in a program), `notPermitted` (pinned, hard links).
    package func evict(_ id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem {
        throw DocumentError(.unimplemented, "")
    }

    // MARK: Items move and go

    package func beginRenaming(
        _ id: ItemIdentifier, in domain: DomainName, to parent: ItemIdentifier, name: ItemName
    ) throws -> Change { throw DocumentError(.unimplemented, "") }
    package func beginRemoving(_ id: ItemIdentifier, in domain: DomainName, discardingEdits: Bool) throws -> Change {
        throw DocumentError(.unimplemented, "")
    }
    /// The provider has renamed or moved it.
    package func finish(_ change: Change, as item: Item) throws -> IndexedItem {
        throw DocumentError(.unimplemented, "")
    }
    /// The provider has removed it.
    package func finishRemoving(_ change: Change) throws {}
    package func abandon(_ change: Change) throws {}

    // MARK: What the provider tells

    package func apply(_ items: [Item], in domain: DomainName) throws -> ApplyOutcome { ApplyOutcome() }
    package func apply(_ changes: ItemChanges, in domain: DomainName) throws -> ApplyOutcome { ApplyOutcome() }
    /// One page of a listing begun with ``IndexTransaction/beginListing(of:in:)``; placeholders are written.
    package func apply(_ page: ItemPage, of folder: ItemIdentifier, in domain: DomainName, generation: Int64) throws
        -> ApplyOutcome
    { ApplyOutcome() }
    /// Carries out what an outcome asks for in the tree on disk.
    package func perform(_ entry: JournalEntry) throws {}

    // MARK: Start

    /// Compares index, journal and tree, and mends what a crash left. To be called once, before anything else.
    package func reconcile() throws -> ReconciliationReport { throw DocumentError(.unimplemented, "") }
    /// Takes up an action that only the provider can decide, with the operation's old name.
    package func resume(_ entry: JournalEntry) throws -> ResumedAction { throw DocumentError(.unimplemented, "") }
}

package struct Materialisation: Sendable {
    package var entry: JournalEntry
    package var item: IndexedItem
    package var location: Location
    package var file: StagedFile
}

package struct Sending: Sendable {
    package var entry: JournalEntry
    package var item: IndexedItem
    package var location: Location
    package var snapshot: StagedFile
    /// The version that the change began from: what the provider must still have.
    package var base: ItemVersion
    package var operation: String
}

package struct Export: Sendable {
    package var entry: JournalEntry
    package var parentID: ItemIdentifier
    package var name: ItemName
    package var kind: ItemKind
    /// Nil for a folder.
    package var contents: StagedFile?
    package var operation: String
}

/// A rename, a move to another folder, or a removal, that the provider is to be asked for.
package struct Change: Sendable {
    package var entry: JournalEntry
    package var item: IndexedItem
    package var location: Location
    package var operation: String
}

/// An action that a crash interrupted where only the provider knows how far it got; ask it again, with the same
/// operation's name, then finish or abandon.
package enum ResumedAction: Sendable {
    case send(Sending)
    case export(Export)
    case rename(Change)
    case remove(Change)
}

/// What was found at start, and done about it.
package struct ReconciliationReport: Sendable {
    /// One sentence each, for people.
    package var findings: [String] = []
    /// Actions to take up with ``DocumentStore/resume(_:)`` once the provider is there.
    package var pending: [JournalEntry] = []
    /// Files that belong to no item. They stay where they are.
    package var unknownFiles: [Location] = []
    package var adopted = 0
    package var changed = 0
    package var missing = 0
    package var swept = 0
}
