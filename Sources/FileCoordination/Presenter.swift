package import DocumentModel

/// Names one registered presenter; never reused.
package struct PresenterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { "presenter \(rawValue)" }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Names one message to a presenter; never reused.
package struct MessageID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { "message \(rawValue)" }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Who shows an item, and is told what others are about to do with it.
package struct Presenter: Hashable, Sendable {
    package let id: PresenterID
    package let owner: ClaimOwner
    /// Nil: not created yet (COORD-29).
    package var item: CoordinatedItem?
    /// It gets these messages and no others.
    package let capabilities: PresenterCapabilities
    /// Of what it wants to hear when attributes change (COORD-41).
    package let observedAttributes: Set<String>
    /// How long it may take for one message; then it is dropped.
    package let patience: Duration

    package init(
        id: PresenterID, owner: ClaimOwner, item: CoordinatedItem?, capabilities: PresenterCapabilities,
        observedAttributes: Set<String> = [], patience: Duration = .seconds(30)
    ) {
        self.id = id
        self.owner = owner
        self.item = item
        self.capabilities = capabilities
        self.observedAttributes = observedAttributes
        self.patience = patience
    }
}

/// The record of a presenter that did not answer in time.
package struct DroppedPresenter: Hashable, Sendable, CustomStringConvertible {
    package let presenter: PresenterID
    package let owner: ClaimOwner
    package let location: Location?
    package let message: PresenterMessage
    package let patience: Duration
    package let time: Duration

    package var description: String {
        "\(owner) was asked to \(CoordinationMessages.asked(message)), did not answer within \(patience), and no longer presents \(location.map(\.description) ?? "its document"); it must register again."
    }
}
