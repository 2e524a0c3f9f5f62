internal import CDocentShims
internal import DocumentModel

// A time of change says that something of a file is another, not what. A program that sets a mode or an attribute makes no other
// version of a document, which would be in conflict with what waits to be sent; one that writes it and sets its times back does.
// So such a file is read, where it is known what it had.

extension FolderMirror {
    /// Finds out whether a file that was seen has other contents, before the tree is told of it.
    mutating func judge(_ facts: FileFacts, at place: Place, in folder: borrowing OpenFile) {
        guard !tree.contents.isEmpty else { return }
        // Of nearly all files nothing is another.
        if let record = tree.record(at: place), record.facts.changed == facts.changed { return }
        let asking = tree.doubtful(facts)
        guard !asking.isEmpty, facts.size <= min(readingLeft, ContentDigest.largest),
            let file = try? folder.openBeneath(place.name.rawValue, .document)
        else { return }
        // What is written from now on bears a later time, and is found with the next look.
        docent_wait_past(facts.changed.seconds, facts.changed.nanoseconds)
        readingLeft -= facts.size
        guard sighting.facts(of: file)?.isSameState(as: facts) == true,
            let digest = ContentDigest.of(file, size: facts.size),
            sighting.facts(of: file)?.isSameState(as: facts) == true
        else { return }
        for id in asking {
            tree.verdicts[id] = ContentVerdict(changed: facts.changed, isSame: tree.digest(of: id) == digest)
        }
    }

    /// Whether what has a name in a folder has the contents that a digest is of; true where nobody can tell.
    func mayHave(_ digest: [UInt8]?, _ name: EntryName, in folder: borrowing OpenFile, size: Int64) -> Bool {
        guard let digest, let file = try? folder.openBeneath(name.rawValue, .document) else { return true }
        return ContentDigest.of(file, size: size) == digest
    }

    /// The same of what has an item's place.
    func mayHave(_ digest: [UInt8]?, _ record: FolderRecord, _ root: borrowing OpenFile) -> Bool {
        guard digest != nil, let place = tree.place(of: record.id), let folder = try? openFolder(place.parent, root)
        else { return true }
        return mayHave(digest, place.name, in: folder, size: record.facts.size)
    }

    /// Notes what a document's version stands for, as somebody has that now.
    mutating func note(_ sha256: [UInt8]?, of id: RecordID, _ contentVersion: [UInt8]) {
        guard let sha256, tree.records[id]?.contentVersion == contentVersion else { return }
        tree.note(sha256, of: id)
    }
}
