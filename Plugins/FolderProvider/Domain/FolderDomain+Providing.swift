internal import CDocentShims
internal import DocumentModel
internal import Logging
internal import Synchronization
internal import SystemPackage

extension FolderDomain {
    private static let attempts = 4

    /// Copies a document to its staging file.
    ///
    /// - Returns: the item in exactly the version that was copied.
    func provide(
        _ id: ItemIdentifier, at stagingFile: FilePath, contentVersion: [UInt8], _ transfer: TransferMonitor
    ) throws -> Item {
        for _ in 0..<Self.attempts {
            let source = try openDocument(id, contentVersion)
            docent_wait_past(source.facts.changed.seconds, source.facts.changed.nanoseconds)
            let name = "“\(source.item.name?.rawValue ?? "")”"
            let staging = try OpenFile.open(stagingFile, flags: .staging, naming: "the staging file of \(name)")
            let copier = FileCopier(
                transfer: transfer, sourceName: name, targetName: "The staging file of \(name)", sourceSide: .remote,
                targetSide: .local)
            let size = try copier.copy(source.file, size: source.facts.size, to: staging)
            let digest = source.isKnown ? nil : ContentDigest.of(source.file, size: size)
            let now = try openDocument(id, contentVersion)
            var after = now.item
            after.savedBy = SavingDevice.read(from: source.file)
            if after.version.content == source.item.version.content, size == after.size {
                if now.facts.changed == source.facts.changed { note(digest, of: after) }
                return after
            }
            try transfer.checkCancellation()
        }
        throw DocumentError(
            .busy, "“\(id)” is being changed by another program; open it again when that is done.", itemID: id)
    }

    private func note(_ digest: [UInt8]?, of item: Item) {
        guard let digest, let id = RecordID(item.id) else { return }
        mirror.withLock { mirror in
            mirror.note(digest, of: id, item.version.content)
            mirror.remember()
        }
    }

    /// Copies a part of a document to the same place of its staging file.
    ///
    /// - Returns: the item in the version that was asked for.
    /// - Throws: `versionNoLongerAvailable` when the document has another by now, `invalidArgument` when it has no such part.
    func provide(
        _ range: Range<Int64>, of id: ItemIdentifier, contentVersion: [UInt8], at stagingFile: FilePath,
        _ transfer: TransferMonitor
    ) throws -> Item {
        let source = try openDocument(id, contentVersion)
        let name = "“\(source.item.name?.rawValue ?? "")”"
        guard range.upperBound <= source.facts.size else {
            throw DocumentError(
                .invalidArgument,
                "\(name) has \(source.facts.size) bytes, and none from \(range.lowerBound) to \(range.upperBound).",
                itemID: id)
        }
        docent_wait_past(source.facts.changed.seconds, source.facts.changed.nanoseconds)
        let staging = try OpenFile.open(stagingFile, flags: .part, naming: "the staging file of \(name)")
        let copier = FileCopier(
            transfer: transfer, sourceName: name, targetName: "The staging file of \(name)", sourceSide: .remote,
            targetSide: .local)
        guard try copier.copy(range, of: source.file, to: staging) else {
            throw DocumentError(
                .versionNoLongerAvailable, "\(name) has become shorter: open it again.", itemID: id)
        }
        var after = try openDocument(id, contentVersion).item
        after.savedBy = SavingDevice.read(from: source.file)
        return after
    }

    /// The folder that a document lies in.
    func openFolder(around id: ItemIdentifier) throws(DocumentError) -> OpenFile {
        try mirror.withLock { mirror throws(DocumentError) in
            let root = try mirror.openRoot()
            let record = try mirror.freshRecord(id, root)
            do throws(SystemFailure) {
                return try mirror.openFolder(record.parent, root)
            } catch {
                throw error.error(.remote, "The folder of “\(record.name?.description ?? "")” cannot be opened")
            }
        }
    }

    func openDocument(
        _ id: ItemIdentifier, _ contentVersion: [UInt8]
    ) throws(DocumentError) -> OpenDocument {
        try mirror.withLock { mirror throws(DocumentError) in
            let root = try mirror.openRoot()
            let record = try mirror.freshRecord(id, root)
            guard !record.facts.isFolder, let name = record.name else {
                throw DocumentError(.invalidArgument, "“\(id)” is a folder, and has no contents of its own.")
            }
            let item = try mirror.item(record)
            guard contentVersion.isEmpty || contentVersion == item.version.content else {
                throw DocumentError(
                    .versionNoLongerAvailable,
                    "“\(name)” has changed, and the version asked for is gone: open it again.", itemID: id)
            }
            do throws(SystemFailure) {
                let folder = try mirror.openFolder(record.parent, root)
                let file = try folder.openBeneath(name.rawValue, .document)
                guard let facts = mirror.sighting.facts(of: file), facts.isSameState(as: record.facts) else {
                    throw SystemFailure(-16)
                }
                return OpenDocument(
                    item: item, name: name, facts: facts, isKnown: mirror.tree.digest(of: record.id) != nil, file: file)
            } catch {
                throw error.error(.remote, "“\(name)” cannot be read")
            }
        }
    }
}

/// A document that is open for reading, and the item that it was then.
struct OpenDocument: ~Copyable {
    let item: Item
    /// As the folder has it.
    let name: EntryName
    let facts: FileFacts
    /// Whether it is written down already which contents its version stands for.
    let isKnown: Bool
    let file: OpenFile
}
