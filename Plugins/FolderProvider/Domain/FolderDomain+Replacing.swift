internal import CDocentShims
internal import DocumentModel
internal import DocumentProvider
internal import Glibc
internal import Logging
internal import Synchronization
internal import SystemPackage

extension FolderDomain {
    func modify(_ modification: ItemModification, _ transfer: TransferMonitor) throws -> Item {
        let outcome = try once(modification.operation) {
            let start = try mirror.withLock { mirror in try mirror.begin(modification) }
            guard let contents = modification.contents else {
                return try mirror.withLock { mirror in try rename(modification, &mirror) }
            }
            let target = "“\(start.from.name)”"
            let (sighting, tag) = (start.sighting, start.tag)
            let model = try start.folder.openBeneath(
                start.from.name.rawValue, .document, .remote, "\(target) cannot be opened")
            let temporary = try TemporaryItem(
                in: start.takeFolder(), sighting: sighting, tag: tag, contents: contents,
                modified: modification.modified, savedBy: deviceName, like: model, naming: target, transfer)
            return try discarding(temporary) { temporary in
                try onStep(.staged)
                try transfer.checkCancellation()
                return try mirror.withLock { mirror in try replace(temporary, modification, &mirror) }
            }
        }
        return try made(outcome)
    }

    private func replace(
        _ temporary: borrowing TemporaryItem, _ modification: ItemModification, _ mirror: inout FolderMirror
    ) throws -> OperationOutcome {
        let start = try mirror.begin(modification)
        let (from, to) = (start.from, start.to)
        let target = "“\(from.name)”"
        guard start.folderKey == temporary.folderKey else {
            throw DocumentError(.busy, "\(target) was moved meanwhile; try again.")
        }
        let locks = try FolderLocks.take(start.folder, start.toFolder)
        defer { locks.free() }
        let seen = mirror.sighting.look(at: from.name.rawValue, in: start.folder)
        guard case .item(let before) = seen, before == start.record.facts else {
            if case .item(let touched) = seen, FolderMirror.isSame(touched, as: start.record.facts) {
                // It may be its attributes only: the next look tells.
                throw DocumentError(.busy, "\(target) was touched by another program in this moment; try again.")
            }
            throw DocumentError(
                .versionNoLongerAvailable,
                "\(target) has changed in this moment: list its folder again, and try again.")
        }
        let digest = mirror.tree.digest(of: start.record.id)
        let change = PlannedChange(
            operation: modification.operation, kind: .replace, id: start.record.id, from: from, to: to,
            temporary: temporary.name, put: temporary.key, putFacts: temporary.facts, expected: before,
            contentChanged: start.record.contentChanged, putDigest: temporary.digest, expectedDigest: digest)
        try mirror.plan(change)
        try onStep(.planned)
        let result = mirror.exchange(change, in: start.folder)
        if result != 0 {
            mirror.noteRestored(
                start.record.id, before, start.record.contentChanged, digest, at: from, in: start.folder)
        }
        if result == -EEXIST {
            throw DocumentError(
                .versionNoLongerAvailable,
                "\(target) was replaced by another program in the same moment: list its folder again, and try again."
            )
        }
        if result == -ENOENT {
            throw DocumentError(
                .versionNoLongerAvailable, "\(target) was removed in this moment; list its folder again.")
        }
        try SystemFailure.check(result, .remote, "\(target) cannot be replaced")
        try onStep(.placed)
        if let problem = mirror.problem(with: temporary.name, in: start.folder, expected: before, digest, target) {
            mirror.undoExchange(change, in: start.folder)
            mirror.noteRestored(
                start.record.id, before, start.record.contentChanged, digest, at: from, in: start.folder)
            throw problem
        }
        try onStep(.verified)
        if from != to {
            do {
                try mirror.move(
                    temporary.key, from: from, in: start.folder, to: to, in: start.toFolder,
                    through: FolderNames.third(of: temporary.name))
            } catch {
                mirror.undoExchange(change, in: start.folder)
                mirror.noteRestored(
                    start.record.id, before, start.record.contentChanged, digest, at: from, in: start.folder)
                throw error
            }
        }
        try onStep(.moved)
        for folder in [start.folder.descriptor, start.toFolder.descriptor] {
            try SystemFailure.check(docent_fsync(folder), .remote, "\(target) cannot be written to disk")
        }
        try onStep(.flushed)
        // What it replaced has been looked at, and is the version that the caller knows.
        if FolderNames.remove(temporary.name, in: start.folder) != 0 { mirror.leave(change, isMade: true) }
        guard case .item(let facts) = mirror.sighting.look(at: to.name.rawValue, in: start.toFolder),
            facts.key == temporary.key
        else {
            throw DocumentError(
                .busy,
                "\(target) was replaced by another program as soon as it was written: look at what it has now, and try again."
            )
        }
        let isOurs = mirror.mayHave(temporary.digest, to.name, in: start.toFolder, size: facts.size)
        return try mirror.adopt(
            start.record.id, facts, put: temporary.facts, temporary.digest, isOurs: isOurs, at: to,
            modification.operation, onStep)
    }

    private func rename(_ modification: ItemModification, _ mirror: inout FolderMirror) throws -> OperationOutcome {
        let start = try mirror.begin(modification)
        let (from, to) = (start.from, start.to)
        let target = "“\(from.name)”"
        let locks = try FolderLocks.take(start.folder, start.toFolder)
        defer { locks.free() }
        // The contents stay, also with another time of modification, which is part of their version.
        let digest = mirror.tree.digest(of: start.record.id)
        if from != to {
            let (id, expected, contentChanged) = (start.record.id, start.record.facts, start.record.contentChanged)
            let temporary = TemporaryName.fresh(tag: mirror.tag)
            try mirror.plan(
                PlannedChange(
                    operation: modification.operation, kind: .move, id: id, from: from, to: to, temporary: temporary,
                    expected: expected, contentChanged: contentChanged, expectedDigest: digest))
            try onStep(.planned)
            do {
                try mirror.move(
                    expected.key, from: from, in: start.folder, to: to, in: start.toFolder, through: temporary)
            } catch {
                mirror.noteRestored(id, expected, contentChanged, digest, at: from, in: start.folder)
                throw error
            }
            try onStep(.placed)
        }
        guard case .item(var facts) = mirror.sighting.look(at: to.name.rawValue, in: start.toFolder),
            facts.isSameFile(as: start.record.facts)
        else {
            // In one step or not at all: where it takes more, the file was looked at before it had its new name, and what is
            // there now has come since.
            if from != to {
                _ = mirror.names.move(to.name.rawValue, in: start.toFolder, to: from.name.rawValue, in: start.folder)
            }
            throw DocumentError(
                .versionNoLongerAvailable,
                "\(target) was replaced in this moment: list its folder again, and try again.")
        }
        let isSame = facts.hasSameContents(as: start.record.facts)
        if let modified = modification.modified, !facts.isFolder {
            if let file = try? start.toFolder.openBeneath(to.name.rawValue, .document),
                docent_set_modified(file.descriptor, modified.seconds, modified.nanoseconds) == 0,
                var fresh = mirror.sighting.facts(of: file)
            {
                fresh.isWritable = facts.isWritable
                facts = fresh
            } else {
                logger.warning("The time of \(target) could not be set.")
            }
        }
        try onStep(.moved)
        if from != to {
            for folder in [start.folder.descriptor, start.toFolder.descriptor] {
                try SystemFailure.check(docent_fsync(folder), .remote, "\(target) cannot be written to disk")
            }
        }
        try onStep(.flushed)
        return try mirror.adopt(
            start.record.id, facts, put: nil, isSame ? digest : nil, at: to, modification.operation, onStep)
    }
}

/// The locks of one or two folders, always taken in the same order.
private struct FolderLocks: ~Copyable {
    let first: FolderLock
    let second: FolderLock?

    static func take(_ one: borrowing OpenFile, _ other: borrowing OpenFile) throws(DocumentError) -> FolderLocks {
        let (a, b) = (try one.status(naming: "The folder").inode, try other.status(naming: "The folder").inode)
        if a == b { return FolderLocks(first: try FolderLock.take(one), second: nil) }
        guard a < b else { return try take(other, one) }
        let first = try FolderLock.take(one)
        return FolderLocks(first: first, second: try FolderLock.take(other))
    }

    func free() {
        first.free()
        second?.free()
    }
}

/// Where a modification begins: the item as it is, and the folders it concerns.
struct StartedModification: ~Copyable {
    let record: FolderRecord
    let from: Place
    let to: Place
    let folder: OpenFile
    let folderKey: FileKey
    let toFolder: OpenFile
    let sighting: Sighting
    let tag: String

    consuming func takeFolder() -> OpenFile { folder }
}

extension FolderMirror {
    /// Checks everything about a modification that can be checked before it is made.
    mutating func begin(_ modification: ItemModification) throws(DocumentError) -> StartedModification {
        let root = try openRoot()
        var record = try freshRecord(modification.id, root)
        guard let from = tree.place(of: record.id) else {
            throw DocumentError(.invalidArgument, "The domain's top folder cannot be changed.")
        }
        try check(modification.baseVersion, of: record)
        var to = from
        // The name that it has already is none to give: one that is shown by a shorter name keeps its own on the disk.
        if let name = modification.name, try name != from.name.shown { to.name = EntryName(name) }
        if let parentID = modification.parentID {
            to.parent = try freshRecord(parentID, root).id
            // That was another look, which may have found that somebody has written the item by now.
            guard let now = tree.records[record.id] else { throw Self.noSuchItem(modification.id) }
            try check(modification.baseVersion, of: now)
            record = now
        }
        try checkPermission(modification, record, from, to)

        let folder = try open(folderOf: from, root)
        let toFolder = try open(folderOf: to, root)
        if from != to {
            var status = docent_entry_status()
            let found = docent_entry_status(toFolder.descriptor, DiskName.path(to.name.rawValue), &status)
            if found == 0 { throw FolderDomain.collision(to.name) }
            if found != -ENOENT { throw SystemFailure(found).error(.remote, "“\(from.name)” cannot be renamed") }
            if try isTaken(to.name, in: to.parent, toFolder) { throw FolderDomain.collision(to.name) }
        }
        guard let folderKey = tree.records[from.parent]?.facts.key else { throw Self.noSuchItem(modification.id) }
        return StartedModification(
            record: record, from: from, to: to, folder: folder, folderKey: folderKey, toFolder: toFolder,
            sighting: sighting, tag: tag)
    }

    private func checkPermission(
        _ modification: ItemModification, _ record: FolderRecord, _ from: Place, _ to: Place
    ) throws(DocumentError) {
        let may = capabilities(of: record)
        let target = "“\(from.name)”"
        if modification.contents != nil {
            guard !record.facts.isFolder else {
                throw DocumentError(.invalidArgument, "\(target) is a folder, and has no contents of its own.")
            }
            guard may.contains(.write) else {
                throw DocumentError(
                    .notPermitted, "\(target) is read-only; change its permissions, or save under another name.")
            }
        }
        guard from != to else { return }
        guard may.contains(.rename) else {
            throw DocumentError(.notPermitted, "\(target) cannot be renamed: its folder is read-only.")
        }
        guard !TemporaryName.isTemporary(to.name.rawValue) else {
            throw DocumentError(.invalidArgument, "“\(to.name)” is a name that Docent itself uses; choose another one.")
        }
        guard let parent = tree.records[to.parent], parent.facts.isFolder else {
            throw DocumentError(.invalidArgument, "\(target) can be moved into a folder only.")
        }
        guard capabilities(of: parent).contains(.write) else {
            throw DocumentError(.notPermitted, "\(target) cannot be moved: the other folder is read-only.")
        }
        var next = to.parent
        var depth = 0
        while next != .root, depth < 4096 {
            if next == record.id {
                throw DocumentError(.invalidArgument, "\(target) cannot be moved into itself.")
            }
            next = tree.records[next]?.parent ?? .root
            depth += 1
        }
    }

    /// Taking a file away and putting it back touches its time of change; that is no change of its contents.
    ///
    /// - Parameter digest: of the contents that are expected, where it is known.
    mutating func noteRestored(
        _ id: RecordID, _ expected: FileFacts, _ contentChanged: Timestamp, _ digest: [UInt8]?, at place: Place,
        in folder: borrowing OpenFile
    ) {
        guard case .item(let facts) = sighting.look(at: place.name.rawValue, in: folder),
            facts.hasSameContents(as: expected), let record = tree.records[id]
        else { return }
        if record.facts == facts, record.contentChanged == contentChanged, tree.record(at: place)?.id == id { return }
        // What others have written, and set the time back, is another version, as the next look tells.
        guard mayHave(digest, place.name, in: folder, size: expected.size) else { return }
        _ = tree.adopt(id, facts, at: place, contentChanged: contentChanged)
    }
}
