public import DocumentModel
import DocumentStorage
import Logging

/// Contents that were here when their documents were removed (CONT-13).
extension DocumentHost {
    /// How many are told of at once.
    private static let trashPage = 500

    /// One page of what is in the trash, the newest first.
    ///
    /// - Parameter place: `next` of the page before; 0: the first page.
    public func trash(_ choice: TrashChoice, after place: UInt64 = 0) throws(DocumentError) -> TrashPage {
        if case .below(let location) = choice { _ = try domains.domain(location.domain) }
        let found = try storage.read {
            try $0.trash(choice, before: place == 0 ? .max : place, limit: Self.trashPage)
        }
        return TrashPage(
            documents: found.map(\.document), next: found.count == Self.trashPage ? found.last?.number : nil)
    }

    /// Makes a document of it again, with the folders around it that are not there; it is sent as anything new.
    ///
    /// - Parameter place: nil: where it was.
    /// - Throws: `noSuchItem` for what is not in the trash, `destinationExists` where something is; then nothing was changed.
    public func restoreTrash(_ id: String, to place: Location? = nil) async throws(DocumentError) -> ItemStatus {
        let record = try await storage.run { try $0.trashed(id) }
        let place = place ?? record.document.location
        let item = try await arrivals.restore(record, to: place, on: try domains.domain(place.domain))
        try await storage.run { try $0.finishRestoring(record) }
        return try status(of: item)
    }

    /// Removes what is in the trash for good.
    ///
    /// - Parameter date: only what was removed before, in seconds since 1970; nil: whenever it was.
    /// - Returns: how much it was.
    @discardableResult
    public func emptyTrash(
        _ choice: TrashChoice, removedBefore date: Int64? = nil
    ) async throws(DocumentError) -> (documents: UInt64, bytes: UInt64) {
        if case .below(let location) = choice { _ = try domains.domain(location.domain) }
        return try await storage.run { try $0.emptyTrash(choice, removedBefore: date ?? .max) }
    }

    /// How much is in the trash, and may be.
    public func trashStatus() throws(DocumentError) -> TrashStatus { try storage.read { try $0.trashStatus() } }

    /// Says how much may be in the trash. What is more than that goes now.
    public func setTrashLimits(_ limits: TrashLimits) async throws(DocumentError) {
        try await storage.run { store in
            try store.root.index.write { try $0.setTrashLimits(limits) }
            try store.trimTrash()
        }
    }

    /// What is too old goes, also when nobody asks. Ends with the host.
    func keepTrashWithinLimits() async {
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(3_600)) } catch { return }
            if storage.store.root.trash.isEmpty { continue }
            do {
                _ = try await storage.run { try $0.trimTrash() }
            } catch {
                logger.warning("what is too old could not be removed from the trash", metadata: ["error": "\(error)"])
            }
        }
    }
}
