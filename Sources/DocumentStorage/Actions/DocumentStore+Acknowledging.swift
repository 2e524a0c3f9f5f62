package import DocumentModel

/// What follows from a provider's answer to contents that it was sent.
extension DocumentStore {
    /// In bytes.
    private static let largestSpare: Int64 = 1 << 20

    /// The provider has taken it. The item is `materialised`, or `changed` again when it was written to meanwhile. That is on
    /// disk with the next durable write, or flush, of the index, and before its contents are taken away: when the machine fails
    /// before, it is asked for again by its name.
    ///
    /// - Parameter item: what the provider answered.
    package func finish(_ sending: Sending, as item: Item) throws -> IndexedItem {
        let (id, domain) = (sending.item.id, sending.item.domain)
        guard item.id == id else {
            throw DocumentError(
                .contractBroken, "The provider of \(domain) was sent the item “\(id)” and answered with “\(item.id)”.",
                itemID: id)
        }
        return try unlessCalledOff(sending, answeredWith: item) { try record(sending, as: item) }
    }

    private func record(_ sending: Sending, as item: Item) throws -> IndexedItem {
        let (id, domain) = (sending.item.id, sending.item.domain)
        var acknowledged: Acknowledged?
        var kept: KeptVersion?
        // Whatever is in the file, nobody knows that the provider has just that.
        var sent = sending.entry.payload.mayBeOthers ? nil : sending.snapshot.source
        let digest = sending.entry.payload.mayBeOthers ? nil : digest(of: sending)
        // Mostly, nothing has happened to it since.
        var seen = sending.begun.map { SeenItem(item: $0, location: sending.location, isBeingWritten: false) }
        while acknowledged == nil {
            acknowledged = try acknowledge(sending, as: item, digest, seen, &sent, &kept)
            seen = nil
        }
        index.deferFlush()
        // What is large does not take room on the disk for longer than it has to.
        discard(request: sending.snapshot.request, keeping: sending.snapshot.identity.size <= Self.largestSpare)
        try reached(.sendRecorded)
        guard let acknowledged else { return sending.item }
        // What is done on the disk follows what is recorded.
        if !acknowledged.surplus.isEmpty || !acknowledged.outcome.work.isEmpty { try index.flush() }
        try prune(acknowledged.surplus, of: id, in: domain)
        try follow(acknowledged.outcome)
        if acknowledged.outcome.work.isEmpty { return acknowledged.item ?? sending.item }
        // What was done in the tree may have changed it.
        return try index.read { try $0.item(id, in: domain) } ?? sending.item
    }

    /// What the index has once a provider's answer is recorded.
    private struct Acknowledged {
        var outcome: ApplyOutcome
        var item: IndexedItem?
        /// Older contents, more than are kept.
        var surplus: [KeptVersion]
    }

    /// An item as somebody has seen it in the index.
    private struct SeenItem {
        var item: IndexedItem
        var location: Location
        var isBeingWritten: Bool
    }

    private func see(_ id: ItemIdentifier, in domain: DomainName) throws -> SeenItem {
        try index.read { index in
            let (item, location) = try index.located(id, in: domain)
            return SeenItem(
                item: item, location: location, isBeingWritten: try index.isChangeExpected(of: id, in: domain))
        }
    }

    /// - Parameters:
    ///   - digest: of what was sent, where it was read.
    ///   - seen: as it may be; nil: it is looked up.
    ///   - sent: the file that the snapshot was made of, as it is while nobody writes to it.
    ///   - kept: what was sent, once it is kept.
    /// - Returns: nil when somebody has recorded or begun a change while this was looked at, or it was moved: it is to be
    ///   looked at once more.
    private func acknowledge(
        _ sending: Sending, as item: Item, _ digest: [UInt8]?, _ seen: SeenItem?, _ sent: inout FileIdentity?,
        _ kept: inout KeptVersion?
    ) throws -> Acknowledged? {
        let (id, domain) = (sending.item.id, sending.item.domain)
        let now = try seen ?? see(id, in: domain)
        let (location, isBeingWritten) = (now.location, now.isBeingWritten)
        var file = try tree.file(at: location)
        // Another document's says nothing of what became of this one's.
        if try isAnothers(now.item, file, at: location) { file = nil }
        // It may have been moved since, and this be another one's.
        if seen != nil, file?.inode != sent?.inode { return nil }
        let isEdited: Bool
        if let found = file {
            let stamp = ItemStamp(
                domain: domain, id: id, contentVersion: item.version.content, size: found.size,
                modified: found.modified)
            isEdited =
                sent.map { sent in
                    !found.isUntouched(since: sent) && !hasSentContents(found, sending, sent: sent, at: location)
                } ?? true
            if !isEdited, let stamped = tree.restamp(location, stamp, expecting: found, written: item.version),
                stamped.hasSameContents(as: found)
            {
                (file, sent) = (stamped, stamped)
            }
        } else {
            // Removed, or an editor is just replacing it: what was recorded since it was sent is an edit; else whoever
            // looks at its place next finds out.
            isEdited = now.item.local.map { local in sent.map { !local.isUntouched(since: $0) } ?? true } ?? false
        }
        // What is written meanwhile began from what was just sent.
        if kept == nil, isEdited || isBeingWritten, !sending.entry.payload.mayBeOthers {
            kept = try keepSent(sending, as: item, location)
        }
        let base = isEdited || isBeingWritten ? kept : nil
        let recorded = isEdited ? editToRecord(file, now.item.local, sent) : file ?? sent
        let acknowledged: Acknowledged? = try index.write(durably: false) { index in
            guard try index.isStill(now.item, at: location),
                try index.isChangeExpected(of: id, in: domain) == isBeingWritten
            else { return nil }
            try index.refuseCalledOff(sending)
            let answered = try index.apply(item, answering: sending.item)
            var outcome = answered ?? ApplyOutcome()
            try index.retireBases(of: id, in: domain)
            try index.forgetUnanswered(of: now.item)
            if let name = try sentName(sending, index) { try index.keepName(name, of: item.version, of: now.item) }
            if let base { try index.addKeptVersion(base, in: domain) }
            // An edit survives a deletion, also one that is under way.
            let isRevived = try isBeingWritten && index.known(id, in: domain).isGone
            let state: ItemState = isEdited || isRevived ? .changed : answered == nil ? .outdated : .materialised
            if let recorded {
                try index.setMaterialised(
                    id, in: domain, version: item.version, file: recorded, state: state, digest: digest)
            } else {
                try index.setPlaceholder(id, in: domain)
            }
            try index.finish(sending.entry)
            if state != .changed { try index.removeIfGone(id, in: domain, &outcome) }
            return Acknowledged(
                outcome: outcome, item: try index.item(id, in: domain),
                surplus: try index.surplusVersions(of: id, in: domain))
        }
        if acknowledged != nil, base == nil, let kept { try root.versions.remove(kept.kept) }
        return acknowledged
    }

    /// The file of a document that was edited since it was sent. What is recorded of it stays: by that, the file is known wherever
    /// somebody moves it. What was written and is not recorded is not recorded here: whoever ends that write sees the difference,
    /// flushes it and records it.
    private func editToRecord(_ file: FileIdentity?, _ known: FileIdentity?, _ sent: FileIdentity?) -> FileIdentity? {
        guard let file else { return known }
        if let known, file.isUntouched(since: known) { return known }
        return sent ?? known ?? file
    }

    /// What the contents were called until they were sent; nil where nobody knows what was in the file then.
    private func sentName(_ sending: Sending, _ index: IndexReader) throws -> String? {
        guard !sending.entry.payload.mayBeOthers else { return nil }
        return try sending.snapshot.source.map { try index.writtenName(of: $0, sending.item) }
    }

    private func keepSent(_ sending: Sending, as item: Item, _ location: Location) throws -> KeptVersion {
        let size = sending.snapshot.identity.size
        let name = try index.read { try sentName(sending, $0) }
        return KeptVersion(
            itemID: item.id, role: .base, version: item.version,
            kept: try root.versions.keep(sending.snapshot, of: location, stayingInStaging: true), size: size,
            modified: sending.snapshot.source?.modified ?? item.modified,
            name: name ?? KeptVersion.identifier(of: item.version, of: item.id))
    }
}
