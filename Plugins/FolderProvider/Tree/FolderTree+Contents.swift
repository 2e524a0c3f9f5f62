internal import DocumentModel

// Which contents documents have is known of those that have come from here or went here: only of these somebody has contents
// that could be in conflict.

extension FolderTree {
    /// - Parameter sha256: of the contents that the document's version stands for.
    mutating func note(_ sha256: [UInt8], of id: RecordID) {
        guard let record = records[id], !record.facts.isFolder else { return }
        let known = KnownContents(version: record.contentVersion, sha256: sha256)
        guard contents[id] != known else { return }
        contents[id] = known
        remember(.contents(id, known))
    }

    /// The digest of the contents that a document's version stands for; nil where it is not known.
    func digest(of id: RecordID) -> [UInt8]? {
        guard let known = contents[id], known.version == records[id]?.contentVersion else { return nil }
        return known.sha256
    }

    /// The items whose contents a file may still have, and need not: only its time of change is another, and what they had is
    /// known.
    func doubtful(_ facts: FileFacts) -> [RecordID] {
        guard !contents.isEmpty, !facts.isFolder else { return [] }
        return ids(of: facts.key).filter { id in
            guard let record = records[id] else { return false }
            return record.facts.changed != facts.changed && record.facts.hasSameContents(as: facts)
                && verdicts[id]?.changed != facts.changed && digest(of: id) != nil
        }
    }

    /// Notes what reading a file has come to, for all items that may be it.
    mutating func note(_ reading: Reading, of facts: FileFacts) {
        for id in doubtful(facts) {
            let finding: ContentVerdict.Finding
            switch reading {
            case .contents(let sha256): finding = digest(of: id) == sha256 ? .same : .other
            case .refused: finding = .unknown
            case .unsettled: finding = .open
            }
            verdicts[id] = ContentVerdict(changed: facts.changed, finding: finding)
        }
    }

    /// What a file is to an item that it may be, as far as it was read.
    func finding(_ id: RecordID, _ facts: FileFacts) -> ContentVerdict.Finding {
        guard let verdict = verdicts[id], verdict.changed == facts.changed else { return .unknown }
        return verdict.finding
    }

    // MARK: Earlier runs

    mutating func restore(_ known: KnownContents, of id: RecordID) {
        contents[id] = known
    }
}
