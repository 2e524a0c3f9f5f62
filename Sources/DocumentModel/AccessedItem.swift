/// One document of a granted access.
public struct AccessedItem: Hashable, Sendable {
    /// The path of the document's file as of now.
    public var path: String
    public var item: ItemStatus

    public init(path: String, item: ItemStatus) {
        self.path = path
        self.item = item
    }
}

/// Who holds what, and who waits for what: sentences for people.
public struct CoordinationStatus: Hashable, Sendable {
    /// Who holds what, the oldest first.
    public var holdings: [String]
    /// What every wait waits for, the oldest first.
    public var waits: [String]
    /// Presenters that did not answer in time, the newest last.
    public var droppedPresenters: [String]

    public init(holdings: [String] = [], waits: [String] = [], droppedPresenters: [String] = []) {
        self.holdings = holdings
        self.waits = waits
        self.droppedPresenters = droppedPresenters
    }
}

/// A presenter, as a host tool registers it.
package struct PresenterRegistration: Hashable, Sendable {
    /// The tool's own number.
    package var number: UInt64
    /// Nil: not created yet (COORD-29).
    package var place: PresentedPlace?
    package var capabilities: PresenterCapabilities
    package var observedAttributes: [String]
    /// How long it may take for one message.
    package var patience: Duration

    package init(
        number: UInt64, place: PresentedPlace?, capabilities: PresenterCapabilities, observedAttributes: [String] = [],
        patience: Duration = .seconds(30)
    ) {
        self.number = number
        self.place = place
        self.capabilities = capabilities
        self.observedAttributes = observedAttributes
        self.patience = patience
    }
}
