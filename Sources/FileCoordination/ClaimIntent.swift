package import DocumentModel

/// What a claim is for.
package enum ClaimIntent: Hashable, Sendable {
    case reading(ReadingOptions)
    case writing(WritingOption?)
    /// The contents are to leave, the placeholder stays (COORD-41).
    case evicting

    /// Reading with no option.
    package static let reading = ClaimIntent.reading([])

    package var isWriting: Bool {
        if case .reading = self { false } else { true }
    }

    /// COORD-3 and COORD-4: on a directory it also excludes the claims on what lies inside.
    var coversContents: Bool {
        switch self {
        case .writing(.forDeleting), .writing(.forReplacing), .writing(.forMoving), .evicting: true
        default: false
        }
    }

    /// Whether the document's contents must be here before the accessor runs (COORD-9, COORD-21).
    var needsContents: Bool {
        switch self {
        case .reading(let options): options.needsContents
        case .writing(let option): option.needsContents
        case .evicting: false
        }
    }

    var isForUploading: Bool {
        if case .reading(let options) = self { options.contains(.forUploading) } else { false }
    }

    /// What is left of the item when such a claim ends and nobody says more.
    package var usualEffect: ClaimEffect {
        switch self {
        case .reading, .evicting, .writing(.forMoving): .unchanged
        case .writing(.forDeleting): .disappeared
        case .writing: .changed
        }
    }

    /// "read", "write", "delete": for sentences.
    var verb: String {
        switch self {
        case .reading: "read"
        case .writing(.forDeleting): "delete"
        case .writing(.forMoving): "move"
        case .writing(.forReplacing): "replace"
        case .writing: "write"
        case .evicting: "evict"
        }
    }
}

/// What a claim has done to an item (COORD-26).
package enum ClaimEffect: Hashable, Sendable {
    case unchanged
    /// Contents or attributes (COORD-28).
    case changed
    case appeared
    case disappeared
}
