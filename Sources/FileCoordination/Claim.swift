package import DocumentModel

/// Names one claim for its whole life; never reused.
package struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { "claim \(rawValue)" }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Who holds or wants claims: one connection. When it ends, its claims end (COORD-39).
package struct ClaimOwner: Hashable, Sendable, CustomStringConvertible {
    package let id: UInt64
    /// For messages: "docent edit (process 4711)".
    package let name: String

    package init(id: UInt64, name: String) {
        self.id = id
        self.name = name
    }

    package var description: String { name }

    package static func == (one: Self, other: Self) -> Bool { one.id == other.id }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// An item as coordination sees it: itself, and the folders around it.
package struct CoordinatedItem: Hashable, Sendable {
    package struct Key: Hashable, Sendable {
        package let domain: DomainName
        package let id: ItemIdentifier

        package init(domain: DomainName, id: ItemIdentifier) {
            self.domain = domain
            self.id = id
        }
    }

    /// The item; for anything inside a package, the outermost package (COORD-21).
    package let key: Key
    /// The plain folders around it.
    package let ancestors: Set<Key>
    package let location: Location

    package init(key: Key, ancestors: Set<Key>, location: Location) {
        self.key = key
        self.ancestors = ancestors
        self.location = location
    }
}

/// What a claim is for.
package enum ClaimIntent: Hashable, Sendable {
    case reading
    case writing(WritingOption?)

    package var isWriting: Bool { self != .reading }

    /// COORD-3 and COORD-4: also waits for claims on what lies inside.
    var coversContents: Bool {
        switch self {
        case .writing(.forDeleting), .writing(.forReplacing), .writing(.forMoving): true
        default: false
        }
    }
}

/// A request for one claim.
package struct Claim: Hashable, Sendable {
    package let id: ClaimID
    package let owner: ClaimOwner
    package let item: CoordinatedItem
    package let intent: ClaimIntent
    /// Claims with the same purpose never wait for each other (COORD-6). Nil: a purpose of its own.
    package let purpose: String?
    /// The claims inside whose accessors this one was asked for; they cannot end before it is answered.
    package let nestedIn: Set<ClaimID>

    package init(
        id: ClaimID, owner: ClaimOwner, item: CoordinatedItem, intent: ClaimIntent, purpose: String? = nil,
        nestedIn: Set<ClaimID> = []
    ) {
        self.id = id
        self.owner = owner
        self.item = item
        self.intent = intent
        self.purpose = purpose
        self.nestedIn = nestedIn
    }

    /// Whether this claim must wait while `earlier` is held or queued before it (COORD-1 to COORD-6).
    func mustWait(for earlier: Claim) -> Bool {
        if let purpose, purpose == earlier.purpose { return false }
        // A read inside the same accessor's claim on the same item goes on (COORD-33).
        if nestedIn.contains(earlier.id), !intent.isWriting { return false }
        if item.key == earlier.item.key { return intent.isWriting || earlier.intent.isWriting }
        if intent.coversContents, earlier.item.ancestors.contains(item.key) { return true }
        if earlier.intent.coversContents, item.ancestors.contains(earlier.item.key) { return true }
        return false
    }
}
