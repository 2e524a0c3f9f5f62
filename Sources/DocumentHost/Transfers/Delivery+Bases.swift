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

    /// Brings what is about to be written over, and keeps it as older contents here (VER-13), where nothing of it is here.
    ///
    /// What its provider does not give away is written over all the same: whoever wrote has not asked for it.
    ///
    /// - Throws: what ends by itself, or when somebody does something, as for the sending itself.
    func keepBase(of sending: Sending, in version: [UInt8], with turn: ProviderTurn) async throws(DocumentError) {
        guard try await storage.run({ try $0.lacksBase(of: sending, in: version, upTo: Self.largestBase) }) else {
            return
        }
        let (id, domain) = (sending.item.id, sending.item.domain)
        let room = try await storage.run { try $0.makeRoomForRemoteVersion(in: domain) }
        let provided: ProvidedContents
        do throws(DocumentError) {
            provided = try await turn.taken(for: sending.location) { session throws(DocumentError) in
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
        let change = try await storage.run { store throws -> VersionChange? in
            defer { try? room.request.remove() }
            // It was changed there meanwhile, and is in conflict as soon as it is sent.
            guard provided.item.id == id, provided.item.version.content == version else { return nil }
            let stamp = ItemStamp(
                domain: domain, id: id, contentVersion: version, size: provided.item.size ?? 0,
                modified: provided.item.modified)
            let verified = try room.request.verify(
                room.file, size: provided.item.size, sha256: provided.sha256, stamp: stamp)
            return try store.keepOverwritten(verified, as: provided.item, by: sending)
        }
        if let change { broker.versions(change, of: try storage.read { try $0.coordinated(sending.item) }) }
    }
}
