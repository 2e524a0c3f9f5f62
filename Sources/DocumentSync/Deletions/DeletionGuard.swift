package import DocumentModel

/// More is to be deleted at once than goes without saying (CONT-13).
package struct DeletionQuestion: Hashable, Sendable {
    /// What a yes covers; nothing that comes later.
    package var atProvider: Set<ItemIdentifier>
    package var here: Set<ItemIdentifier>

    package var all: Set<ItemIdentifier> { atProvider.union(here) }
}

/// When deletions need a yes: where there are as many as the minimum, and that is as much of the domain (CONT-13).
package struct DeletionGuard: Hashable, Sendable {
    /// Fewer than these never ask.
    package var minimum: Int
    /// Of what both sides had agreed on; above 100, nothing ever asks.
    package var percent: Int

    package init(minimum: Int = 50, percent: Int = 25) {
        self.minimum = minimum
        self.percent = percent
    }

    package func asks(_ deletions: Int, of items: Int) -> Bool {
        deletions >= minimum && deletions * 100 >= items * percent
    }
}
