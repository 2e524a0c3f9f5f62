internal import DocumentModel

/// What the tree on disk is still to follow, with the places as they were called when it was recorded.
struct RecordedStep {
    var item: ItemIdentifier?
    /// By the names before it.
    var place: [ItemName]
    /// By the names after it. What is to be removed has none: its place, so that nothing gets another name by that.
    var destination: [ItemName]

    init?(_ entry: JournalEntry) {
        guard let place = entry.payload.place else { return nil }
        item = entry.itemID
        self.place = place
        destination = entry.payload.destination ?? place
    }
}

/// A place by the names of one moment. Folders around it get other names later, and what is recorded names places as they were
/// called then: who compares two of them has to tell both by the names of the same moment.
struct PlaceInTime: Equatable {
    private(set) var names: [ItemName]

    init(_ names: some Collection<ItemName>) { self.names = Array(names) }

    /// By the names after a step, of what has the place before it.
    func after(_ step: RecordedStep) -> Self {
        names.starts(with: step.place) ? Self(step.destination + names.dropFirst(step.place.count)) : self
    }

    func after(_ steps: some Sequence<RecordedStep>) -> Self { steps.reduce(self) { $0.after($1) } }

    /// By the names before a step, of what has the place after it.
    func before(_ step: RecordedStep) -> Self {
        names.starts(with: step.destination) ? Self(step.place + names.dropFirst(step.destination.count)) : self
    }

    /// By the names before steps that follow each other.
    func before(_ steps: some BidirectionalCollection<RecordedStep>) -> Self {
        steps.reversed().reduce(self) { $0.before($1) }
    }

    /// Whether a step is one of something at or within the place, or leads there.
    ///
    /// - Precondition: the place is told by the names before the step.
    func isTouched(by step: RecordedStep) -> Bool {
        step.place.starts(with: names) || step.destination.starts(with: after(step).names)
    }
}
