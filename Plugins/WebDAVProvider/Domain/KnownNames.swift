internal import DocumentModel

/// What was in each folder when it was last listed: what is missing suddenly is looked for once more.
struct KnownNames: Sendable {
    /// More names than this are not kept.
    private static let mostNames = 200_000

    private var folders: [RemotePath: Set<ItemName>] = [:]
    private var count = 0

    /// Whether something that was there is not in a listing.
    func misses(_ entries: [Listings.Entry], in folder: RemotePath) -> Bool {
        guard let names = folders[folder], !names.isEmpty else { return false }
        return !names.isSubset(of: entries.map(\.name))
    }

    mutating func saw(_ entries: [Listings.Entry], in folder: RemotePath) {
        count += entries.count - (folders[folder]?.count ?? 0)
        folders[folder] = Set(entries.map(\.name))
        guard count > Self.mostNames else { return }
        folders = [folder: folders[folder] ?? []]
        count = entries.count
    }

    /// All that was seen below a folder.
    func below(_ path: RemotePath) -> [RemotePath] {
        folders.filter { $0.key.names.starts(with: path.names) }
            .flatMap { folder, names in names.map { folder.appending($0) } }
    }

    mutating func forget(_ name: ItemName, in folder: RemotePath) {
        if folders[folder]?.remove(name) != nil { count -= 1 }
    }
}
