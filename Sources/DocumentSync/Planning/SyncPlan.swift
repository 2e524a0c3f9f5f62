package import DocumentModel

/// What can be done now, and what waits for what.
package struct SyncPlan: Hashable, Sendable {
    /// No two of them are about the same item, or take the same name.
    package var operations: [SyncOperation] = []
    /// Items that cannot go on before another one has.
    package var waits: [ItemIdentifier: ItemIdentifier] = [:]
    /// Items that are known and not shown, because a sibling holds their name.
    package var clashes: [ItemIdentifier: ItemIdentifier] = [:]
    /// Deletions that somebody has to say yes to first.
    package var question: DeletionQuestion?

    package init() {}
}
