internal import CDocentShims
internal import DocumentModel

extension FolderMirror {
    /// After the first scan: finds out what became of changes that an earlier run began, and removes what they left.
    mutating func recover(_ root: borrowing OpenFile) {
        let changes = ledger.planned.values.sorted { $0.operation < $1.operation }
        settle(changes, root)
        let planned = Set(changes.flatMap(\.temporaryNames))
        // They are of no change: the host has what they hold, or they are second names of what has its place.
        for leftover in leftovers where !planned.contains(leftover.name) {
            if let folder = try? openFolder(leftover.folder, root) { _ = FolderNames.remove(leftover.name, in: folder) }
        }
        leftovers = []
        process(root)
    }

    /// Finds out what became of changes, and ends them.
    mutating func settle(_ changes: [PlannedChange], _ root: borrowing OpenFile) {
        for change in changes {
            let own = change.temporaryNames
            // Its folder may have moved since.
            let place = leftovers.first { own.contains($0.name) }?.folder ?? change.from.parent
            let result = outcome(of: change, place, root)
            end(change, result, isLeft: isLeft(of: change, in: place, root))
            for folder in [change.from.parent, change.to.parent, place] where tree.records[folder] != nil {
                dirt.folders.insert(folder)
            }
        }
        let left = Set(ledger.left.flatMap(\.temporaryNames))
        compared = compared.filter { left.contains($0.key) }
    }

    /// Before anything is looked at: files that were taken away, and are not what was to be replaced or removed, or are open for
    /// writing, or should have been renamed, get their names back, so that they are the same items still.
    mutating func putBackDoubtful(_ changes: [PlannedChange], _ root: borrowing OpenFile) {
        for change in changes {
            guard let temporary = change.temporary, let expected = change.expected,
                let folder = try? openFolder(change.from.parent, root)
            else { continue }
            switch change.kind {
            case .create: continue
            case .move:
                guard !sighting.isFree(temporary, in: folder) else { continue }
                endMove(change, temporary, in: folder, root)
            case .replace:
                endExchange(change, in: folder, root)
            case .delete:
                guard !sighting.isFree(temporary, in: folder), !isDisposable(change, expected, in: folder) else {
                    continue
                }
                putBack(temporary, as: change.from.name, in: folder)
            }
            if let id = change.id, let contentChanged = change.contentChanged {
                noteRestored(id, expected, contentChanged, change.expectedDigest, at: change.from, in: folder)
            }
        }
    }

    /// What was between two names either has the new one already, or gets the old one back.
    private func endMove(
        _ change: PlannedChange, _ temporary: String, in folder: borrowing OpenFile, _ root: borrowing OpenFile
    ) {
        guard !dropSecondName(temporary, in: folder, of: change.to, root) else { return }
        putBack(temporary, as: change.from.name, in: folder)
    }

    private mutating func endExchange(
        _ change: PlannedChange, in folder: borrowing OpenFile, _ root: borrowing OpenFile
    ) {
        guard let temporary = change.temporary else { return }
        // The new file may have been between two names, too.
        let third = FolderNames.third(of: temporary)
        guard change.from == change.to || !dropSecondName(third, in: folder, of: change.to, root) else { return }
        endExchange(change, in: folder)
    }

    /// Takes a temporary name away from what has its place already.
    ///
    /// - Returns: false when it has not.
    private func dropSecondName(
        _ temporary: String, in folder: borrowing OpenFile, of place: Place, _ root: borrowing OpenFile
    ) -> Bool {
        guard let target = try? openFolder(place.parent, root),
            sighting.isOneFile(temporary, in: folder, place.name.rawValue, in: target)
        else { return false }
        _ = names.unlink(temporary, in: folder)
        return true
    }

    /// Whether what was taken away is what was to be removed, and no program writes it: what it wrote would be lost.
    private mutating func isDisposable(
        _ change: PlannedChange, _ expected: FileFacts, in folder: borrowing OpenFile
    ) -> Bool {
        guard let temporary = change.temporary else { return false }
        return isDisposable(temporary, of: change, in: folder, expected: expected, change.expectedDigest)
    }

    static func isSame(_ facts: FileFacts, as expected: FileFacts) -> Bool {
        expected.isFolder ? facts.isSameFile(as: expected) : facts.hasSameContents(as: expected)
    }

    /// - Returns: nil when the change was not made, and is not half made any more.
    private mutating func outcome(
        of change: PlannedChange, _ around: RecordID, _ root: borrowing OpenFile
    ) -> OperationOutcome? {
        switch change.kind {
        case .create:
            // It is the new file's second name when that has its place already.
            if let temporary = change.temporary, let folder = try? openFolder(around, root) {
                _ = FolderNames.remove(temporary, in: folder)
            }
            guard let put = change.put, let id = tree.ids(of: put).first else { return nil }
            return made(id, by: change, root)
        case .move:
            if let temporary = change.temporary, let folder = try? openFolder(around, root),
                !sighting.isFree(temporary, in: folder)
            {
                endMove(change, temporary, in: folder, root)
            }
            guard let id = change.id, let record = tree.records[id], record.facts.key == change.expected?.key,
                tree.place(of: id) == change.to
            else { return nil }
            return made(id, by: change, root)
        case .replace:
            return outcome(ofReplacing: change, around, root)
        case .delete:
            return outcome(ofDeleting: change, around, root)
        }
    }

    private mutating func outcome(
        ofReplacing change: PlannedChange, _ around: RecordID, _ root: borrowing OpenFile
    ) -> OperationOutcome? {
        guard let put = change.put, let expected = change.expected, let id = change.id, let temporary = change.temporary
        else { return nil }
        let isPut = tree.records[id]?.facts.key == put
        // What was replaced is gone: it was removed last of all.
        guard let folder = try? openFolder(around, root) else { return isPut ? made(id, by: change, root) : nil }
        endExchange(change, in: folder, root)
        guard sighting.isFree(FolderNames.third(of: temporary), in: folder) else { return nil }
        guard case .item(let facts) = sighting.look(at: temporary, in: folder) else {
            return isPut ? made(id, by: change, root) : nil
        }
        if facts.key == put {
            discard(temporary, of: change, in: folder)
            return nil
        }
        let isDone = isPut && tree.place(of: id) == change.to
        let mayGo = isDisposable(change, expected, in: folder)
        if isPut, tree.place(of: id) == change.from, !(isDone && mayGo) {
            undoExchange(change, in: folder)
            if let contentChanged = change.contentChanged {
                noteRestored(id, expected, contentChanged, change.expectedDigest, at: change.from, in: folder)
            }
            return nil
        }
        if mayGo {
            // Also where others have gone on from there: this is what they and the host know.
            _ = FolderNames.remove(temporary, in: folder)
        } else {
            putBack(temporary, as: change.from.name, in: folder)
        }
        return isDone ? made(id, by: change, root) : nil
    }

    private mutating func outcome(
        ofDeleting change: PlannedChange, _ around: RecordID, _ root: borrowing OpenFile
    ) -> OperationOutcome? {
        // It may have been put back, or have been removed already.
        let isGone = change.id.flatMap { tree.records[$0] } == nil
        guard let temporary = change.temporary, let expected = change.expected,
            let folder = try? openFolder(around, root), !sighting.isFree(temporary, in: folder)
        else { return isGone ? .removed : nil }
        guard isDisposable(change, expected, in: folder) else {
            putBack(temporary, as: change.from.name, in: folder)
            return nil
        }
        return FolderNames.remove(temporary, in: folder) == 0 && isGone ? .removed : nil
    }

    private mutating func made(
        _ id: RecordID, by change: PlannedChange, _ root: borrowing OpenFile
    ) -> OperationOutcome? {
        guard var record = tree.records[id] else { return nil }
        if let put = change.putFacts, put.key == record.facts.key {
            if Self.isSame(record.facts, as: put), mayHave(change.putDigest, record, root) {
                note(change.putDigest, of: id, record.contentVersion)
            } else {
                // What a program has written into it since is another version, which the host does not have.
                record.facts = put
                record.contentChanged = put.changed
            }
        }
        guard let item = try? item(record) else { return nil }
        return .made(item)
    }
}
