package import DocumentModel

/// What the remote has of a document beside what is here (VER-8, VER-14).
extension DocumentStore {
    /// Where a provider is to put what the remote has of a document.
    package func makeRoomForRemoteVersion(
        in domain: DomainName
    ) throws -> (request: StagingRequest, file: StagedFile) {
        let request = try root.staging.makeRequest(.fetching(domain))
        return try takingBack {
            try request.remove()
        } _: {
            (request, try request.makeFile())
        }
    }

    /// Keeps what the provider has given beside the document, which stays as it is. The request ends in any case.
    ///
    /// - Parameters:
    ///   - remote: the item in exactly the version that was given.
    ///   - asked: the document as it was when the provider was asked.
    ///   - needed: the contents are to be here also where the document began from them.
    /// - Returns: what is kept; no version when these are the contents that the document here has, or began from.
    package func keepRemoteVersion(
        _ file: StagedFile, of request: StagingRequest, as remote: Item, sha256: [UInt8]?, answering asked: IndexedItem,
        needed: Bool = false
    ) throws -> RemoteVersion {
        defer { try? request.remove() }
        let domain = asked.domain
        let stamp = ItemStamp(
            domain: domain, id: remote.id, contentVersion: remote.version.content, size: remote.size ?? 0,
            modified: remote.modified)
        let verified = try request.verify(file, size: remote.size, sha256: sha256, stamp: stamp)
        if let outcome = try index.write({ try $0.apply(remote, answering: asked) }) { try follow(outcome) }
        if let known = try knownRemoteVersion(remote.version, of: remote.id, in: domain, needed: needed) {
            return known
        }
        let version = try keep(verified, as: remote, .fetched, in: domain)
        try pruneVersions(of: remote.id, in: domain)
        return RemoteVersion(kept: version, isNew: true)
    }

    /// Keeps what the remote has, and is about to be written over there, as older contents here: nobody else has them then
    /// (VER-14).
    ///
    /// - Parameter theirs: verified.
    package func keepOverwritten(_ theirs: StagedFile, as remote: Item, by sending: Sending) throws -> VersionChange {
        let (id, domain) = (sending.item.id, sending.item.domain)
        let known = try index.read { try $0.keptVersions(of: id, in: domain) }
            .filter { $0.isRemote(remote.version, of: id) }
        var gained: [KeptVersion] = []
        if let known = try known.first(where: { try root.versions.status(of: $0.kept) != nil }) {
            // Somebody has looked at it before. It counts as the newest of the older ones from now on.
            var older = known
            older.role = .older
            try index.write { index in
                try index.removeKeptVersion(number: known.number)
                try index.addKeptVersion(older, in: domain)
            }
        } else {
            gained = [try keep(theirs, as: remote, .older, in: domain)]
        }
        let lost = try dropSurplus(of: id, in: domain)
        return VersionChange(item: try current(id, in: domain), gained: gained, lost: lost)
    }

    /// A file without a row is written over when the same is kept once more.
    private func keep(
        _ file: StagedFile, as remote: Item, _ role: KeptVersion.Role, in domain: DomainName
    ) throws -> KeptVersion {
        let place = KeptVersion.identifier(of: remote.version, of: remote.id)
        let (location, name) = try index.read { index in
            let (item, location) = try index.located(remote.id, in: domain)
            return (location, try index.contentsName(of: remote.version, of: item))
        }
        let taken = try index.read { try $0.keptVersions(at: place, in: domain) }
        // Those whose file is gone: a crash has left them.
        try drop(taken.filter { try $0.itemID == remote.id && root.versions.status(of: $0.kept) == nil })
        // An item that has another identifier by now may have named its version like this.
        let isFree = taken.allSatisfy { $0.itemID == remote.id }
        let kept = try root.versions.keep(file, of: location, in: isFree ? place : nil)
        let version = KeptVersion(
            itemID: remote.id, role: role, version: remote.version, kept: kept, size: file.identity.size,
            modified: remote.modified, device: remote.savedBy ?? "", name: name)
        return try index.write { try $0.addKeptVersion(version, in: domain) }
    }

    /// Contents of the remote's that are here, in some way.
    package struct RemoteVersion: Sendable {
        /// Nil: the document has them, or began from them, or they are the other side of its conflict.
        package var kept: KeptVersion?
        /// They were not kept before.
        package var isNew = false
    }

    /// - Parameter needed: what the document began from has to be kept, too, and the other side of a conflict to be the remote's.
    /// - Returns: nil when these contents are not here.
    package func knownRemoteVersion(
        _ version: ItemVersion, of id: ItemIdentifier, in domain: DomainName, needed: Bool = false
    ) throws -> RemoteVersion? {
        try index.read { index in
            let (item, _) = try index.located(id, in: domain)
            // A crash may have left the row of one whose file is gone.
            let kept = try index.keptVersions(of: id, in: domain)
                .filter { try root.versions.status(of: $0.kept) != nil }
            if item.local != nil, item.synced?.content == version.content {
                guard needed, item.isUnsent else { return RemoteVersion() }
                let base = kept.first { $0.role == .base && $0.version.content == version.content }
                return (base ?? kept.first { $0.isRemote(version, of: id) }).map { RemoteVersion(kept: $0) }
            }
            if let known = kept.first(where: { $0.isRemote(version, of: id) }) { return RemoteVersion(kept: known) }
            // Where they could not be fetched when the conflict was found, it is our own that are kept.
            let isOtherSide = try index.conflicts(in: domain).contains {
                try $0.itemID == id && $0.remote.content == version.content
                    && (!needed || isWhatRemoteHas($0, of: item))
            }
            return isOtherSide ? RemoteVersion() : nil
        }
    }
}

extension KeptVersion {
    /// Whether these are the contents that the remote has of an item in a version, or had, as it has given them: what was only in
    /// the document's file may be called the same. What was kept of another item that was in its place says nothing of that.
    package func isRemote(_ version: ItemVersion, of id: ItemIdentifier) -> Bool {
        role != .base && role != .side
            && (VersionStore.identifier(of: kept) == Self.identifier(of: version, of: id)
                || role == .fetched && self.version.content == version.content)
    }

    /// What a version of the remote's is named by, before its contents are here and afterwards, also as the document's own
    /// (VER-8): 32 hexadecimal digits.
    package static func identifier(of version: ItemVersion, of id: ItemIdentifier) -> String {
        var digest = Digest()
        digest.add(Array(id.rawValue.utf8))
        digest.add([0])
        digest.add(version.content)
        return RandomName.hex(digest.finish().prefix(16))
    }
}

extension IndexedItem {
    /// What the remote has of the document, where that is neither what is here nor what it began from (VER-8).
    package func newerRemoteVersion(besides conflicts: [ConflictRecord]) -> ItemVersion? {
        let version = item.version
        guard local != nil, !isArriving, !isGone, !version.content.isEmpty, version.content != synced?.content,
            !conflicts.contains(where: { $0.remote.content == version.content })
        else { return nil }
        return version
    }
}
