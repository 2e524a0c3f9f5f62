internal import CDocentShims
internal import DocumentModel
internal import DocumentProvider
internal import Glibc
internal import Synchronization
internal import SystemPackage

// Every change is made in the same order: check; bring the new contents into the folder, on disk, under a temporary
// name (without the lock, as it may take long); then, under the lock and with the folder locked against other
// providers: check again, write down what is to be done, give the names, see that what came out is what was expected,
// flush, and write down the outcome. Programs that know nothing of locks are caught by the exchange of names: what was
// replaced is looked at after it was taken away, and put back when it is not what the change began from. Where the file
// system has no such exchange, as those of networks, other machines may save between any two calls: so a name is taken from
// a file by a rename to one that nobody else uses, never by looking and removing.

extension FolderDomain {
    func create(_ creation: ItemCreation, _ transfer: TransferMonitor) throws -> Item {
        let target = "“\(creation.name)”"
        let outcome = try once(creation.operation) {
            guard creation.kind == .document ? creation.contents != nil : creation.contents == nil else {
                throw DocumentError(.invalidArgument, "\(target): a document needs contents, and a folder has none.")
            }
            let opened = try mirror.withLock { mirror in
                try mirror.openForAdding(creation.name, to: creation.parentID)
            }
            let (sighting, tag) = (opened.sighting, opened.tag)
            let temporary = try TemporaryItem(
                in: opened.takeFolder(), sighting: sighting, tag: tag, contents: creation.contents,
                modified: creation.modified, savedBy: deviceName, like: nil, naming: target, transfer)
            return try discarding(temporary) { temporary in
                try onStep(.staged)
                try transfer.checkCancellation()
                return try mirror.withLock { mirror in try place(temporary, creation, &mirror) }
            }
        }
        return try made(outcome)
    }

    private func place(
        _ temporary: borrowing TemporaryItem, _ creation: ItemCreation, _ mirror: inout FolderMirror
    ) throws -> OperationOutcome {
        let target = "“\(creation.name)”"
        let folder = try mirror.openForAdding(creation.name, to: creation.parentID)
        let parent = folder.id
        try Self.check(folder, is: temporary, target)
        let lock = try FolderLock.take(temporary.folder)
        defer { lock.free() }
        let place = Place(parent: parent, name: EntryName(creation.name))
        try mirror.plan(
            PlannedChange(
                operation: creation.operation, kind: .create, from: place, to: place, temporary: temporary.name,
                put: temporary.key, putFacts: temporary.facts, putDigest: temporary.digest))
        try onStep(.planned)
        let result = mirror.names.place(
            temporary.name, in: temporary.folder, as: creation.name.rawValue, in: temporary.folder)
        if result == -EEXIST { throw Self.collision(creation.name) }
        try SystemFailure.check(result, .remote, "\(target) cannot be made")
        try onStep(.placed)
        try SystemFailure.check(docent_fsync(temporary.folder.descriptor), .remote, "\(target) cannot be written")
        try onStep(.flushed)
        guard case .item(let facts) = mirror.sighting.look(at: creation.name.rawValue, in: temporary.folder),
            facts.key == temporary.key
        else { throw DocumentError(.busy, "\(target) was replaced by another program at once; list the folder again.") }
        let isOurs = mirror.mayHave(temporary.digest, place.name, in: temporary.folder, size: facts.size)
        return try mirror.adopt(
            nil, facts, put: temporary.facts, temporary.digest, isOurs: isOurs, at: place, creation.operation, onStep)
    }

    func delete(_ deletion: ItemDeletion) throws {
        _ = try once(deletion.operation) {
            try mirror.withLock { mirror in
                let root = try mirror.openRoot()
                let record: FolderRecord
                do throws(DocumentError) {
                    record = try mirror.freshRecord(deletion.id, root)
                } catch {
                    // Gone: that is what was asked for.
                    if error.code == .noSuchItem { return .removed }
                    throw error
                }
                return try remove(record, deletion, root, &mirror)
            }
        }
    }

    private func remove(
        _ record: FolderRecord, _ deletion: ItemDeletion, _ root: borrowing OpenFile, _ mirror: inout FolderMirror
    ) throws -> OperationOutcome {
        guard let place = mirror.tree.place(of: record.id) else {
            throw DocumentError(
                .deletionRejected, "The domain's top folder cannot be removed; remove the domain instead.")
        }
        let target = "“\(place.name)”"
        try mirror.check(deletion.baseVersion, of: record)
        guard mirror.capabilities(of: record).contains(.delete) else {
            throw DocumentError(.notPermitted, "\(target) cannot be removed here: its folder is read-only.")
        }
        let folder = try mirror.open(folderOf: place, root)
        let lock = try FolderLock.take(folder)
        defer { lock.free() }
        if record.facts.isFolder, !deletion.recursive {
            let result = docent_unlinkat(folder.descriptor, DiskName.path(place.name.rawValue), 1)
            if result == -ENOTEMPTY || result == -EEXIST {
                throw DocumentError(
                    .directoryNotEmpty,
                    "The folder \(target) is not empty (it may hold what Docent does not list); remove what is in it first."
                )
            }
            try SystemFailure.check(result, .remote, "\(target) cannot be removed")
            try SystemFailure.check(docent_fsync(folder.descriptor), .remote, "\(target) cannot be removed")
            return try mirror.forget(record.id, deletion.operation, onStep)
        }
        let temporary = TemporaryName.fresh(tag: mirror.tag)
        let digest = mirror.tree.digest(of: record.id)
        try mirror.plan(
            PlannedChange(
                operation: deletion.operation, kind: .delete, id: record.id, from: place, to: place,
                temporary: temporary, expected: record.facts, contentChanged: record.contentChanged,
                expectedDigest: digest))
        try onStep(.planned)
        let result = mirror.names.take(place.name.rawValue, in: folder, as: temporary)
        try SystemFailure.check(result, .remote, "\(target) cannot be removed")
        try onStep(.placed)
        if let problem = mirror.problem(with: temporary, in: folder, expected: record.facts, digest, target) {
            mirror.putBack(temporary, as: place.name, in: folder)
            mirror.noteRestored(record.id, record.facts, record.contentChanged, digest, at: place, in: folder)
            throw problem
        }
        try onStep(.verified)
        let removed = FolderNames.remove(temporary, in: folder)
        if removed != 0 {
            mirror.putBack(temporary, as: place.name, in: folder)
            throw SystemFailure(removed).error(.remote, "\(target) cannot be removed, or not all of it")
        }
        try SystemFailure.check(docent_fsync(folder.descriptor), .remote, "\(target) cannot be removed")
        try onStep(.flushed)
        return try mirror.forget(record.id, deletion.operation, onStep)
    }

    // MARK: Parts

    /// Does an operation, or answers with what it came to when it was done before.
    func once(_ operation: String, _ body: () throws -> OperationOutcome) throws -> OperationOutcome {
        guard !settings.isReadOnly else {
            throw DocumentError(
                .notPermitted,
                "This domain is read-only, as it was set up: to allow changes, remove it and add it again without read-only=true."
            )
        }
        let earlier = try mirror.withLock { mirror in
            // Also finds out what became of operations that an earlier run did not end.
            try mirror.catchUp()
            return try mirror.ledger.begin(operation)
        }
        if let earlier { return earlier }
        defer { mirror.withLock { $0.ledger.end(operation) } }
        do {
            return try body()
        } catch let crash as SimulatedCrash {
            throw crash
        } catch {
            mirror.withLock { $0.abandon(operation) }
            throw error
        }
    }

    /// Removes a temporary file when the change fails.
    func discarding(
        _ temporary: consuming TemporaryItem, _ body: (borrowing TemporaryItem) throws -> OperationOutcome
    ) throws -> OperationOutcome {
        do {
            return try body(temporary)
        } catch let crash as SimulatedCrash {
            throw crash
        } catch {
            let name = temporary.name
            let (sighting, isPlanned) = mirror.withLock { ($0.sighting, $0.ledger.hasPlanned(temporary: name)) }
            temporary.discard(sighting, isPlanned: isPlanned)
            throw error
        }
    }

    func made(_ outcome: OperationOutcome) throws -> Item {
        guard var item = outcome.item else {
            throw DocumentError(.invalidArgument, "This operation's name was used for a deletion; use a new one.")
        }
        // Of one that was made earlier they may be others by now, and nobody tells of that again.
        item.conflictVersions = mirror.withLock { mirror in
            RecordID(item.id).flatMap { mirror.tree.records[$0] }.map { Int($0.conflictSides) } ?? 0
        }
        return item
    }

    static func collision(_ name: some CustomStringConvertible) -> DocumentError {
        DocumentError(.nameCollision, "There is something called “\(name)” already; choose another name.")
    }

    private static func check(
        _ folder: borrowing OpenedFolder, is temporary: borrowing TemporaryItem, _ target: String
    ) throws(DocumentError) {
        guard folder.key == temporary.folderKey else {
            throw DocumentError(.busy, "The folder of \(target) was exchanged meanwhile; try again.")
        }
    }
}

/// A folder of the tree that is open.
struct OpenedFolder: ~Copyable {
    let id: RecordID
    let key: FileKey
    let file: OpenFile
    let sighting: Sighting
    let tag: String

    consuming func takeFolder() -> OpenFile { file }
}

extension FolderMirror {
    /// Opens a folder that an item is to be added to.
    ///
    /// - Throws: `nameCollision` when the name is taken.
    mutating func openForAdding(_ name: ItemName, to parentID: ItemIdentifier) throws(DocumentError) -> OpenedFolder {
        guard !TemporaryName.isTemporary(name.rawValue) else {
            throw DocumentError(.invalidArgument, "“\(name)” is a name that Docent itself uses; choose another one.")
        }
        let root = try openRoot()
        let parent = try freshRecord(parentID, root)
        guard parent.facts.isFolder else {
            throw DocumentError(.invalidArgument, "“\(parentID)” is a document; nothing can be added to it.")
        }
        guard capabilities(of: parent).contains(.write) else {
            throw DocumentError(.notPermitted, "“\(name)” cannot be added: the folder is read-only.")
        }
        let file: OpenFile
        do {
            file = try openFolder(parent.id, root)
        } catch {
            throw error.error(.remote, "The folder of “\(name)” cannot be opened")
        }
        var status = docent_entry_status()
        let found = docent_entry_status(file.descriptor, DiskName.path(name.rawValue), &status)
        if found == 0 { throw FolderDomain.collision(name) }
        if found != -ENOENT { throw SystemFailure(found).error(.remote, "“\(name)” cannot be made") }
        if try isTaken(EntryName(name), in: parent.id, file) { throw FolderDomain.collision(name) }
        return OpenedFolder(id: parent.id, key: parent.facts.key, file: file, sighting: sighting, tag: tag)
    }

    /// Whether something else in a folder is called as an item would be, though it has another name on the disk: one of them is
    /// shown by a shorter name.
    func isTaken(
        _ name: EntryName, in id: RecordID, _ folder: borrowing OpenFile
    ) throws(DocumentError) -> Bool {
        let shown = try name.shown
        if name.isShortened, sighting.isAny(at: shown.rawValue, in: folder) { return true }
        return tree.shortened(to: shown, in: id).contains { $0 != name }
    }

    func open(folderOf place: Place, _ root: borrowing OpenFile) throws(DocumentError) -> OpenFile {
        do {
            return try openFolder(place.parent, root)
        } catch {
            throw error.error(.remote, "The folder of “\(place.name)” cannot be opened")
        }
    }

    /// - Throws: `versionNoLongerAvailable` when a part that is set is not the current one, `busy` where that is not known.
    func check(_ base: ItemVersion, of record: FolderRecord) throws(DocumentError) {
        guard !tree.unsettled.contains(record.id) else {
            throw DocumentError(
                .busy,
                "“\(record.name?.description ?? "/")” was touched by another program in this moment; try again.",
                itemID: try record.id.identifier)
        }
        guard base.content.isEmpty || base.content == record.contentVersion,
            base.metadata.isEmpty || base.metadata == record.metadataVersion
        else {
            let name = record.name?.description ?? "/"
            throw DocumentError(
                .versionNoLongerAvailable,
                "“\(name)” has changed since, and stays as it is: list its folder again, and try again.",
                itemID: try record.id.identifier)
        }
    }

    mutating func plan(_ change: PlannedChange) throws(DocumentError) {
        ledger.plan(change)
        try remember([.planned(change)])
    }

    /// Takes over what a change of this provider has made of an item, and ends the operation.
    ///
    /// - Parameters:
    ///   - put: a file that was put in place, as it was before. What a program has written into it since is another version,
    ///     which the host does not have, and hears of from the feed.
    ///   - digest: of its contents, as the host has them.
    ///   - isOurs: whether it has these still, as far as reading it tells.
    mutating func adopt(
        _ id: RecordID?, _ facts: FileFacts, put: FileFacts? = nil, _ digest: [UInt8]? = nil, isOurs: Bool = true,
        at place: Place, _ operation: String, _ onStep: (ChangeStep) throws -> Void
    ) throws -> OperationOutcome {
        let sent = put.flatMap { isOurs && Self.isSame(facts, as: $0) ? nil : $0 }
        let wasAnnounced = announced == tree.log.last
        let id = tree.adopt(id, sent ?? facts, at: place)
        if let digest { tree.note(digest, of: id) }
        if wasAnnounced { announced = tree.log.last }
        try onStep(.cleaned)
        guard let record = tree.records[id] else { throw Self.noSuchItem(try id.identifier) }
        let outcome = OperationOutcome.made(try item(record))
        if sent != nil {
            tree.verdicts[id] = ContentVerdict(changed: facts.changed, finding: .other)
            _ = tree.see(facts, at: place)
        }
        return try finish(operation, outcome)
    }

    mutating func forget(
        _ id: RecordID, _ operation: String, _ onStep: (ChangeStep) throws -> Void
    ) throws -> OperationOutcome {
        let wasAnnounced = announced == tree.log.last
        tree.forget(id)
        if wasAnnounced { announced = tree.log.last }
        try onStep(.cleaned)
        return try finish(operation, .removed)
    }

    /// The outcome need not be on disk before it is answered: the plan is, and tells it.
    mutating func finish(_ operation: String, _ outcome: OperationOutcome) throws(DocumentError) -> OperationOutcome {
        ledger.finish(operation, outcome)
        try remember(unsynced: [.finished(operation: operation, outcome: outcome)])
        return outcome
    }

    /// Why a file that was taken away is not the one that was expected; nil when it is, and nobody writes it.
    ///
    /// - Parameters:
    ///   - digest: of the contents that are expected, where it is known.
    ///   - compared: what the file had when it was read before.
    func problem(
        with name: String, in folder: borrowing OpenFile, expected: FileFacts, _ digest: [UInt8]?, _ target: String,
        compared: ComparedFile? = nil
    ) -> DocumentError? {
        guard !expected.isFolder, let file = try? folder.openBeneath(name, .document) else {
            return difference(of: name, in: folder, expected: expected, target)
        }
        // It is compared while nobody can begin to write it: who has written it until just now has changed it by then.
        let leases = self.leases
        let lease = leases.take(file)
        defer { if lease == 0 { leases.giveBack(file) } }
        if let difference = difference(of: name, in: folder, expected: expected, target) { return difference }
        if let digest {
            let known = sighting.facts(of: file).flatMap { compared?.verdict(on: $0, digest) }
            let isSame: Bool
            if let known { isSame = known } else { isSame = ContentDigest.of(file, size: expected.size) == digest }
            guard isSame else { return Self.changed(target) }
        }
        guard lease == -EAGAIN, leases.areGiven(in: folder, TemporaryName.fresh(tag: tag)) else { return nil }
        // What that program writes from now on would be lost with the file.
        return DocumentError(
            .busy, "\(target) is open for writing in another program; try again when it is closed.")
    }

    private func difference(
        of name: String, in folder: borrowing OpenFile, expected: FileFacts, _ target: String
    ) -> DocumentError? {
        guard case .item(let facts) = sighting.look(at: name, in: folder),
            Self.isSame(facts, as: expected)
        else { return Self.changed(target) }
        return nil
    }

    private static func changed(_ target: String) -> DocumentError {
        DocumentError(
            .versionNoLongerAvailable,
            "\(target) was changed by another program in the same moment: list its folder again, and try again.")
    }
}
