package import DocumentModel
package import DocumentSync

/// Names an operation that was started.
package struct SyncTicket: Hashable, Comparable, Sendable {
    package let number: UInt64

    package static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}

/// What happens to the engine.
package enum SyncEvent: Sendable {
    /// The provider told, or the disk showed.
    case learned([TreeChange])
    case answered(SyncTicket, SyncAnswer)
    case failed(SyncTicket, DocumentError)
    /// The provider says that what it waited for is resolved.
    case resolved
    /// Somebody waits for an item's contents: it comes first.
    case wanted(ItemIdentifier)
    /// Nobody wants the contents here.
    case unwanted(ItemIdentifier)
    /// Somebody said yes to these deletions.
    case approved(Set<ItemIdentifier>)
    /// Somebody said no: what was deleted here is shown here again; what is gone there and has contents here is made there
    /// anew, and of the rest there is nothing to be kept (CONT-13).
    case declined(DeletionQuestion)
    /// A time that was asked for has come.
    case woken
}

/// What the engine wants done, in this order.
package enum SyncAction: Hashable, Sendable {
    /// Write down, durably and in one step, before anything else is done.
    case record([TreeChange])
    /// Carry out, and report with the ticket. Calls that carry contents to the provider bear the name: the same for the
    /// same contents, so that they are not taken twice.
    case start(SyncTicket, SyncOperation, name: String)
    case wake(at: Duration)
    /// What is known of the remote is not so any more: ask for its changes.
    case refresh
    case ask(DeletionQuestion)
}
