import DocumentModel
import DocumentStorage
import Logging
import SystemPackage

extension DocumentHost {
    /// Copies a local document to a place, or moves it there.
    ///
    /// - Returns: the item, and what the tool is told of it.
    func put(
        _ source: FilePath, at place: Location, on domain: Domain, removingSource: Bool, replacing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) -> (item: IndexedItem, status: ItemStatus) {
        await settleChanges(at: place, in: domain)
        let item = try await exporter.export(
            source, to: place, on: domain, removingSource: removingSource, replacing: replacing,
            onProgress: onProgress)
        guard domain.isDropBox else { return (item, try status(of: item)) }
        await forget(item, domain)
        // What was asked for, and not what it is called there.
        var told = item.item
        told.name = place.name
        return (item, ItemStatus(item: told, location: place, state: .placeholder, path: ""))
    }

    /// What was put into a drop box does not stay in the storage root for everybody to read.
    private func forget(_ item: IndexedItem, _ domain: Domain) async {
        do throws(DocumentError) {
            guard let place = try storage.read({ try $0.location(of: item.id, in: item.domain) }) else { return }
            _ = try await evictor.evict(item, at: place, on: domain)
        } catch {
            logger.notice(
                "a document in a drop box keeps its copy here",
                metadata: ["domain": "\(domain.name)", "error": "\(error)"])
        }
    }
}
