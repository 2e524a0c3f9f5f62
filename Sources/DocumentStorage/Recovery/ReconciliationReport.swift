package import DocumentModel

/// What was found at start, and done about it.
package struct ReconciliationReport: Sendable {
    /// One sentence each, for people.
    package var findings: [String] = []
    /// What only the provider knows the outcome of: sends, to take up with ``DocumentStore/resumeSending(_:)`` once it is
    /// there, and what else it was asked for, to be looked up.
    package var pending: [JournalEntry] = []
    /// Arrivals and moves whose sources still have to go. Their contents are in their place; but those of a move at `moveRecorded`
    /// are taken from there first, with ``DocumentStore/contents(ofLeft:)`` and ``DocumentStore/place(_:ofLeft:)``.
    package var sources: [JournalEntry] = []
    /// Files that belong to no item. They stay where they are.
    package var unknownFiles: [Location] = []
    /// Documents' files that programs have given other places while no host ran: the documents are to follow them.
    package var moved: [MovedFile] = []
    /// Contents that were here and not in the index.
    package var adopted = 0
    /// Files that were changed while no host ran.
    package var changed = 0
    /// Files that were gone.
    package var missing = 0
    /// Staging folders and files removed.
    package var swept = 0
}
