/// What a presenter is told (COORD-22 to COORD-27, COORD-41).
package enum PresenterMessage: Hashable, Sendable {
    case relinquishToReader
    case relinquishToWriter
    /// What was relinquished is the presenter's again.
    case reacquire
    case saveChanges
    case accommodateDeletion
    case accommodateSubitemDeletion(Location)
    case accommodateEviction
    case didChange
    case didMove(to: Location)
    /// Out of its domain, to a path of this machine (CONT-9).
    case didMoveOut(to: String)
    case didChangeAttributes([String])
    case version(VersionEvent, String)
    case subitemDidAppear(Location)
    case subitemDidChange(Location)
    case subitemDidMove(Location, to: Location)
    case subitemVersion(Location, VersionEvent, String)

    /// What has happened to a version of an item (COORD-27).
    package enum VersionEvent: String, Hashable, Sendable, CaseIterable {
        case gained, lost, resolved
    }

    /// Whether the one who caused it waits for the answer.
    package var isAwaited: Bool {
        switch self {
        case .relinquishToReader, .relinquishToWriter, .saveChanges, .accommodateDeletion, .accommodateSubitemDeletion,
            .accommodateEviction:
            true
        case .reacquire, .didChange, .didMove, .didMoveOut, .didChangeAttributes, .version, .subitemDidAppear,
            .subitemDidChange, .subitemDidMove, .subitemVersion:
            false
        }
    }

    /// The capability that a presenter must have declared to get it.
    package var capability: PresenterCapabilities {
        switch self {
        case .relinquishToReader: .relinquishing
        case .relinquishToWriter, .reacquire: .relinquishingToWriters
        case .saveChanges: .saving
        case .accommodateDeletion: .deletion
        case .accommodateSubitemDeletion: .subitemDeletion
        case .accommodateEviction: .eviction
        case .didChange: .changes
        case .didMove: .moves
        case .didMoveOut: .movesOut
        case .didChangeAttributes: .attributes
        case .version: .versions
        case .subitemDidAppear, .subitemDidChange, .subitemDidMove: .subitems
        case .subitemVersion: .subitemVersions
        }
    }
}

/// The messages that a presenter implements; it gets no other (COORD-22).
package struct PresenterCapabilities: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// To readers, too.
    package static let relinquishing = Self(rawValue: 1 << 0 | 1 << 11)
    package static let saving = Self(rawValue: 1 << 1)
    package static let deletion = Self(rawValue: 1 << 2)
    package static let subitemDeletion = Self(rawValue: 1 << 3)
    package static let eviction = Self(rawValue: 1 << 4)
    package static let changes = Self(rawValue: 1 << 5)
    package static let moves = Self(rawValue: 1 << 6)
    package static let attributes = Self(rawValue: 1 << 7)
    package static let versions = Self(rawValue: 1 << 8)
    package static let subitems = Self(rawValue: 1 << 9)
    package static let subitemVersions = Self(rawValue: 1 << 10)

    package static let relinquishingToWriters = Self(rawValue: 1 << 11)

    package static let movesOut = Self(rawValue: 1 << 12)

    package static let all = Self(rawValue: (1 << 13) - 1)
}
