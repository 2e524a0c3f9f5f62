import DocumentModel
import DocumentStorage
import DocumentSync
import DocumentWire
import FileCoordination
import Logging
import ProviderLauncher
import SystemPackage

/// What a program has written over without its having been here: only the remote has it, and only until the new contents are sent.
extension Delivery {
    /// What is larger is not brought for that, in bytes.
    static let largestBase: Int64 = 64 << 20

    /// Brings what is about to be written over, and keeps it as what the change began from (VER-13), where nothing of it is here.
    ///
    /// What its provider does not give away is written over all the same: whoever wrote has not asked for it.
    ///
    /// - Throws: what ends by itself, or when somebody does something, as for the sending itself.
    func keepBase(of item: IndexedItem, at location: Location, with turn: ProviderTurn) async throws(DocumentError) {
        let (id, domain) = (item.id, item.domain)
        guard let version = item.synced?.content,
            try await storage.run({ try $0.lacksBase(of: item, upTo: Self.largestBase) })
        else { return }
        let room = try await storage.run { try $0.makeRoomForRemoteVersion(in: domain) }
        let provided: ProvidedContents
        do throws(DocumentError) {
            provided = try await turn.taken(for: location) { session throws(DocumentError) in
                try await session.startProviding(
                    id, stagingPath: room.file.path.string, contentVersion: version, onProgress: { _ in })
            }
        } catch {
            try await storage.run { _ in try room.request.remove() }
            guard error.code.errorClass == .definitive else { throw error }
            return logger.notice(
                "what is written over could not be brought, and is no version",
                metadata: ["domain": "\(domain)", "item.id": "\(id)", "error": "\(error)"])
        }
        try await storage.run { store throws in
            defer { try? room.request.remove() }
            // It was changed there meanwhile, and is in conflict as soon as it is sent.
            guard provided.item.id == id, provided.item.version.content == version else { return }
            let stamp = ItemStamp(
                domain: domain, id: id, contentVersion: version, size: provided.item.size ?? 0,
                modified: provided.item.modified)
            let verified = try room.request.verify(
                room.file, size: provided.item.size, sha256: provided.sha256, stamp: stamp)
            try store.keepBase(verified, as: provided.item, of: item)
        }
    }
}
