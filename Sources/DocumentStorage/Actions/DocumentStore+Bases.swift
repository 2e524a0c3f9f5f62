package import DocumentModel

/// What a change began from without its having been here: a program has written new contents in a document's place (VER-13).
extension DocumentStore {
    /// Whether what is to be written over at the remote never was here: a program has written new contents without it.
    ///
    /// - Parameter most: in bytes; what is larger, or nothing at all, is not missed.
    package func lacksBase(of item: IndexedItem, upTo most: Int64) throws -> Bool {
        try index.read { index in
            guard let item = try index.item(item.id, in: item.domain), item.state == .changed, !item.isGone,
                !item.isArriving, item.item.kind == .document, let version = item.synced?.content, !version.isEmpty,
                item.item.version.content == version,
                // No file was ever known to have those contents.
                item.proof == ContentsProof(), let size = item.item.size, size > 0, size <= most
            else { return false }
            return try !index.keptVersions(of: item.id, in: item.domain).contains {
                try $0.version.content == version && root.versions.status(of: $0.kept) != nil
            }
        }
    }

    /// Keeps what the provider has given, verified, as what a change here began from that was not sent yet; not when that is over by
    /// now.
    package func keepBase(_ file: StagedFile, as remote: Item, of item: IndexedItem) throws {
        let (_, location) = try locate(item.id, in: item.domain)
        let base = KeptVersion(
            itemID: item.id, role: .base, version: remote.version, kept: try root.versions.keep(file, of: location),
            size: file.identity.size, modified: remote.modified, device: remote.savedBy ?? "")
        let isKept = try index.write { index in
            guard let now = try index.item(item.id, in: item.domain), now.row == item.row, now.state == .changed,
                now.synced?.content == remote.version.content,
                try !index.keptVersions(of: item.id, in: item.domain).contains(where: { known in
                    known.role == .base && known.version.content == remote.version.content
                })
            else { return false }
            try index.addKeptVersion(base, in: item.domain)
            return true
        }
        if !isKept { try root.versions.remove(base.kept) }
    }
}
