package import DocumentModel

/// Documents that were changed here and on the remote.
extension DocumentStore {
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
