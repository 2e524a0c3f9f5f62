package import DocumentModel

/// An item as the index has it: what the provider last told, what both sides agreed on, and what was seen on disk.
package struct IndexedItem: Hashable, Sendable {
    /// The row: stable as long as the item is known, also over rename and move.
    package var row: Int64
    package var domain: DomainName
    /// As the provider last told it, at the place that it has in the tree here.
    package var item: Item
    /// The version that the contents here have, or began from; nil when none are here.
    package var synced: ItemVersion?
    /// The file, as it was last seen on disk; nil when no contents are here.
    package var local: FileIdentity?
    /// What shows that the file has the contents of the synced version.
    package var proof = ContentsProof()
    package var state: ItemState
    /// Where the provider has the item, when it cannot lie there here because of a sibling (CONT-12).
    package var wanted: WantedPlace?
    /// The provider says that it is gone; its contents here are not cleared yet.
    package var isGone: Bool
    package var isPinned: Bool
    /// What went wrong with it last.
    package var problem: ItemProblem?

    package struct WantedPlace: Hashable, Sendable {
        package var parentID: ItemIdentifier
        package var name: ItemName
    }

    package struct ItemProblem: Hashable, Sendable {
        package var code: DocumentError.Code
        package var message: String
    }

    package var id: ItemIdentifier { item.id }

    /// Whether there are contents here that the provider does not have.
    package var isUnsent: Bool { state == .changed || state == .sending || state == .conflict }

    /// Of a document, the version that goes when it is removed: what the contents here have, or began from; where nobody knows
    /// that, what the provider last told, as against no version it would remove whatever it has by then.
    package var versionToRemove: ItemVersion {
        guard let synced, !synced.content.isEmpty else { return item.version }
        return synced
    }

    /// Whether it is there for whoever asks: the provider has it, or has deleted what was changed here and outlives that
    /// (VER-15). What does not exist any more is still to be cleared away.
    package var exists: Bool { !isGone || isUnsent }

    /// Whether it has the name of the host's that it gets out of another one's way with, for a moment.
    package var isAside: Bool { item.name?.rawValue == ItemApplier.asideName(of: row) }
}

/// A configured domain.
package struct DomainRecord: Hashable, Sendable {
    /// How its sign-in is.
    package enum SignIn: Int, Sendable {
        /// It is signed in, or needs no sign-in.
        case done = 0
        /// Nobody is signed in, and nothing of it is here.
        case needed = 1
        /// It is being signed out: what is here goes, unless something of it turns out to be unsent.
        case ending = 2
        /// So too, and what is unsent is to be dropped.
        case endingWithUnsent = 3
    }

    package var name: DomainName
    package var provider: ProviderIdentifier
    package var rootID: ItemIdentifier
    package var settings: [String: String]
    /// Where the provider's feed of changes was read up to.
    package var anchor: SyncAnchor?
    package var signIn: SignIn

    /// - Parameter settings: without those that are kept in a ``SecretStore``.
    package init(
        name: DomainName, provider: ProviderIdentifier, rootID: ItemIdentifier = .root,
        settings: [String: String] = [:], anchor: SyncAnchor? = nil, signIn: SignIn = .done
    ) {
        self.signIn = signIn
        self.name = name
        self.provider = provider
        self.rootID = rootID
        self.settings = settings
        self.anchor = anchor
    }
}

/// Where a listing of children goes on: behind this name. Stays valid whatever happens to the item.
package struct ChildCursor: Hashable, Sendable {
    package var nameKey: String
    package var row: Int64

    package init(nameKey: String, row: Int64) {
        self.nameKey = nameKey
        self.row = row
    }
}

package struct ChildPage: Hashable, Sendable {
    package var items: [IndexedItem]
    /// Nil at the end.
    package var next: ChildCursor?
}

/// How far a folder's listing by its provider is.
package struct ListingState: Hashable, Sendable {
    /// Every child that the provider had at the end of the last full listing is known.
    package var isComplete: Bool
    /// The listing under way, or the last one.
    package var generation: Int64
    /// Where the listing under way goes on; nil at its beginning, and when none is under way.
    package var nextPage: PageToken?
}

/// How many items of a domain are in which state.
package struct ItemCounts: Hashable, Sendable {
    /// Documents and packages.
    package var documents: Int
    package var folders: Int
    /// By state, `placeholder` left out: that is the rest.
    package var byState: [ItemState: Int]
}

/// What the index made of what a provider told.
package struct ApplyOutcome: Sendable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    package var deleted = 0
    /// What is gone, and waits for a decision (CONT-13).
    package var held = 0
    /// Placeholders to be written, of changed items without contents here; each lies in the folder listed. Those of new
    /// ones are due (``DocumentStore/writeDuePlaceholders(limit:)``).
    package var placeholders: [Placeholder] = []
    /// New or changed items, as they are now; only where asked for.
    package var changed: [IndexedItem] = []
    /// Those of them that were not known before.
    package var appeared: Set<ItemIdentifier> = []
    /// Those of them that have another name or folder, and are otherwise as they were.
    package var moved: Set<ItemIdentifier> = []
    /// Those of which something else than that is new.
    var retold: Set<ItemIdentifier> = []
    /// What was kept out, each with the reason: orphans, cycles, items that are their own parent.
    package var rejected: [(id: ItemIdentifier, error: DocumentError)] = []
    /// What was left out, because it was removed or moved at the provider, as here, since that was asked: only when it is looked
    /// at again is it known what it is.
    package var leftOut: [ItemIdentifier] = []
    /// What is to be done in the tree on disk because of it; open journal entries, to be performed in this order
    /// (``DocumentStore/perform(_:)``).
    package var work: [JournalEntry] = []
    /// Items whose name now clashes with a sibling's.
    package var clashes: [ItemIdentifier] = []
}

/// A conflict: both contents, and what they have in common.
package struct ConflictRecord: Hashable, Sendable {
    package var number: Int64
    package var itemID: ItemIdentifier
    /// The remote's version when the conflict was found.
    package var remote: ItemVersion
    /// The version that the local change began from.
    package var base: ItemVersion?
    /// The kept contents: a path below `versions/`.
    package var kept: String
    package var reason: String
    /// What the device calls itself that saved the remote's contents; empty where it is not known.
    package var device = ""
    /// What the kept contents were called at the remote; empty: as their place is.
    package var name = ""

    /// The same for as long as the contents are kept, and afterwards where they become the document's (VER-8).
    package var identifier: String { name.isEmpty ? VersionStore.identifier(of: kept) : name }
}
