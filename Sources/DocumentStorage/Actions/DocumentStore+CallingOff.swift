package import DocumentModel

/// Documents that were removed here while they were sent, or when nobody knew what had come of that. Their removal says so in the
/// journal, and is told to their provider when it is known: against the version that was sent, where it has that.
extension DocumentStore {
    /// Runs the end of a sending.
    ///
    /// - Parameter item: what the provider has answered: should the document have been removed meanwhile, that is what is to be
    ///   removed there.
    func unlessCalledOff(
        _ sending: Sending, answeredWith item: Item, _ body: () throws -> IndexedItem
    ) throws -> IndexedItem {
        do {
            return try body()
        } catch let error as DocumentError where error.code == .noSuchItem {
            guard let removal = try index.read({ try $0.removal(callingOff: sending) }) else { throw error }
            try settle(removal, as: item)
            return sending.item
        }
    }

    /// It is known what came of a sending that was called off.
    ///
    /// - Parameter item: what the provider has of it; nil: nothing.
    package func settle(_ removal: JournalEntry, as item: Item?) throws {
        var staging: String?
        let outcome = try index.write { index in
            guard var entry = try index.open(removal), entry.payload.calledOff != nil else { return ApplyOutcome() }
            staging = entry.payload.staging
            entry.payload.forgetCalledOff()
            var outcome = ApplyOutcome()
            if let item {
                entry.payload.base = item.version
                // It may have been told of before anybody here knew that it is this one.
                if item.id != entry.itemID, let known = try index.item(item.id, in: entry.domain), known.local == nil {
                    outcome = try index.delete([item.id], in: entry.domain)
                }
                entry.itemID = item.id
            }
            _ = try index.advance(entry, to: entry.step)
            return outcome
        }
        discard(request: staging)
        try follow(outcome)
    }

    /// Whether contents are those that were sent, before the document was removed here.
    package func areCalledOff(_ contents: StagedFile, by removal: JournalEntry) throws -> Bool {
        let payload = removal.payload
        if payload.boot == root.boot, let name = payload.staging,
            let sent = try root.staging.request(named: name)?.existingFile()
        {
            return try root.staging.haveSameContents(contents, sent)
        }
        // The digest says nothing of those that were sent before them under the same name.
        guard !payload.mayBeOthers, let digest = payload.digest else { return false }
        return try root.staging.folder(of: contents).file(contents.name)?.digest(0..<contents.identity.size) == digest
    }
}

extension IndexReader {
    /// Whether what is sent was removed since it was begun.
    package func isCalledOff(_ sending: Sending) throws -> Bool { try removal(callingOff: sending) != nil }

    /// The removal of what is just being sent; nil when it is not removed.
    func removal(callingOff sending: Sending) throws -> JournalEntry? {
        try removal(callingOff: sending.entry)
    }

    func removal(callingOff sending: JournalEntry) throws -> JournalEntry? {
        guard let operation = sending.payload.operation, try open(sending) == nil else { return nil }
        return try droppedItems(in: sending.domain).last { $0.payload.calledOff == operation }
    }
}

extension IndexTransaction {
    /// - Throws: `noSuchItem` when what is sent was removed here meanwhile.
    func refuseCalledOff(_ sending: Sending) throws {
        if try removal(callingOff: sending) != nil { throw Self.unknown(sending.item.id, sending.item.domain) }
    }

    /// What came of a sending that was called off is known, or not.
    ///
    /// - Returns: whether its copy is still needed.
    func endCalledOff(_ sending: JournalEntry, _ outcome: SendingOutcome) throws -> Bool {
        guard var removal = try removal(callingOff: sending) else { return false }
        switch outcome {
        case .open, .senseless: return true
        case .undone, .refused:
            removal.payload.forgetCalledOff()
            _ = try advance(removal, to: removal.step)
            return false
        }
    }
}

extension JournalPayload {
    /// Of a removal: takes over what is known of a sending without an answer.
    fileprivate mutating func takeOver(_ sending: JournalPayload) {
        calledOff = sending.operation
        (staging, boot, file, digest) = (sending.staging, sending.boot, sending.file, sending.digest)
        (attempt, isMaking, mayBeOthers) = (sending.attempt, sending.isMaking, sending.mayBeOthers)
    }

    mutating func callOff(_ sending: JournalPayload, of item: IndexedItem, index: IndexReader) throws {
        takeOver(sending)
        // It was asked for where it was then.
        guard item.isArriving, let asked = sending.place, let name = asked.last, asked != place else { return }
        destination = asked
        let folder = Location(domain: item.domain, components: asked.dropLast())
        guard let parent = try index.item(at: folder) else { return }
        (parentID, self.name) = (parent.id, name)
    }

    fileprivate mutating func forgetCalledOff() {
        (calledOff, staging, boot, file, digest) = (nil, nil, nil, nil, nil)
        (attempt, isMaking, mayBeOthers) = (0, false, false)
    }
}
