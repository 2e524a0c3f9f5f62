internal import CDocentShims
internal import DocumentModel

extension FolderMirror {
    /// After the first scan: finds out what became of changes that an earlier run began, and removes what they left.
    mutating func recover(_ root: borrowing OpenFile) {
        for change in ledger.planned.values.sorted(by: { $0.operation < $1.operation }) {
            let leftover = leftovers.firstIndex { $0.name == change.temporary }.map { leftovers.remove(at: $0) }
            let outcome = outcome(of: change, leftover, root)
            if let outcome {
                ledger.finish(change.operation, outcome)
                tree.remember(.finished(operation: change.operation, outcome: outcome))
            } else {
                ledger.abandon(change.operation)
                tree.remember(.abandoned(operation: change.operation))
            }
            dirt.folders.formUnion([change.from.parent, change.to.parent].filter { tree.records[$0] != nil })
        }
        // Nothing was done with these: they hold what the host has too.
        for leftover in leftovers {
            if let folder = try? openFolder(leftover.folder, root) { _ = FolderNames.remove(leftover.name, in: folder) }
        }
        leftovers = []
        process(root)
    }

    /// Before the first scan: files that were taken away to be removed, and are not what was to be removed, get their
    /// names back, so that they are the same items still.
    mutating func putBackDoubtful(_ root: borrowing OpenFile) {
        for change in ledger.planned.values where change.kind == .replace {
            guard let temporary = change.temporary, let folder = try? openFolder(change.from.parent, root) else {
                continue
            }
            FolderNames.endExchange(temporary, change.from.name.rawValue, in: folder)
            if let id = change.id, let expected = change.expected, let contentChanged = change.contentChanged {
                noteRestored(id, expected, contentChanged, at: change.from, in: folder)
            }
        }
        for change in ledger.planned.values where change.kind == .delete {
            guard let temporary = change.temporary, let expected = change.expected,
                let folder = try? openFolder(change.from.parent, root),
                case .item(let facts) = sighting.look(at: temporary, in: folder), !Self.isSame(facts, as: expected)
            else { continue }
            putBack(temporary, as: change.from.name, in: folder)
        }
    }

    static func isSame(_ facts: FileFacts, as expected: FileFacts) -> Bool {
        expected.isFolder ? facts.isSameFile(as: expected) : facts.hasSameContents(as: expected)
    }

    /// - Returns: nil when the change was not made, and is not half made any more.
    private mutating func outcome(
        of change: PlannedChange, _ leftover: (folder: RecordID, name: String)?, _ root: borrowing OpenFile
    ) -> OperationOutcome? {
        switch change.kind {
        case .create:
            if let put = change.put, let id = tree.ids(of: put).first { return made(id) }
            discard(leftover, root)
            return nil
        case .move:
            guard let id = change.id, let record = tree.records[id], record.facts.key == change.expected?.key,
                tree.place(of: id) == change.to
            else { return nil }
            return made(id)
        case .replace:
            return outcome(ofReplacing: change, leftover, root)
        case .delete:
            return outcome(ofDeleting: change, leftover, root)
        }
    }

    private mutating func outcome(
        ofReplacing change: PlannedChange, _ leftover: (folder: RecordID, name: String)?, _ root: borrowing OpenFile
    ) -> OperationOutcome? {
        guard let put = change.put, let expected = change.expected, let id = change.id else { return nil }
        guard let leftover, let folder = try? openFolder(leftover.folder, root),
            case .item(let facts) = sighting.look(at: leftover.name, in: folder)
        else {
            // What was replaced is gone: it was removed last of all.
            return tree.records[id]?.facts.key == put ? made(id) : nil
        }
        if facts.key == put {
            discard(leftover, root)
            return nil
        }
        let isDone = tree.records[id]?.facts.key == put && tree.place(of: id) == change.to
        if facts.hasSameContents(as: expected), isDone {
            discard(leftover, root)
            return made(id)
        }
        if tree.records[id]?.facts.key == put, tree.place(of: id) == change.from {
            undoExchange(leftover.name, change.from.name, put: put, in: folder)
            if let contentChanged = change.contentChanged {
                noteRestored(id, expected, contentChanged, at: change.from, in: folder)
            }
        } else if facts.hasSameContents(as: expected) {
            // Others have gone on from there; this is what they and the host know.
            discard(leftover, root)
        } else {
            putBack(leftover.name, as: change.from.name, in: folder)
        }
        return nil
    }

    private mutating func outcome(
        ofDeleting change: PlannedChange, _ leftover: (folder: RecordID, name: String)?, _ root: borrowing OpenFile
    ) -> OperationOutcome? {
        guard let leftover, let folder = try? openFolder(leftover.folder, root),
            case .item(let facts) = sighting.look(at: leftover.name, in: folder), let expected = change.expected
        else {
            return change.id.flatMap { tree.records[$0] } == nil ? .removed : nil
        }
        guard Self.isSame(facts, as: expected) else {
            putBack(leftover.name, as: change.from.name, in: folder)
            return nil
        }
        return FolderNames.remove(leftover.name, in: folder) == 0 ? .removed : nil
    }

    private func made(_ id: RecordID) -> OperationOutcome? {
        guard let record = tree.records[id], let item = try? item(record) else { return nil }
        return .made(item)
    }

    private func discard(_ leftover: (folder: RecordID, name: String)?, _ root: borrowing OpenFile) {
        guard let leftover, let folder = try? openFolder(leftover.folder, root) else { return }
        _ = FolderNames.remove(leftover.name, in: folder)
    }
}
