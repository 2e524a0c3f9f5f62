internal import CDocentShims
package import DocumentModel

/// Files that were touched and have the contents that they had: a program has set attributes, or a mode (COORD-20). Only the time
/// of the inode's change is another one then; but so it is where a program has set the time of modification back after it
/// wrote. What tells them apart are the contents.
extension DocumentStore {
    /// Whether what is kept as an edit's base is what the item's file holds now.
    ///
    /// - Parameter versions: what is kept of the item.
    func isBaseCertain(of item: IndexedItem, at location: Location, among versions: [KeptVersion]) -> Bool {
        guard let local = item.local, base(of: item, among: versions) != nil,
            let file = try? tree.file(at: location)
        else { return false }
        return file.isUntouched(since: local)
    }

    /// Whether somebody has touched a document's file, so that what it holds may be none of the provider's contents, and nobody has
    /// looked at it since.
    ///
    /// Other contents with the size and the time that the file had would be taken for what the next edit begins from.
    ///
    /// - Parameter replacing: it is about to go, so that other contents with another time count, too.
    func mayHoldAnEdit(_ item: IndexedItem, at location: Location, replacing: Bool) -> Bool {
        guard item.state == .materialised || item.state == .outdated, let local = item.local,
            let file = try? tree.file(at: location), !file.isUntouched(since: local)
        else { return false }
        return file.hasSameContents(as: local) ? item.proof.digest != nil : replacing
    }

    /// Whether a file that was touched in a coordinated write has the contents that the write began from. Reads both.
    func hasBaseContents(
        _ file: FileIdentity?, _ item: IndexedItem, at location: Location, _ entry: JournalEntry?
    ) throws -> Bool {
        guard let entry, entry.payload.isBaseKept, !item.isUnsent, let file, let local = item.local,
            file.hasSameContents(as: local),
            let base = base(of: item, among: try index.read { try $0.keptVersions(of: item.id, in: item.domain) })
        else { return false }
        // What is written while it is read bears a later time, and is found by who looks next.
        docent_wait_past(file.changed.seconds, file.changed.nanoseconds)
        guard let kept = try root.versions.open(base.kept), let now = try tree.open(location) else { return false }
        return try now.hasSameBytes(as: kept)
    }

    /// Whether a file has the contents that the provider has in the version that both sides agreed on, whatever its time, its
    /// mode or its inode: somebody has touched it, or has saved what was there before. Reads it; false also where there is
    /// nothing to compare it with, and while somebody writes to it.
    func hasSyncedContents(_ file: FileIdentity?, _ item: IndexedItem, at location: Location) throws -> Bool {
        guard let file, let digest = item.proof.digest, !item.isUnsent, file.size == item.local?.size,
            let open = try tree.open(location)
        else { return false }
        return try open.digest(as: file) == digest
    }

    /// Whether an item's file need not be read to know that.
    func isProven(_ file: FileIdentity?, _ item: IndexedItem) -> Bool {
        guard let file, let local = item.local else { return false }
        return file.hasSameContents(as: local) && item.proof.holds(for: file) && tree.tellsOfStores
    }

    /// Gives a file that has an item's contents, and another time or inode than when it got them, the stamp that says so once
    /// more: an index that is lost is made anew from that.
    ///
    /// - Returns: its identity then; nil where there is nothing to be done, or nobody may.
    func restamp(_ file: FileIdentity?, _ item: IndexedItem, at location: Location) -> FileIdentity? {
        guard let file, let version = item.synced, let local = item.local, !file.hasSameContents(as: local) else {
            return nil
        }
        let stamp = ItemStamp(
            domain: item.domain, id: item.id, contentVersion: version.content, size: file.size, modified: file.modified)
        // What was written in this very moment is not what was read.
        guard let stamped = tree.restamp(location, stamp, expecting: file), stamped.hasSameContents(as: file) else {
            return nil
        }
        return stamped
    }

    /// Reads the contents of a document that nobody has read yet, unless somebody has touched its file since it was known to have
    /// them.
    ///
    /// - Parameter isToEnd: whether others want the document by now; asked again and again.
    /// - Returns: false when it was ended because of that.
    @discardableResult
    package func takeDigest(
        of id: ItemIdentifier, in domain: DomainName, unless isToEnd: () -> Bool = { false }
    ) throws -> Bool {
        let (item, location) = try locate(id, in: domain)
        guard item.lacksDigest, let file = try tree.open(location) else { return true }
        let now = try file.status().identity
        var isEnded = false
        guard isProven(now, item),
            let digest = try file.digest(
                as: now,
                unless: {
                    isEnded = isToEnd()
                    return isEnded
                })
        else { return !isEnded }
        try index.write(durably: false) { index in
            guard try index.isStill(item, at: location), try index.known(id, in: domain).proof == item.proof else {
                return
            }
            try index.setDigest(digest, of: id, in: domain)
        }
        return true
    }

    /// Whether contents can be known not to have been touched: where they cannot, none get their digest later.
    package var canProve: Bool { tree.tellsOfStores }

    /// The digest of what is sent; nil when it is large: it is not read while somebody waits for it.
    func digest(of snapshot: StagedFile) -> [UInt8]? {
        guard snapshot.identity.size <= StagingRequest.mostReadAtOnce else { return nil }
        return try? root.staging.folder(of: snapshot).file(snapshot.name).map { file in
            try file.digest(0..<snapshot.identity.size)
        }
    }

    /// Whether a file that was touched since it was sent still has the contents that were sent. Reads both.
    func hasSentContents(_ file: FileIdentity, _ sending: Sending, sent: FileIdentity, at location: Location) -> Bool {
        guard file.size == sent.size else { return false }
        docent_wait_past(file.changed.seconds, file.changed.nanoseconds)
        do {
            let folder = try root.staging.folder(of: sending.snapshot)
            guard let snapshot = try folder.file(sending.snapshot.name), let now = try tree.open(location) else {
                return false
            }
            // What a program stores into its mapping from now on shows in the file's time.
            try now.writeBack()
            guard try now.status().identity == file, try now.hasSameBytes(as: snapshot) else { return false }
            return try now.status().identity == file
        } catch {
            return false
        }
    }

    /// Whether contents that were fetched are those that an edit began from: the remote has only given them another version; or they
    /// were sent from here, and the answer was lost. Reads them.
    package func isBase(of sending: Sending, _ theirs: StagedFile) throws -> Bool {
        guard let file = try root.staging.folder(of: theirs).file(theirs.name) else { return false }
        let (versions, isOurs) = try index.read { index in
            let isOurs = try theirs.digest.map { try index.isUnanswered($0, of: sending.item, over: sending.base) }
            return (try index.keptVersions(of: sending.item.id, in: sending.item.domain), isOurs ?? false)
        }
        if isOurs { return true }
        guard let base = versions.first(where: { $0.role == .base && $0.version.content == sending.base.content }),
            let kept = try root.versions.open(base.kept)
        else { return false }
        return try file.hasSameBytes(as: kept)
    }

    private func base(of item: IndexedItem, among versions: [KeptVersion]) -> KeptVersion? {
        guard let version = item.synced else { return nil }
        return versions.first { $0.role == .base && $0.version.content == version.content }
    }
}
