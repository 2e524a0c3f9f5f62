package import DocumentModel

/// What a change began from without its having been here, or being here any more: a program has written new contents in a
/// document's place, or has changed its file so that nothing but reading it tells (VER-13).
extension DocumentStore {
    /// Whether what is to be written over at the remote never was here, as a program has written new contents without it; or was
    /// changed here unseen: be it by a program that has set the time back, or by a disk that gives other bytes than it got.
    ///
    /// - Parameter most: in bytes; what is larger, or nothing at all, is not missed.
    package func lacksBase(of item: IndexedItem, upTo most: Int64) throws -> Bool {
        let lacking: (item: IndexedItem, location: Location?)? = try index.read { index in
            guard let item = try index.item(item.id, in: item.domain), item.state == .changed, !item.isGone,
                !item.isArriving, item.item.kind == .document, let version = item.synced?.content, !version.isEmpty,
                item.item.version.content == version, let size = item.item.size, size > 0, size <= most
            else { return nil }
            let isKept = try index.keptVersions(of: item.id, in: item.domain).contains {
                try $0.version.content == version && root.versions.status(of: $0.kept) != nil
            }
            guard !isKept else { return nil }
            return (item, try index.diskLocation(of: item.id, in: item.domain))
        }
        guard let lacking else { return false }
        // No file was ever known to have those contents.
        if lacking.item.proof == ContentsProof() { return true }
        return lacking.location.map { isChangedUnseen(lacking.item, at: $0) } ?? false
    }

    /// Whether an item's file is a change by its contents alone: it has the size and the time that it had when it was stamped as the
    /// version that the change began from.
    private func isChangedUnseen(_ item: IndexedItem, at location: Location) -> Bool {
        // Without a digest, nobody has read it: it may have been touched, and no more.
        guard item.proof.digest != nil, let version = item.synced?.content,
            let file = try? tree.file(at: location), let stamp = try? tree.stamp(at: location)
        else { return false }
        return stamp.contentVersion == version && stamp.matches(file)
    }

    /// Keeps what the provider has given, verified, as what a change here began from that was not sent yet; not when that is over by
    /// now.
    package func keepBase(_ file: StagedFile, as remote: Item, of item: IndexedItem) throws {
        let (location, name) = try index.read { index in
            let (now, location) = try index.located(item.id, in: item.domain)
            return (location, try index.contentsName(of: remote.version, of: now))
        }
        let base = KeptVersion(
            itemID: item.id, role: .base, version: remote.version, kept: try root.versions.keep(file, of: location),
            size: file.identity.size, modified: remote.modified, device: remote.savedBy ?? "", name: name)
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
