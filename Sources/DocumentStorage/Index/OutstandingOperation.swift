internal import DocumentModel

/// The name of what a provider was asked for last and has not answered for. Whoever asks for the same once more does so under that
/// name, however much later: the provider does it once, and answers with what came of it.
extension IndexReader {
    func outstanding(of item: IndexedItem) throws -> JournalPayload? {
        try sql.first("SELECT payload FROM outstanding WHERE item = ?", .int(item.row)) {
            try JournalPayload(bytes: $0.blob(0))
        }
    }
}

extension IndexTransaction {
    /// In place of what was asked for before: once others have been asked for, what came of that shows in the remote's contents.
    func keepOutstanding(_ payload: JournalPayload, of item: IndexedItem) throws {
        var payload = payload
        // The copy goes; the same bytes are in the file, or are not sent any more.
        payload.staging = nil
        try sql.run(
            "INSERT OR REPLACE INTO outstanding (item, payload) VALUES (?, ?)", .int(item.row), .blob(payload.bytes))
        if let digest = payload.digest, let base = payload.base {
            try keepUnanswered(digest, of: item, over: base)
        }
    }

    /// The provider knows nothing by that name, or what it knows is of no use.
    func forgetOutstanding(of item: IndexedItem, named operation: String?) throws {
        guard try outstanding(of: item)?.operation == operation else { return }
        try sql.run("DELETE FROM outstanding WHERE item = ?", .int(item.row))
    }
}

extension JournalPayload {
    /// Takes the name of what the provider was asked for before, when that was the same: the same contents, in place of the same
    /// version. A new document is the same also with other contents: it is made once.
    ///
    /// - Returns: whether it was.
    mutating func takeName(of earlier: JournalPayload?) -> Bool {
        guard let earlier, earlier.operation != nil, earlier.base?.content == base?.content else { return false }
        let hasSameContents = isOfSameContents(as: earlier)
        guard hasSameContents || earlier.isMaking else { return false }
        (operation, attempt, place) = (earlier.operation, earlier.attempt, earlier.place)
        isMaking = isMaking || earlier.isMaking
        mayBeOthers = earlier.mayBeOthers || !hasSameContents
        return true
    }

    private func isOfSameContents(as earlier: JournalPayload) -> Bool {
        if let digest, let other = earlier.digest { return digest == other }
        guard let file, let other = earlier.file else { return false }
        return file.isStill(other)
    }
}
