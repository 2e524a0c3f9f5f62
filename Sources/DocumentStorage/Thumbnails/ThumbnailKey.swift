package import DocumentModel

/// Names a thumbnail: of which item, which contents of it are to be seen, and how large it is.
package struct ThumbnailKey: Hashable, Sendable {
    package var domain: DomainName
    package var id: ItemIdentifier
    package var contentVersion: [UInt8]
    /// That was asked for: the longer side in pixels.
    package var size: Int

    package init(domain: DomainName, id: ItemIdentifier, contentVersion: [UInt8], size: Int) {
        self.domain = domain
        self.id = id
        self.contentVersion = contentVersion
        self.size = size
    }
}
