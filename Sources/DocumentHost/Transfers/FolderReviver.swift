import DocumentModel
import DocumentStorage
import DocumentWire
import Logging
import ProviderLauncher

/// Makes folders anew at the provider that were removed there while something in them was edited here: the edit
/// survives, and so does the place that it has (VER-15).
struct FolderReviver: Sendable {
    let storage: StorageThreads
    let logger: Logger

    /// - Parameter operation: the name of what is sent, so that a folder is not made twice for it.
    /// - Returns: the folder's identifier from now on; the same one when it was there all along.
    func revive(
        _ id: ItemIdentifier, in domain: DomainName, for operation: String, with session: ProviderSession
    ) async throws(DocumentError) -> ItemIdentifier {
        // From the inside out, up to the first one that is there.
        var missing: [IndexedItem] = []
        var around = id
        while try await !isThere(around, session) {
            guard let folder = try storage.read({ try $0.item(around, in: domain) }),
                let parent = folder.item.parentID, missing.count < ItemLineage.deepest
            else {
                throw DocumentError(.noSuchItem, "The provider of \(domain) does not know its own top folder any more.")
            }
            missing.append(folder)
            around = parent
        }
        for folder in missing.reversed() {
            let made = try await make(folder, in: around, "\(operation)-\(folder.row)", session)
            try await storage.run { try $0.revive(folder.id, as: made, in: domain) }
            logger.notice(
                "a folder that was removed on the remote is made anew, because something in it was changed here",
                metadata: ["domain": "\(domain)", "item.id": "\(folder.id)"])
            around = made.id
        }
        return around
    }

    private func isThere(_ id: ItemIdentifier, _ session: ProviderSession) async throws(DocumentError) -> Bool {
        do throws(DocumentError) {
            return try await session.item(id).kind != .document
        } catch {
            guard error.code == .noSuchItem else { throw error }
            return false
        }
    }

    func make(
        _ folder: IndexedItem, in parent: ItemIdentifier, _ operation: String, _ session: ProviderSession
    ) async throws(DocumentError) -> Item {
        guard let name = folder.item.name else {
            throw DocumentError(.internal, "A folder without a name cannot be made anew.")
        }
        let call = ProviderCall.CreateCall(
            parentID: parent, name: name, kind: folder.item.kind, contentsPath: nil, modified: nil,
            operation: operation)
        do throws(DocumentError) {
            return try await onceMoreAfterDeath { () async throws(DocumentError) in try await session.create(call) }
        } catch {
            guard error.code == .nameCollision else { throw error }
            // Somebody else was quicker.
            return try await existing(name, of: folder, in: parent, session, because: error)
        }
    }

    func existing(
        _ name: ItemName, of folder: IndexedItem, in parent: ItemIdentifier, _ session: ProviderSession,
        because cause: DocumentError
    ) async throws(DocumentError) -> Item {
        var page: PageToken?
        var progress = PagingProgress("the listing of a folder of \(folder.domain)", of: session)
        repeat {
            let found = try await session.enumerate(parent, page: page, suggestedCount: 500)
            if let item = found.items.first(where: { $0.name == name && $0.kind.isFolder == folder.item.kind.isFolder })
            {
                return item
            }
            page = found.next
            if let token = page { try progress.took(token.bytes, items: found.items) }
        } while page != nil
        throw cause
    }
}
