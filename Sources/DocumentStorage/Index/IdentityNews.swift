package import DocumentModel

/// An item is known by another identifier from now on: its provider has made it, or moved it where identifiers follow names
/// (ID-4).
package struct IdentityNews: Hashable, Sendable {
    package var domain: DomainName
    package var former: ItemIdentifier
    package var id: ItemIdentifier

    package init(domain: DomainName, former: ItemIdentifier, id: ItemIdentifier) {
        self.domain = domain
        self.former = former
        self.id = id
    }
}
