internal import CDocentShims
internal import DocumentModel

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

    /// Whether a file that was touched since it was sent still has the contents that were sent. Reads both.
    func hasSentContents(_ file: FileIdentity, _ sending: Sending, sent: FileIdentity, at location: Location) -> Bool {
        guard file.hasSameContents(as: sent) else { return false }
        docent_wait_past(file.changed.seconds, file.changed.nanoseconds)
        do {
            let folder = try root.staging.folder(of: sending.snapshot)
            guard let snapshot = try folder.file(sending.snapshot.name), let now = try tree.open(location) else {
                return false
            }
            return try now.hasSameBytes(as: snapshot)
        } catch {
            return false
        }
    }

    /// Whether contents that were fetched are those that an edit began from: then the remote has only given them another version.
    /// Reads both.
    package func isBase(of sending: Sending, _ theirs: StagedFile) throws -> Bool {
        let versions = try index.read { try $0.keptVersions(of: sending.item.id, in: sending.item.domain) }
        guard let base = versions.first(where: { $0.role == .base && $0.version.content == sending.base.content }),
            let kept = try root.versions.open(base.kept),
            let file = try root.staging.folder(of: theirs).file(theirs.name)
        else { return false }
        return try file.hasSameBytes(as: kept)
    }

    private func base(of item: IndexedItem, among versions: [KeptVersion]) -> KeptVersion? {
        guard let version = item.synced else { return nil }
        return versions.first { $0.role == .base && $0.version.content == version.content }
    }
}
