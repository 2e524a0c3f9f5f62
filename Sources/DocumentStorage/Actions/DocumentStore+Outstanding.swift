package import DocumentModel

/// What is known of a sending that did not come to its end.
package enum SendingOutcome: Sendable {
    /// Whether it was carried out, only the provider knows: it is asked again by the operation's name.
    case open
    /// The provider has done nothing this time.
    case undone
    /// The provider has refused it: it has done nothing by that name.
    case refused
    /// The answer makes no sense: it may have been carried out, and would be answered so again.
    case senseless
}

/// Sendings whose outcome nobody here knows: each keeps its name until the provider has answered for it (RS-5).
extension DocumentStore {
    /// It was not sent, as far as anybody knows: the item is `changed` again, with its base version.
    package func abandon(
        _ sending: Sending, because error: DocumentError?, _ outcome: SendingOutcome = .undone
    ) throws {
        try takeBackSending(sending.entry, outcome) { index, item in
            try index.setProblem(error, of: item.id, in: item.domain)
        }
    }

    /// - Parameter body: gets the item, if there still is one.
    func takeBackSending(
        _ entry: JournalEntry, _ outcome: SendingOutcome,
        recording body: (IndexTransaction, IndexedItem) throws -> Void = { _, _ in }
    ) throws {
        let isKept = try index.write { index in
            if try index.endCalledOff(entry, outcome) { return true }
            // What was made anew may have its new identifier by now, and more of it not be recorded.
            if let id = try index.subject(of: entry) ?? entry.itemID, let item = try index.item(id, in: entry.domain) {
                try body(index, item)
                let asked = try index.open(entry)?.payload ?? entry.payload
                switch outcome {
                case .open: try index.keepOutstanding(asked, of: item)
                case .undone: break
                case .refused: try index.forgetOutstanding(of: item, named: asked.operation)
                case .senseless:
                    try index.keepOutstanding(asked, of: item)
                    try index.forgetOutstanding(of: item, named: asked.operation)
                }
                if item.state == .sending { try index.setState(.changed, of: id, in: entry.domain) }
            }
            try index.finish(entry)
            return false
        }
        // Of what was removed meanwhile, it tells whether the provider has got it.
        if !isKept { discard(request: entry.payload.staging) }
    }

    /// The provider is about to be asked to make a document of it: under the name so many beside its own.
    package func noteMaking(_ sending: Sending, attempt: Int) throws {
        try index.write { index in
            guard var open = try index.open(sending.entry),
                !open.payload.isMaking || open.payload.attempt != attempt
            else { return }
            (open.payload.isMaking, open.payload.attempt) = (true, attempt)
            _ = try index.advance(open, to: open.step)
        }
    }

    /// The digest of what is sent; nil when it is large: it is not read while somebody waits for it.
    func digest(of sending: Sending) -> [UInt8]? {
        sending.entry.payload.digest ?? digest(of: sending.snapshot)
    }
}

extension Sending {
    /// Which name beside a taken one it was asked for last; 0: its own.
    package var attempt: Int { entry.payload.attempt }

    /// The provider is known to have just the snapshot's contents, whatever it was asked for before.
    package var compared: Sending {
        var sending = self
        sending.entry.payload.mayBeOthers = false
        return sending
    }

}

extension IndexReader {
    /// Whether it was moved or renamed here since the provider was asked for it first, by its own name.
    func isMoved(_ item: IndexedItem, since sending: Sending) throws -> Bool {
        guard sending.attempt == 0 else { return false }
        let begun = sending.item.item
        // A folder that was made anew for it has another identifier, and is the same one.
        let isElsewhere =
            try sending.folderRow.map { try folderRow(of: item) != $0 } ?? (item.item.parentID != begun.parentID)
        if isElsewhere || item.item.name != begun.name { return true }
        guard sending.isRepeated, let place = sending.entry.payload.place,
            // What could not have its name has the one that it was made with.
            try (open(sending.entry)?.payload.attempt ?? 0) == 0
        else { return false }
        return try diskLocation(of: item.id, in: item.domain)?.components != place
    }

    /// Nil of a domain's top folder.
    func folderRow(of item: IndexedItem) throws -> Int64? {
        try item.item.parentID.flatMap { try self.item($0, in: item.domain)?.row }
    }
}
