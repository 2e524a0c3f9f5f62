package import DocumentModel
package import SystemPackage

/// What is known of all items: a SQLite database beside the documents.
///
/// Every call blocks; call it from a thread that may. Reads run side by side with each other and with a write. All
/// calls throw ``DocumentError``.
package final class ItemIndex: Sendable {
    /// Opens or creates it. Refuses a database of a newer version.
    package init(at path: FilePath) throws { throw DocumentError(.unimplemented, "") }

    package func close() throws {}

    /// One consistent view.
    package func read<T>(_ body: (IndexReader) throws -> T) throws -> T { throw DocumentError(.unimplemented, "") }

    /// One transaction: all of it, or nothing when the body throws.
    ///
    /// - Parameter durably: on disk when the call returns. Without it the transaction survives the death of this
    ///   process, and may be lost, as a whole and with all later ones, when the machine dies.
    package func write<T>(durably: Bool = true, _ body: (IndexTransaction) throws -> T) throws -> T {
        throw DocumentError(.unimplemented, "")
    }
}

/// What can be asked of the index. Valid within the closure that it was given to.
package class IndexReader {
    // Domains
    package func domains() throws -> [DomainRecord] { [] }
    package func domain(_ name: DomainName) throws -> DomainRecord? { nil }
    package func counts(of domain: DomainName) throws -> ItemCounts { throw DocumentError(.unimplemented, "") }

    // Items
    package func item(_ id: ItemIdentifier, in domain: DomainName) throws -> IndexedItem? { nil }
    package func item(at location: Location) throws -> IndexedItem? { nil }
    /// Nil for an unknown item (ID-2). Throws `nameClash` for one that is not in the tree because of its name, or
    /// lies in a folder that is not.
    package func location(of id: ItemIdentifier, in domain: DomainName) throws -> Location? { nil }
    /// Children in the order of their names, folded; a page by key, so that its cost does not grow with its place.
    package func children(
        of folder: ItemIdentifier, in domain: DomainName, after: ChildCursor? = nil, limit: Int
    ) throws -> ChildPage { throw DocumentError(.unimplemented, "") }
    package func hasChildren(_ folder: ItemIdentifier, in domain: DomainName) throws -> Bool { false }
    package func listing(of folder: ItemIdentifier, in domain: DomainName) throws -> ListingState {
        throw DocumentError(.unimplemented, "")
    }
    /// Items that have contents here, or are about to, or are in a state that wants attention: all that are not
    /// plain placeholders. In the order of their rows, from behind `after`.
    package func present(in domain: DomainName?, after row: Int64 = 0, limit: Int) throws -> [IndexedItem] { [] }
    /// Items in a state, in the order of their rows.
    package func items(in state: ItemState, of domain: DomainName?, after row: Int64 = 0, limit: Int) throws
        -> [IndexedItem]
    { [] }
    /// The open entries, the oldest first.
    package func journal() throws -> [JournalEntry] { [] }
    package func journal(of id: ItemIdentifier, in domain: DomainName) throws -> [JournalEntry] { [] }
    package func conflicts(in domain: DomainName) throws -> [ConflictRecord] { [] }
}

/// What can be changed, in one transaction.
package final class IndexTransaction: IndexReader {
    // Domains
    package func addDomain(_ domain: DomainRecord) throws {}
    package func updateDomain(_ domain: DomainRecord) throws {}
    /// With all its items and entries.
    package func removeDomain(_ name: DomainName) throws {}
    package func setAnchor(_ anchor: SyncAnchor?, of domain: DomainName) throws {}

    // What the provider tells
    /// Items outside a listing: one that was looked up, or the answer to create and modify.
    package func apply(_ items: [Item], in domain: DomainName) throws -> ApplyOutcome { ApplyOutcome() }
    /// One page of changes, with the anchor that it leads to.
    package func apply(_ changes: ItemChanges, in domain: DomainName) throws -> ApplyOutcome { ApplyOutcome() }
    /// Begins a full listing of a folder, and returns its generation.
    package func beginListing(of folder: ItemIdentifier, in domain: DomainName) throws -> Int64 { 0 }
    /// One page of it. With the last page (`next` is nil) what was not seen in it is deleted.
    package func apply(
        _ page: ItemPage, of folder: ItemIdentifier, in domain: DomainName, generation: Int64
    ) throws -> ApplyOutcome { ApplyOutcome() }
    package func delete(_ ids: [ItemIdentifier], in domain: DomainName) throws -> ApplyOutcome { ApplyOutcome() }

    // States
    package func setState(_ state: ItemState, of id: ItemIdentifier, in domain: DomainName) throws {}
    /// The contents of a version are here.
    package func setMaterialised(
        _ id: ItemIdentifier, in domain: DomainName, version: ItemVersion, file: FileIdentity, state: ItemState
    ) throws {}
    /// The contents are gone.
    package func setPlaceholder(_ id: ItemIdentifier, in domain: DomainName) throws {}
    package func setFile(_ file: FileIdentity, of id: ItemIdentifier, in domain: DomainName) throws {}
    package func setPinned(_ pinned: Bool, of id: ItemIdentifier, in domain: DomainName) throws {}
    package func setProblem(_ error: DocumentError?, of id: ItemIdentifier, in domain: DomainName) throws {}

    // Journal
    package func begin(
        _ action: JournalAction, _ step: JournalStep, item: ItemIdentifier?, in domain: DomainName,
        payload: JournalPayload
    ) throws -> JournalEntry { throw DocumentError(.unimplemented, "") }
    package func advance(_ entry: JournalEntry, to step: JournalStep, payload: JournalPayload? = nil) throws
        -> JournalEntry
    { entry }
    package func finish(_ entry: JournalEntry) throws {}

    // Conflicts
    package func addConflict(_ conflict: ConflictRecord, in domain: DomainName) throws {}
    package func removeConflict(number: Int64) throws {}
}
