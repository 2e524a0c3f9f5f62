import DocumentModel
import DocumentStorage
import ProviderLauncher

/// An item that a provider is asked for, with the folders around it that are not known here.
struct ItemLineage: Sendable {
    let storage: StorageThreads

    /// More folders are not around any item.
    static let deepest = 512

    /// - Returns: the outermost folder first, the item last.
    /// - Throws: `noSuchItem`, and `contractBroken` when the provider tells of something else.
    func ask(for id: ItemIdentifier, in domain: Domain) async throws(DocumentError) -> [Item] {
        var told: [Item] = []
        var next: ItemIdentifier? = id
        while let wanted = next {
            guard told.count < Self.deepest else {
                throw domain.provider.broken("tells of folders around an item of \(domain.name) that do not end")
            }
            let item = try await domain.provider.item(wanted)
            guard item.id == wanted else {
                throw domain.provider.broken("was asked for an item of \(domain.name) and told of another one")
            }
            told.append(item)
            next = item.parentID
            if let parent = next, try storage.read({ try $0.item(parent, in: domain.name) }).map({ !$0.isGone }) == true
            {
                break
            }
        }
        return told.reversed()
    }
}
