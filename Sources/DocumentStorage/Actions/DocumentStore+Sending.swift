package import DocumentModel

/// Changed contents on their way to the provider.
package struct Sending: Sendable {
    package var entry: JournalEntry
    package var item: IndexedItem
    package var location: Location
    /// What the provider is to take.
    package var snapshot: StagedFile
    /// The version that the change began from: what the provider must still have.
    package var base: ItemVersion
    /// The same in every retry.
    package var operation: String
}

extension DocumentStore {
    /// The item is `sending`. After an answer finish; after a refusal abandon or record the conflict; without an
    /// answer (the provider died) ask again with the same value, since it may have been carried out.
    package func beginSending(_ id: ItemIdentifier, in domain: DomainName) throws -> Sending {
        let (item, location) = try locate(id, in: domain)
        guard item.state == .changed, let base = item.synced else {
            throw DocumentError(
                item.state == .conflict ? .inConflict : .invalidArgument,
                "\(location) is \(item.state.rawValue): there is nothing to be sent.")
        }
        var payload = JournalPayload()
        payload.operation = RandomName.make()
        payload.base = base
        payload.place = location.components
        payload.boot = Boot.current
        let request = try root.staging.makeRequest()
        payload.staging = request.name
        let entry = try takingBack {
            try request.remove()
        } _: {
            try index.write(durably: false) { index in
                try index.setState(.sending, of: id, in: domain)
                return try index.begin(.sendBegan, item: id, in: domain, payload: payload)
            }
        }
        try reached(.sendBegan)
        return try takingBack {
            try takeBackSending(entry)
        } _: {
            try snapshot(entry, item, location)
        }
    }

    /// Takes the snapshot of a send that was begun.
    func snapshot(_ entry: JournalEntry, _ item: IndexedItem, _ location: Location) throws -> Sending {
        guard let name = entry.payload.staging, let operation = entry.payload.operation, let base = entry.payload.base
        else { throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a send needs.") }
        let snapshot = try root.staging.snapshot(of: location, in: request(named: name))
        var entry = entry
        entry.payload.file = snapshot.source
        entry = try index.write(durably: false) { try $0.advance(entry, to: .sendSnapshotTaken) }
        try reached(.sendSnapshotTaken)
        return Sending(
            entry: entry, item: item, location: location, snapshot: snapshot, base: base, operation: operation)
    }

    /// The provider has taken it. The item is `materialised`, or `changed` again when it was written to meanwhile.
    ///
    /// - Parameter item: what the provider answered.
    package func finish(_ sending: Sending, as item: Item) throws -> IndexedItem {
        let (id, domain) = (sending.item.id, sending.item.domain)
        guard item.id == id else {
            throw DocumentError(
                .contractBroken, "The provider of \(domain) was sent the item “\(id)” and answered with “\(item.id)”.",
                itemID: id)
        }
        let (_, location) = try locate(id, in: domain)
        var file = try tree.file(at: location)
        let isSame = file.flatMap { file in sending.snapshot.source?.hasSameContents(as: file) } ?? false
        if isSame, let sent = file {
            let stamp = ItemStamp(
                domain: domain, id: id, contentVersion: item.version.content, size: sent.size, modified: sent.modified)
            file = tree.restamp(location, stamp, expecting: sent) ?? sent
        }
        let outcome = try index.write { index in
            let outcome = try index.apply([item], in: domain)
            if let file {
                // What was written since is not recorded here: whoever ends that write sees the difference, flushes it
                // and records it.
                try index.setMaterialised(
                    id, in: domain, version: item.version, file: isSame ? file : sending.snapshot.source ?? file,
                    state: isSame ? .materialised : .changed)
            } else {
                try index.setPlaceholder(id, in: domain)
            }
            try index.finish(sending.entry)
            return outcome
        }
        discard(request: sending.snapshot.request)
        try reached(.sendRecorded)
        try perform(outcome)
        return try current(id, in: domain)
    }

    /// The item was gone at the provider, and was made anew there with these contents: an edit survives a deletion
    /// (VER-15).
    package func finish(_ sending: Sending, asNew item: Item) throws -> IndexedItem {
        try index.write { try $0.rename(sending.item.id, to: item.id, in: sending.item.domain) }
        var renamed = sending
        renamed.item.item.id = item.id
        renamed.entry.itemID = item.id
        return try finish(renamed, as: item)
    }

    /// The provider has refused it, for sure: the item is `changed` again, with its base version.
    package func abandon(_ sending: Sending, because error: DocumentError?) throws {
        let (id, domain) = (sending.item.id, sending.item.domain)
        try index.write(durably: false) { index in
            guard try index.item(id, in: domain) != nil else { return }
            try index.setProblem(error, of: id, in: domain)
        }
        try takeBackSending(sending.entry)
    }

    func takeBackSending(_ entry: JournalEntry) throws {
        try index.write { index in
            if let id = entry.itemID, let item = try index.item(id, in: entry.domain), item.state == .sending {
                try index.setState(.changed, of: id, in: entry.domain)
            }
            try index.finish(entry)
        }
        discard(request: entry.payload.staging)
    }

    // MARK: Conflicts

    /// The remote has other contents than the change began from: the item is in `conflict`. A copy of the local
    /// contents is kept, and the local file stays where it is, too.
    ///
    /// - Parameters:
    ///   - remote: the item as the provider has it now, where it could be asked.
    ///   - theirs: its contents, verified, where they could be fetched: they are what is kept then, beside the local
    ///     file.
    package func recordConflict(
        _ sending: Sending, remote: Item?, theirs: StagedFile? = nil, because error: DocumentError
    ) throws -> IndexedItem {
        let (id, domain) = (sending.item.id, sending.item.domain)
        let (_, location) = try locate(id, in: domain)
        // Without theirs, the snapshot itself: the very bytes that were refused.
        let kept = try root.versions.keep(theirs ?? sending.snapshot, of: location)
        let outcome = try takingBack {
            try root.versions.remove(kept)
        } _: {
            try index.write { index in
                let outcome = try remote.map { try index.apply([$0], in: domain) } ?? ApplyOutcome()
                let now = try index.item(id, in: domain)
                let conflict = ConflictRecord(
                    number: 0, itemID: id, remote: now?.item.version ?? .none, base: sending.base, kept: kept,
                    reason: error.message)
                try index.addConflict(conflict, in: domain)
                try index.setState(.conflict, of: id, in: domain)
                try index.setProblem(error, of: id, in: domain)
                try index.finish(sending.entry)
                return outcome
            }
        }
        discard(request: sending.snapshot.request)
        try perform(outcome)
        return try current(id, in: domain)
    }

    /// Ends an item's conflict. The local contents become a change to the remote's version, to be sent; or they leave
    /// the tree, and the remote's can be fetched. The kept copy stays in either case, until it is removed by name.
    package func resolveConflict(
        of id: ItemIdentifier, in domain: DomainName, keepingLocal: Bool
    ) throws -> IndexedItem {
        let (item, location) = try locate(id, in: domain)
        guard item.state == .conflict else {
            throw DocumentError(.invalidArgument, "\(location) is in no conflict.")
        }
        let file = try tree.file(at: location)
        if !keepingLocal, let file {
            // What was written since the conflict was found has no copy yet.
            if item.local?.hasSameContents(as: file) != true { _ = try root.versions.keep(copyOf: location) }
            refreshPlaceholder(id, in: domain)
            try tree.removeFile(at: location, expecting: file)
        }
        try index.write { index in
            if keepingLocal, let file {
                try index.setMaterialised(id, in: domain, version: item.item.version, file: file, state: .changed)
            } else {
                try index.setPlaceholder(id, in: domain)
                try index.setProblem(nil, of: id, in: domain)
            }
            for conflict in try index.conflicts(in: domain) where conflict.itemID == id {
                try index.removeConflict(number: conflict.number)
            }
        }
        refreshPlaceholder(id, in: domain)
        return try current(id, in: domain)
    }
}
