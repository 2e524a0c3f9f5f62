package import DocumentModel

/// Changed contents on their way to the provider.
package struct Sending: Sendable {
    package var entry: JournalEntry
    package var item: IndexedItem
    /// As the index has it once it was begun; nil when that was some time ago.
    var begun: IndexedItem?
    package var location: Location
    /// What the provider is to take.
    package var snapshot: StagedFile
    /// The version that the change began from: what the provider must still have.
    package var base: ItemVersion
    /// The same in every retry, until the provider has answered.
    package var operation: String
    /// The provider may have been asked for it before, under this name.
    package var isRepeated = false
    /// The row of the folder that it was in when it was begun: that one may have another identifier since.
    var folderRow: Int64?
}

extension DocumentStore {
    /// In bytes.
    private static let largestSpare: Int64 = 1 << 20

    /// The item is `sending`. After an answer finish; after a refusal abandon or record the conflict; without an
    /// answer (the provider died) ask again with the same value, since it may have been carried out.
    ///
    /// - Parameter seen: the item, and where its file is, as somebody has just read it.
    package func beginSending(
        _ id: ItemIdentifier, in domain: DomainName, seen: (item: IndexedItem, location: Location)? = nil
    ) throws -> Sending {
        var seen = seen
        while true {
            if let sending = try snapshotAndBegin(seen ?? locate(id, in: domain), in: domain) { return sending }
            seen = nil
        }
    }

    /// The snapshot comes first: until the entry is written down it is nobody's, and is swept at the next start. The entry is on
    /// disk before the provider is asked: also when the machine fails, it is asked for the same by the same name.
    ///
    /// - Returns: nil when the item was changed in the index, or moved, while its snapshot was made.
    private func snapshotAndBegin(
        _ seen: (item: IndexedItem, location: Location), in domain: DomainName
    ) throws -> Sending? {
        let (item, location) = seen
        guard item.state == .changed, let base = item.synced else {
            throw DocumentError(
                item.state == .conflict ? .inConflict : .invalidArgument,
                "\(location) is \(item.state.rawValue): there is nothing to be sent.")
        }
        var payload = JournalPayload()
        payload.boot = root.boot
        payload.base = base
        payload.place = location.components
        payload.isMaking = item.isArriving
        let earlier = try index.read { try $0.outstanding(of: item) }
        let request = try root.staging.makeRequest(reusing: .sending(domain))
        payload.staging = request.name
        return try takingBack {
            try remove(request, of: domain)
        } _: {
            try reached(.sendBegan)
            try refuseAnothers(item, at: location)
            let snapshot = try root.staging.snapshot(of: location, in: request)
            payload.file = snapshot.source
            payload.digest = digest(of: snapshot)
            let isRepeated = payload.takeName(of: earlier)
            if !isRepeated { payload.operation = RandomName.make() }
            let begun: (entry: JournalEntry, item: IndexedItem, folderRow: Int64?)? = try index.write { index in
                guard try index.isStill(item, at: location) else { return nil }
                try index.setState(.sending, of: item.id, in: domain)
                let entry = try index.begin(.sendSnapshotTaken, item: item.id, in: domain, payload: payload)
                return (entry, try index.known(item.id, in: domain), try index.folderRow(of: item))
            }
            guard let begun, let operation = payload.operation else {
                try remove(request, of: domain)
                return nil
            }
            try reached(.sendSnapshotTaken)
            var asked = item
            // What was told since is newer than the answer, perhaps.
            if isRepeated { asked.item.version = base }
            return Sending(
                entry: begun.entry, item: asked, begun: begun.item, location: location, snapshot: snapshot, base: base,
                operation: operation, isRepeated: isRepeated, folderRow: begun.folderRow)
        }
    }

    /// Takes the snapshot of a send that was begun once more.
    func snapshot(_ entry: JournalEntry, _ item: IndexedItem, _ location: Location) throws -> Sending {
        guard let name = entry.payload.staging, let operation = entry.payload.operation, let base = entry.payload.base
        else { throw DocumentError(.internal, "The journal's entry \(entry.id) lacks what a send needs.") }
        let snapshot = try root.staging.snapshot(of: location, in: request(named: name))
        var entry = entry
        entry.payload.file = snapshot.source
        entry = try index.write(durably: false) { try $0.advance(entry, to: .sendSnapshotTaken) }
        try reached(.sendSnapshotTaken)
        return Sending(
            entry: entry, item: item, location: location, snapshot: snapshot, base: base, operation: operation,
            isRepeated: true, folderRow: try index.read { try $0.folderRow(of: item) })
    }

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

    /// The item was gone at the provider, and was made anew there with these contents: an edit survives a deletion
    /// (VER-15).
    ///
    /// - Parameter earlier: the provider has not these contents, but others that they began from: they are a change of what is
    ///   there.
    package func finish(
        _ sending: Sending, asNew item: Item, having earlier: StagedFile? = nil
    ) throws -> IndexedItem {
        try takingBack {
            discard(request: earlier?.request)
        } _: {
            try unlessCalledOff(sending, answeredWith: item) { try record(sending, asNew: item, having: earlier) }
        }
    }

    private func record(
        _ sending: Sending, asNew item: Item, having earlier: StagedFile?
    ) throws -> IndexedItem {
        var freed = ApplyOutcome()
        freed.work = try index.write { index in
            try index.refuseCalledOff(sending)
            let known = try index.known(sending.item.id, in: sending.item.domain)
            // It was asked for where it was then, and may have been moved since; by its former identifier it is not found any more.
            let isMoved = try index.isMoved(known, since: sending)
            let work = try index.rename(sending.item.id, to: item.id, in: sending.item.domain)
            if isMoved { try index.keepPlace(of: known, madeAs: item) }
            return work
        }
        if !freed.work.isEmpty { try follow(freed) }
        var renamed = sending
        renamed.item = try current(item.id, in: sending.item.domain)
        renamed.begun = nil
        renamed.entry.itemID = item.id
        guard let earlier else { return try finish(renamed, as: item) }
        renamed = renamed.compared
        renamed.snapshot = earlier
        renamed.entry.payload.digest = nil
        // No file here has just these contents: whatever is at its place is a change.
        renamed.snapshot.source = nil
        let known = try finish(renamed, as: item)
        discard(request: sending.snapshot.request)
        return known
    }

    /// A folder was gone at the provider, and was made anew there for what is to be sent into it (VER-15); or was made here.
    ///
    /// - Parameter isBeside: it could not get its name, and has the one that it was made with from now on.
    package func revive(
        _ folder: ItemIdentifier, as item: Item, isBeside: Bool = false, in domain: DomainName
    ) throws {
        let outcome = try index.write { index in
            let known = try index.item(folder, in: domain)
            let freed = try index.revive(folder, as: item.id, in: domain)
            if let known, known.isArriving, !isBeside { try index.keepPlace(of: known, madeAs: item) }
            var outcome = try index.apply([item], in: domain)
            outcome.work = freed + outcome.work
            return outcome
        }
        try follow(outcome)
    }

    // MARK: Conflicts

    /// Without names and places: those change while it is in conflict.
    private static let conflictReason =
        "The document was changed here and on the remote since both had the same contents, and neither change knows of the other."

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
                let outcome = try remote.flatMap { try index.apply($0, answering: sending.item) }
                let now = try index.known(id, in: domain)
                var conflict = ConflictRecord(
                    number: 0, itemID: id, remote: remote?.version ?? now.item.version, base: sending.base, kept: kept,
                    reason: Self.conflictReason, device: remote?.savedBy ?? "")
                if theirs != nil, !conflict.remote.content.isEmpty {
                    conflict.name = try index.contentsName(of: conflict.remote, of: now)
                }
                try index.addConflict(conflict, in: domain)
                try index.setState(.conflict, of: id, in: domain)
                try index.setProblem(error, of: id, in: domain)
                try index.forgetUnanswered(of: now)
                try index.finish(sending.entry)
                return outcome ?? ApplyOutcome()
            }
        }
        discard(request: sending.snapshot.request)
        try follow(outcome)
        return try current(id, in: domain)
    }

    /// Ends an item's conflict. The local contents become a change to the remote's version, to be sent; or they leave
    /// the tree, and the remote's take their place where they are here, else they can be fetched. The kept copy stays in either
    /// case, until it is removed by name.
    ///
    /// - Throws: `noSuchItem` when the local contents were to leave the tree, and the item is gone on the remote: both sides would
    ///   go with it. Then it stays in conflict.
    package func resolveConflict(
        of id: ItemIdentifier, in domain: DomainName, keepingLocal: Bool
    ) throws -> VersionChange {
        let (item, location) = try locate(id, in: domain)
        guard item.state == .conflict else {
            throw DocumentError(.invalidArgument, "\(location) is in no conflict.")
        }
        if !keepingLocal { try index.read { try $0.requireThere(item, at: location) } }
        let file = try tree.file(at: location)
        var gained: [KeptVersion] = []
        if !keepingLocal, let file {
            // Ours are older contents now: whoever chose wrongly gets them back.
            let name = try index.read { try $0.writtenName(of: file, item) }
            let kept = try root.versions.keep(copyOf: location)
            let ours = KeptVersion(
                itemID: id, role: .older, version: .none, kept: kept, size: file.size, modified: file.modified,
                name: name)
            gained.append(try index.write { try $0.addKeptVersion(ours, in: domain) })
            refreshPlaceholder(id, in: domain)
            try tree.removeFile(at: location, expecting: file)
            // After a power failure it would be taken for a change again.
            try tree.flushFolders(left: [location])
        }
        let theirs = try keepingLocal ? conflictsAsBases(of: item) : []
        let conflicts = try takingBack {
            for ours in gained { try putInPlaceAgain(ours, at: location, in: domain) }
        } _: {
            try index.write { index in
                // It may have been told in this moment.
                if !keepingLocal { try index.requireThere(index.known(id, in: domain), at: location) }
                let conflicts = try index.conflicts(in: domain).filter { $0.itemID == id }
                try index.retireBases(of: id, in: domain)
                if keepingLocal, let file {
                    // What is sent now is written over theirs, knowingly: it begins from them, and not from what the provider
                    // has told of since.
                    for base in theirs { try index.addKeptVersion(base, in: domain) }
                    let base = conflicts.last?.remote ?? item.item.version
                    try index.setMaterialised(id, in: domain, version: base, file: file, state: .changed)
                } else {
                    try index.setPlaceholder(id, in: domain)
                    try index.setProblem(nil, of: id, in: domain)
                }
                for conflict in conflicts { try index.removeConflict(number: conflict.number) }
                return conflicts
            }
        }
        refreshPlaceholder(id, in: domain)
        if !keepingLocal { try putOtherSide(of: conflicts, at: id, in: domain) }
        let lost = try dropSurplus(of: id, in: domain)
        return VersionChange(item: try current(id, in: domain), gained: gained, lost: lost)
    }

    /// Nothing has taken the place of our contents: they are there once more, and no older ones.
    private func putInPlaceAgain(_ ours: KeptVersion, at location: Location, in domain: DomainName) throws {
        let request = try root.staging.makeRequest()
        defer { try? request.remove() }
        let staged = try root.staging.snapshot(ofFileAt: root.versions.path(of: ours.kept), in: request)
        try root.staging.folder(of: staged).file(staged.name)?.flush()
        let file = try tree.publish(staged, at: location, replacing: nil, durably: true)
        try index.write { try $0.setFile(file, of: ours.itemID, in: domain) }
        try drop(index.read { try $0.keptVersions(of: ours.itemID, in: domain) }.filter { $0.kept == ours.kept })
    }

    /// The other sides of an item's conflict, as what it begins from.
    func conflictsAsBases(of item: IndexedItem) throws -> [KeptVersion] {
        try index.read { try $0.conflicts(in: item.domain) }.filter { $0.itemID == item.id }.compactMap { conflict in
            guard let status = try root.versions.status(of: conflict.kept) else { return nil }
            return KeptVersion(
                itemID: item.id, role: .base, version: conflict.remote, kept: conflict.kept, size: status.size,
                modified: status.modified, device: conflict.device, name: conflict.name)
        }
    }
}
