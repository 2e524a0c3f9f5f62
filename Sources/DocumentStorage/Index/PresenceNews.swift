package import DocumentModel

/// Of a folder: contents came into it or were looked at, or contents left it.
package struct PresenceNews: Hashable, Sendable {
    package var domain: DomainName
    package var folder: ItemIdentifier
    /// Whether an item has contents in it now.
    package var isHere: Bool

    package init(domain: DomainName, folder: ItemIdentifier, isHere: Bool) {
        self.domain = domain
        self.folder = folder
        self.isHere = isHere
    }
}
