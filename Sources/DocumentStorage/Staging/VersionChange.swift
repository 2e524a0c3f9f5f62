/// What has become of an item's versions: presenters hear of that (COORD-27).
package struct VersionChange: Sendable {
    /// The item afterwards.
    package var item: IndexedItem
    /// Older contents that there are since.
    package var gained: [KeptVersion]
    /// Those that are gone.
    package var lost: [KeptVersion]
}
