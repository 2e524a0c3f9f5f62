internal import CDocentShims
internal import DocumentModel
internal import DocumentProvider
internal import Synchronization
internal import SystemPackage

extension FolderDomain {
    func versions(of id: ItemIdentifier) throws -> [ProvidedVersion] {
        try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            let record = try mirror.documentForVersions(id, root)
            guard let folder = try VersionsFolder.open(in: root) else { return [] }
            return try mirror.kept.versions(of: record.id).prefix(ProvidedVersion.mostOfOneDocument).compactMap {
                try folder.version($0.id, $0.note)
            }
        }
    }

    func provideVersion(
        _ versionID: String, of id: ItemIdentifier, at stagingFile: FilePath, _ transfer: TransferMonitor
    ) throws -> ProvidedVersion {
        let found = try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            let record = try mirror.documentForVersions(id, root)
            guard mirror.kept.documents[versionID] == record.id, let note = mirror.kept.notes[versionID],
                let folder = try VersionsFolder.open(in: root), let version = try folder.version(versionID, note),
                let contents = try folder.openContents(of: versionID)
            else { throw Self.gone(versionID, id) }
            return OpenVersion(version: version, contents: contents)
        }
        let staging = try OpenFile.open(stagingFile, flags: .staging, naming: "the staging file of a version")
        let copier = FileCopier(
            transfer: transfer, sourceName: "A kept version", targetName: "The staging file of a version",
            sourceSide: .remote, targetSide: .local)
        let size = try copier.copy(found.contents, size: found.version.size ?? 0, to: staging)
        guard size == found.version.size else { throw Self.gone(versionID, id) }
        return found.version
    }

    func keepVersion(_ keeping: VersionKeeping, _ transfer: TransferMonitor) throws -> ProvidedVersion {
        let id = VersionsFolder.identifier(of: keeping.operation)
        let place = try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            let record = try mirror.documentForVersions(keeping.id, root)
            if mirror.kept.notes[id] == nil { try mirror.checkRoom(for: record, keeping.id) }
            let note = VersionNote(
                role: keeping.role, key: record.facts.key, path: mirror.tree.components(of: record.id) ?? [],
                modified: keeping.modified, savedBy: keeping.savedBy ?? "", sha256: keeping.sha256)
            return VersionPlace(
                folder: try VersionsFolder.make(in: root), note: note, tag: mirror.tag,
                isTaken: mirror.kept.notes[id] != nil)
        }
        if !place.isTaken {
            let staged = try place.folder.stage(keeping, place.note, tag: place.tag, transfer)
            do {
                try transfer.checkCancellation()
                // Another run of the same has been faster.
                if try !place.folder.place(staged, as: id) { place.folder.discard(staged) }
            } catch {
                place.folder.discard(staged)
                throw error
            }
        }
        return try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            let record = try mirror.documentForVersions(keeping.id, root)
            // Whatever other document has the same file.
            mirror.kept.documents[id] = record.id
            guard let note = try place.folder.note(of: id), let version = try place.folder.version(id, note) else {
                throw Self.gone(id, keeping.id)
            }
            return version
        }
    }

    func removeVersion(_ versionID: String, of id: ItemIdentifier) throws {
        guard VersionsFolder.isIdentifier(versionID) else { return }
        try mirror.withLock { mirror in
            let root = try mirror.openRoot()
            mirror.dirt.versions = true
            try mirror.catchUp(root)
            if let failure = mirror.kept.failure { throw failure }
            guard mirror.kept.notes[versionID] != nil, let folder = try VersionsFolder.open(in: root) else { return }
            // Another document's is none of this one.
            if let document = mirror.kept.documents[versionID], document != RecordID(id) { return }
            guard !mirror.settings.isReadOnly else {
                throw DocumentError(.notPermitted, "A version cannot be removed: the folder is read-only.", itemID: id)
            }
            try folder.remove(versionID, tag: mirror.tag)
            mirror.dirt.versions = true
            mirror.process(root)
        }
    }

    private static func gone(_ versionID: String, _ id: ItemIdentifier) -> DocumentError {
        DocumentError(
            .versionNoLongerAvailable, "The version “\(ItemName.printable(versionID))” is not kept any more.",
            itemID: id)
    }
}

/// Where a version is going to be kept.
private struct VersionPlace: ~Copyable {
    let folder: VersionsFolder
    let note: VersionNote
    let tag: String
    let isTaken: Bool
}

/// A version that is open for reading.
private struct OpenVersion: ~Copyable {
    let version: ProvidedVersion
    let contents: OpenFile
}

extension VersionsFolder {
    /// - Returns: nil when it is gone.
    fileprivate func version(_ id: String, _ note: VersionNote) throws(DocumentError) -> ProvidedVersion? {
        guard let contents = try openContents(of: id) else { return nil }
        return ProvidedVersion(
            id: id, role: note.role, size: try contents.status(naming: "A kept version").size, modified: note.modified,
            savedBy: note.savedBy.isEmpty ? nil : note.savedBy, sha256: note.sha256)
    }
}

extension FolderMirror {
    /// The document, when all that is kept of it is known.
    fileprivate mutating func documentForVersions(
        _ id: ItemIdentifier, _ root: borrowing OpenFile
    ) throws(DocumentError) -> FolderRecord {
        dirt.versions = true
        let record = try freshRecord(id, root)
        if let failure = kept.failure { throw failure }
        guard !record.facts.isFolder else {
            throw DocumentError(.invalidArgument, "“\(id)” is a folder; only documents have versions.", itemID: id)
        }
        return record
    }

    fileprivate func checkRoom(for record: FolderRecord, _ id: ItemIdentifier) throws(DocumentError) {
        guard !settings.isReadOnly else {
            throw DocumentError(.notPermitted, "A version cannot be kept: the folder is read-only.", itemID: id)
        }
        guard kept.versions(of: record.id).count < ProvidedVersion.mostOfOneDocument,
            kept.notes.count < VersionsFolder.most
        else {
            throw DocumentError(
                .insufficientQuota,
                "As many versions are kept as may be; resolve conflicts, and their versions go.", itemID: id)
        }
    }
}
