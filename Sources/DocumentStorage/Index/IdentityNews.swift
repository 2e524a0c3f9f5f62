package import DocumentModel

/// What has become of identifiers, as whoever may still know an item by a former one has to know.
package enum IdentityNews: Hashable, Sendable {
    /// An item is known by another identifier from now on: its provider has made it, or moved it where identifiers follow names
    /// (ID-4).
    case changed(DomainName, former: ItemIdentifier, id: ItemIdentifier)
    /// An item is new here: if its identifier was another one's before, it is that one's no more.
    case appeared(DomainName, ItemIdentifier)
}
