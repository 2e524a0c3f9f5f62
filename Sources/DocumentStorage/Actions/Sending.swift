package import DocumentModel

/// Changed contents on their way to the provider.
package struct Sending: Sendable {
    package var entry: JournalEntry
    package var item: IndexedItem
    /// As the index has it once it was begun; nil when that was some time ago.
    var begun: IndexedItem?
    package var location: Location
    /// What the provider is to take.
    package var snapshot: StagedFile
    /// The version that the change began from: what the provider must still have.
    package var base: ItemVersion
    /// The same in every retry, until the provider has answered.
    package var operation: String
    /// The provider may have been asked for it before, under this name.
    package var isRepeated = false
    /// The row of the folder that it was in when it was begun: that one may have another identifier since.
    var folderRow: Int64?
}
