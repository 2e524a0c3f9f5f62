internal import CDocentShims
internal import DocumentModel
internal import SystemPackage

// A change that fails may leave a document under a temporary name: the network is gone by the time that it should be put
// back. Nobody but the provider knows of it then, so the change is not forgotten, but goes on as one of its own.

extension FolderMirror {
    /// The change was not made.
    mutating func abandon(_ operation: String) {
        guard let change = ledger.planned[operation] else { return }
        if mayBeLeft(of: change) { leave(change, isMade: false) }
        ledger.abandon(operation)
        try? remember(unsynced: [.abandoned(operation: operation)])
    }

    /// Ends a change, but for what has its temporary name.
    mutating func end(_ change: PlannedChange, _ outcome: OperationOutcome?, isLeft: Bool) {
        if isLeft {
            leave(change, isMade: outcome?.item != nil)
            if change.isLeft { return }
        }
        if let outcome {
            ledger.finish(change.operation, outcome)
            tree.remember(.finished(operation: change.operation, outcome: outcome))
        } else {
            ledger.abandon(change.operation)
            tree.remember(.abandoned(operation: change.operation))
        }
    }

    /// Looks after what has a temporary name of a change until that has its place, or is gone; also in later runs.
    mutating func leave(_ change: PlannedChange, isMade: Bool) {
        guard let temporary = change.temporary else { return }
        var left = change
        left.operation = temporary
        if isMade, change.kind == .replace {
            // It was replaced, and is only to be removed, whatever becomes of the item.
            left.kind = .delete
            left.id = nil
            left.to = change.from
        }
        guard ledger.planned[temporary] != left else { return }
        ledger.plan(left)
        tree.remember(.planned(left))
    }

    /// Whether what has a temporary name of a change is what the host knows, and no program writes it.
    ///
    /// - Parameter digest: of the contents that are expected, where it is known.
    mutating func isDisposable(
        _ temporary: String, of change: PlannedChange, in folder: borrowing OpenFile, expected: FileFacts,
        _ digest: [UInt8]?
    ) -> Bool {
        // What is left is looked at with each call, for as long as it can neither be removed nor put back.
        if change.isLeft, let digest { compare(temporary, in: folder, expected, digest) }
        return problem(
            with: temporary, in: folder, expected: expected, digest, "“\(change.from.name)”",
            compared: compared[temporary]) == nil
    }

    /// Reads what has a temporary name, unless it is as it was when it was read.
    private mutating func compare(
        _ temporary: String, in folder: borrowing OpenFile, _ expected: FileFacts, _ digest: [UInt8]
    ) {
        guard let file = try? folder.openBeneath(temporary, .document), let facts = sighting.facts(of: file),
            facts.hasSameContents(as: expected), compared[temporary]?.verdict(on: facts, digest) == nil
        else { return }
        onComparing()
        // What is written from now on bears a later time.
        docent_wait_past(facts.changed.seconds, facts.changed.nanoseconds)
        let isSame = ContentDigest.of(file, size: expected.size) == digest
        guard sighting.facts(of: file)?.isSameState(as: facts) == true else { return }
        compared[temporary] = ComparedFile(facts: facts, digest: digest, isSame: isSame)
    }

    /// Whether something has a temporary name of a change, as far as is known.
    func isLeft(of change: PlannedChange, in place: RecordID, _ root: borrowing OpenFile) -> Bool {
        do throws(SystemFailure) {
            let folder = try openFolder(place, root)
            return isLeft(of: change, in: folder)
        } catch {
            // A folder that is gone has taken it along. One that is known has moved, perhaps, and is found by then.
            return tree.records[place] != nil
        }
    }

    private func isLeft(of change: PlannedChange, in folder: borrowing OpenFile) -> Bool {
        for name in change.temporaryNames where !sighting.isFree(name, in: folder) { return true }
        // What is written down of the change may outlive the machine's end where names that were given since do not: then
        // something would have a temporary name again, and be taken for nobody's.
        return names.flush(folder) != 0
    }

    private mutating func mayBeLeft(of change: PlannedChange) -> Bool {
        guard let root = try? openRoot(), let folder = try? openFolder(change.from.parent, root) else { return true }
        return isLeft(of: change, in: folder)
    }
}

/// What reading a file has come to that a change has left behind.
struct ComparedFile: Hashable, Sendable {
    var facts: FileFacts
    /// What its contents were compared with.
    var digest: [UInt8]
    var isSame: Bool

    /// - Returns: nil when the file has been changed since, or something else was asked.
    func verdict(on facts: FileFacts, _ digest: [UInt8]) -> Bool? {
        self.facts.isSameState(as: facts) && self.digest == digest ? isSame : nil
    }
}
