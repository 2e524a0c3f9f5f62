import DocumentModel
import DocumentStorage
import Logging

/// All that is inside a folder or a package: brought here, and told for what takes it as one.
struct FolderContents: Sendable {
    private static let pageSize = 200

    let storage: StorageThreads
    let follower: ChangeFollower
    let materialiser: Materialiser
    let requests: DownloadRequests

    /// Has the contents of every document inside here, also of those that nobody has listed yet.
    ///
    /// - Parameters:
    ///   - renewing: newer ones of what is outdated, too; for who has it alone.
    ///   - started: called for each document that its provider was asked for.
    /// - Returns: a document that is paused, so that not all of them are here.
    func bring(
        _ folder: IndexedItem, of domain: Domain, renewing: Bool = false,
        started: @escaping @Sendable (ItemKey) -> Void, _ onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> IndexedItem? {
        let download = TreeDownload(
            storage: storage, requests: requests,
            list: { folder throws(DocumentError) in
                if try needsListing(folder, of: domain) { try await follower.list(folder.id, of: domain) }
            },
            // What is here already, even if it is outdated, may be in use by others.
            wanted: { $0.local == nil || renewing && $0.state == .outdated ? $0 : nil },
            bring: { [materialiser] item throws(DocumentError) in
                started(item.key)
                return try await materialiser.materialiseUntilPaused(item, of: domain, onProgress: onProgress) != nil
            })
        return try await download(folder).first
    }

    /// The folder with all that is inside, folders before what lies in them.
    ///
    /// - Parameter location: where the folder is.
    func parts(of folder: IndexedItem, at location: Location) throws(DocumentError) -> [ArchivedItem] {
        let name = location.name?.rawValue ?? location.domain.rawValue
        var parts = [ArchivedItem(path: name, file: nil, modified: folder.item.modified)]
        try add(contentsOf: folder, at: location, name, to: &parts)
        return parts
    }

    private func add(
        contentsOf folder: IndexedItem, at location: Location, _ path: String, to parts: inout [ArchivedItem]
    ) throws(DocumentError) {
        for item in try children(of: folder) {
            guard let name = item.item.name else { continue }
            let (place, path) = (location.appending(name), "\(path)/\(name.rawValue)")
            if item.item.kind == .document {
                // One that has appeared since they were brought is not part of it yet.
                guard item.local != nil else { continue }
                let onDisk = try storage.read { try $0.diskLocations(in: item.domain)(place) }
                parts.append(ArchivedItem(path: path, file: onDisk, modified: item.item.modified))
            } else {
                parts.append(ArchivedItem(path: path, file: nil, modified: item.item.modified))
                try add(contentsOf: item, at: place, path, to: &parts)
            }
        }
    }

    private func needsListing(_ folder: IndexedItem, of domain: Domain) throws(DocumentError) -> Bool {
        guard domain.hasFeed else { return true }
        return try !storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
    }

    /// Without those that are not shown, because their name is another's (nobody can open them either).
    private func children(of folder: IndexedItem) throws(DocumentError) -> [IndexedItem] {
        var found: [IndexedItem] = []
        var cursor: ChildCursor?
        repeat {
            let after = cursor
            let page = try storage.read {
                try $0.children(of: folder.id, in: folder.domain, after: after, limit: Self.pageSize)
            }
            found += page.items.filter { $0.state != .nameClash && !$0.isGone }
            cursor = page.next
        } while cursor != nil
        return found
    }
}
