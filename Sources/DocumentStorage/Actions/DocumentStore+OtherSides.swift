import DocumentModel
import Logging

/// The other sides of conflicts that are over.
extension DocumentStore {
    /// Puts what the remote has where our contents were, when it is here already as the other side of a conflict: nobody has to
    /// bring it then. When that does not work, it comes when somebody wants it.
    ///
    /// - Parameter conflicts: of the item, which is a placeholder now.
    func putOtherSide(of conflicts: [ConflictRecord], at id: ItemIdentifier, in domain: DomainName) throws {
        do {
            let (item, _) = try locate(id, in: domain)
            guard item.local == nil, !item.isGone,
                let side = try conflicts.last(where: { try isWhatRemoteHas($0, of: item) })
            else { return }
            let request = try root.staging.makeRequest()
            let materialisation = try takingBack {
                try request.remove()
            } _: {
                let file = try root.staging.snapshot(ofFileAt: root.versions.path(of: side.kept), in: request)
                return try beginMaterialising(id, in: domain, request, file)
            }
            try takingBack {
                try abandon(materialisation, because: nil)
            } _: {
                _ = try finish(materialisation, as: materialisation.item.item)
            }
        } catch let error as StoppedByObserver {
            throw error
        } catch {
            logger.notice(
                "the other side of a conflict is not put in place; it is brought when it is wanted",
                metadata: ["item.id": "\(id)", "error": "\(error)"])
        }
    }

    /// Whether the kept contents are what the remote has still, as they were verified when they were kept: where they could not
    /// be fetched, it is our own that are kept.
    func isWhatRemoteHas(_ conflict: ConflictRecord, of item: IndexedItem) throws -> Bool {
        let version = item.item.version.content
        guard !version.isEmpty, conflict.remote.content == version,
            let (file, stamp) = try root.versions.stamped(conflict.kept)
        else { return false }
        return stamp.isOf(item.id, in: item.domain) && stamp.contentVersion == version && stamp.matches(file)
    }
}
