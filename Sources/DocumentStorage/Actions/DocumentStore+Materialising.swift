package import DocumentModel
internal import Logging

/// Contents on their way from the provider.
package struct Materialisation: Sendable {
    package var entry: JournalEntry
    /// As it was before.
    package var item: IndexedItem
    package var location: Location
    /// What the provider is to fill.
    package var file: StagedFile
    /// Of contents that come in parts: what of them is here.
    package var partial: PartialContents?
    /// The index's, when item and location were seen.
    var generation: UInt64 = 0
}

extension DocumentStore {
    /// The item is `materialising`; `file` is what the provider is to fill.
    package func beginMaterialising(_ id: ItemIdentifier, in domain: DomainName) throws -> Materialisation {
        let request = try root.staging.makeRequest(reusing: .fetching(domain))
        return try takingBack {
            try remove(request, of: domain)
        } _: {
            try beginMaterialising(id, in: domain, request, try request.makeFile())
        }
    }

    /// - Parameter partial: of contents that come in parts: what of them is here, written down with the rest.
    func beginMaterialising(
        _ id: ItemIdentifier, in domain: DomainName, _ request: StagingRequest, _ file: StagedFile,
        partial: (IndexTransaction) throws -> PartialContents? = { _ in nil }
    ) throws -> Materialisation {
        var payload = JournalPayload()
        payload.staging = request.name
        payload.file = file.identity
        // Need not survive the machine: what is lost then is only that something was begun.
        var (materialisation, generation) = try index.writeSeeing(durably: false) { index in
            let (item, location) = try index.located(id, in: domain)
            try Self.refuseMaterialising(item, at: location, index)
            payload.place = location.components
            try index.setState(.materialising, of: id, in: domain)
            let entry = try index.begin(.materialiseBegan, item: id, in: domain, payload: payload)
            let partial = try partial(index)
            index.touchesOnly(item)
            return Materialisation(entry: entry, item: item, location: location, file: file, partial: partial)
        }
        materialisation.generation = generation
        try reached(.materialiseBegan)
        return materialisation
    }

    private static func refuseMaterialising(_ item: IndexedItem, at location: Location, _ index: IndexReader) throws {
        guard item.item.kind == .document else {
            throw DocumentError(
                .invalidArgument, "\(location) is a \(item.item.kind): only documents have contents to be fetched.")
        }
        guard !item.isUnsent else {
            throw DocumentError(.unsyncedEdits, "\(location) has changes that were not sent yet: send them first.")
        }
        // What it begins from must stay until it has ended.
        guard try item.local == nil || !index.isChangeExpected(of: item.id, in: item.domain) else {
            throw DocumentError(.busy, "\(location) is being written to: wait until that has ended.")
        }
    }

    /// Verifies what the provider has filled and puts it at the item's place. When it throws, abandon.
    ///
    /// - Parameters:
    ///   - item: what the provider answered, in exactly the version written.
    ///   - sha256: the contents' digest, where one is known.
    ///   - settled: what its parts were looked at in, where they were.
    package func finish(
        _ materialisation: Materialisation, as item: Item, sha256: [UInt8]? = nil, since settled: SettledParts? = nil
    ) throws -> IndexedItem {
        try finish(materialisation, as: item, sha256: sha256, since: settled) { _, _ in }.item
    }

    /// The same.
    ///
    /// - Parameter look: gets the item with its contents, and the index as it is then.
    /// - Returns: with what that has seen, and the index's generation at which it still stands; nil where more is to be done.
    package func finish<Seen>(
        _ materialisation: Materialisation, as item: Item, sha256: [UInt8]? = nil, since settled: SettledParts? = nil,
        seeing look: (IndexedItem, IndexReader) throws -> Seen
    ) throws -> (item: IndexedItem, seen: Seen?, generation: UInt64) {
        let (id, domain) = (materialisation.item.id, materialisation.item.domain)
        guard item.id == id else {
            throw DocumentError(
                .contractBroken, "The provider of \(domain) was asked for the item “\(id)” and gave “\(item.id)”.",
                itemID: id)
        }
        let request = try self.request(named: materialisation.file.request)
        let stamp = ItemStamp(
            domain: domain, id: id, contentVersion: item.version.content, size: 0, modified: item.modified)
        let staged = try request.verify(
            materialisation.file, size: item.size, sha256: takes(.comparingDigests) ? sha256 : nil,
            since: settled?.file, inParts: materialisation.partial != nil, stamp: stamp)
        try reached(.materialiseVerified)
        let kept = try keepWritten(id, in: domain, replacedBy: item.version)
        let done = try takingBack {
            if let kept { try drop([kept]) }
            try takeOut(staged, of: materialisation)
        } _: {
            try publish(staged, of: materialisation, in: request, as: item, seeing: look)
        }
        if kept != nil { try pruneVersions(of: id, in: domain) }
        return done
    }

    /// A file that took the place of the one that the provider was given, and came to the item's place without the index being
    /// told, is taken out again, while it is what came: ``abandon(_:because:keepingParts:)`` knows the given one only. Where
    /// contents were there before, its stamp says what it is.
    private func takeOut(_ staged: StagedFile, of materialisation: Materialisation) throws {
        let (id, domain) = (materialisation.item.id, materialisation.item.domain)
        guard staged.identity.inode != materialisation.file.identity.inode,
            let (now, location) = try? locate(id, in: domain), now.state == .materialising, now.local == nil,
            let (found, stamp) = unrecordedContents(of: now, at: location), found.inode == staged.identity.inode,
            stamp.matches(found)
        else { return }
        _ = try takeAway(published: found, at: location)
    }

    /// Keeps what was written on this device, and others have replaced at the provider since, as older
    /// contents: it may be nowhere else. What only came from the provider is not kept.
    private func keepWritten(
        _ id: ItemIdentifier, in domain: DomainName, replacedBy newer: ItemVersion
    ) throws -> KeptVersion? {
        do {
            let (item, location) = try locate(id, in: domain)
            guard item.local != nil, !item.isUnsent, let version = item.synced, version.content != newer.content,
                tree.isWritten(at: location, as: version),
                try !index.read({ try $0.keptVersions(of: id, in: domain) })
                    .contains(where: { $0.role == .older && $0.version.content == version.content })
            else { return nil }
            return try keepReplaced(id, asVersionOf: id, in: domain)
        } catch let error as StoppedByObserver {
            throw error
        } catch {
            // What the remote has is not refused for that.
            logger.warning(
                "what was written here could not be kept", metadata: ["item.id": "\(id)", "error": "\(error)"])
            return nil
        }
    }

    private func publish<Seen>(
        _ staged: StagedFile, of materialisation: Materialisation, in request: StagingRequest, as item: Item,
        seeing look: (IndexedItem, IndexReader) throws -> Seen
    ) throws -> (item: IndexedItem, seen: Seen?, generation: UInt64) {
        let (id, domain) = (materialisation.item.id, materialisation.item.domain)
        var needless: PartialContents?
        let (location, ((outcome, done, seen), generation)) = try moves.exclusively {
            let (now, location) = try located(materialisation)
            let file = try tree.publish(
                staged, in: request, at: location, replacing: now.local ?? materialisation.item.local,
                digest: now.proof.digest)
            try reached(.materialisePublished)

            // Need not survive the machine: the file is on disk, and its stamp says whose it is and in which version.
            let recorded = try index.writeSeeing(durably: false) { index in
                let now = try index.known(id, in: domain)
                let before = index.sql.writesCount
                let answered = try index.apply(item, answering: materialisation.item)
                let isNews = index.sql.writesCount != before
                var outcome = answered ?? ApplyOutcome()
                needless = try index.partialContents(of: id, in: domain)
                if let needless { try index.remove(needless) }
                if now.isUnsent, let local = now.local, !local.isUntouched(since: file) {
                    // Somebody has changed it since it was there; or has replaced it, perhaps from what was there before.
                    if local.inode == file.inode {
                        try index.setMaterialised(
                            id, in: domain, version: item.version, file: local, state: now.state, digest: staged.digest)
                    }
                    try index.finish(materialisation.entry)
                } else {
                    try index.setMaterialised(
                        id, in: domain, version: item.version, file: file,
                        state: answered == nil ? .outdated : .materialised, digest: staged.digest)
                    try index.finish(materialisation.entry)
                    try index.removeIfGone(id, in: domain, &outcome)
                }
                if !isNews, !now.isGone { index.touchesOnly(now) }
                let done = try index.item(id, in: domain)
                return (outcome, done, try done.map { try look($0, index) })
            }
            return (location, recorded)
        }
        try? root.placeholders.remove(at: location)
        // What stays because of an error is swept at the next start.
        try? root.staging.end(emptied: request)
        if let needless, needless.staging != materialisation.file.request { discard(request: needless.staging) }
        try reached(.materialiseRecorded)
        try follow(outcome)
        guard let done, outcome.work.isEmpty else { return (try current(id, in: domain), nil, generation) }
        return (done, seen, generation)
    }

    /// Where contents are to go that have come: the item may have been renamed, or somebody may have begun to write to it,
    /// meanwhile; not where nothing was written but of others.
    private func located(_ materialisation: Materialisation) throws -> (item: IndexedItem, location: Location) {
        let item = materialisation.item
        let touched = index.documents(touchedSince: materialisation.generation, until: index.generation)
        if let touched, !touched.contains(where: { $0.id == item.id && $0.domain == item.domain }) {
            return (item, materialisation.location)
        }
        return try index.read { index in
            let (now, location) = try index.located(item.id, in: item.domain)
            try Self.refuseMaterialising(now, at: location, index)
            return (now, location)
        }
    }

    /// Nothing of it stays; the item is what it was before, with the error as its problem. But what had come to its place, and
    /// somebody has written to since or has open to write to, stays, and is the item's contents.
    ///
    /// - Parameter keepingParts: what has come stays all the same, for the next time.
    package func abandon(
        _ materialisation: Materialisation, because error: DocumentError?, keepingParts: Bool = false
    ) throws {
        let (id, domain) = (materialisation.item.id, materialisation.item.domain)
        guard let (now, location) = try? locate(id, in: domain) else {
            // The item went away meanwhile.
            try index.write(durably: false) { index in
                try index.finish(materialisation.entry)
                if let partial = materialisation.partial { try index.remove(partial) }
            }
            return discard(request: materialisation.file.request)
        }
        var isHere = now.local != nil
        // The last step before the index was told may have failed after the file was at its place; or it was left there then.
        if now.state == .materialising, let (file, stamp) = unrecordedContents(of: now, at: location) {
            let isPublished = file.inode == materialisation.file.identity.inode
            if isPublished, stamp.matches(file), try takeAway(published: file, at: location) {
                isHere = false
            } else if isPublished || now.local == nil, try keepContents(of: materialisation, at: location) {
                return
            }
        }
        // Before the index is told: what fills the disk may keep it from being written to.
        if !keepingParts { discard(request: materialisation.file.request) }
        try index.write(durably: false) { index in
            try index.finish(materialisation.entry)
            if !keepingParts, let partial = materialisation.partial { try index.remove(partial) }
            // An edit that was recorded meanwhile is still to be sent.
            guard let now = try index.item(id, in: domain), now.state == .materialising else { return }
            if isHere {
                let isCurrent = now.synced?.content == now.item.version.content
                try index.setState(isCurrent ? .materialised : .outdated, of: id, in: domain)
            } else {
                try index.setPlaceholder(id, in: domain)
            }
            try index.setProblem(error, of: id, in: domain)
        }
        if !isHere { refreshPlaceholder(id, in: domain) }
    }

    /// What lies at an item's place, is its own, and is not what the index knows of it.
    private func unrecordedContents(
        of item: IndexedItem, at location: Location
    ) -> (file: FileIdentity, stamp: ItemStamp)? {
        guard case .file(let file, let stamp?) = place(at: location), stamp.isOf(item.id, in: item.domain),
            file.inode != item.local?.inode
        else { return nil }
        return (file, stamp)
    }

    /// - Returns: false when somebody has written to it meanwhile, or has it open to do so.
    private func takeAway(published file: FileIdentity, at location: Location) throws -> Bool {
        do {
            try tree.removeFile(at: location, expecting: file)
            return true
        } catch let error as DocumentError where error.code == .busy || error.code == .unsyncedEdits {
            return false
        }
    }

    /// What lies at an item's place are its contents from now on, as they would be after a start.
    ///
    /// - Returns: false when they are not there any more.
    private func keepContents(of materialisation: Materialisation, at location: Location) throws -> Bool {
        let (id, domain) = (materialisation.item.id, materialisation.item.domain)
        guard let now = try index.read({ try $0.item(id, in: domain) }),
            let (found, stamp) = unrecordedContents(of: now, at: location)
        else { return false }
        let isChanged = !stamp.matches(found)
        let file = isChanged ? flushed(location) ?? found : found
        discard(request: materialisation.file.request)
        let kept = try index.write { index -> IndexedItem? in
            // Those, too, whose end could not be written down before.
            for entry in try index.journal(of: id, in: domain) where entry.action == .materialise {
                try index.finish(entry)
            }
            if let partial = materialisation.partial { try index.remove(partial) }
            // An edit that was recorded meanwhile is still to be sent.
            guard let now = try index.item(id, in: domain), now.state == .materialising else { return nil }
            try index.adopt(file, of: now, version: stamp.contentVersion, isChanged: isChanged)
            return try index.item(id, in: domain)
        }
        try? root.placeholders.remove(at: location)
        if let kept, kept.state == .changed { keptEdits.kept(kept) }
        return true
    }
}
