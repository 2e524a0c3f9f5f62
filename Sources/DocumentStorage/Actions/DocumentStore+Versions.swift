package import DocumentModel
internal import Logging

/// What was in a document before: the base of each edit until it is sent (VER-13), and older contents.
extension DocumentStore {
    /// How many older contents of a document are kept.
    package static let olderVersions = 10
    /// How many of those that were fetched, besides: they drive out nothing that was here.
    package static let fetchedVersions = 3

    /// Keeps what is about to be written over, where it is the provider's: by sharing its blocks where the file system
    /// can, else as a copy.
    ///
    /// - Parameter versions: what is kept of it already.
    /// - Returns: nil when there is nothing to keep, or no room for it: an edit is not refused for that.
    func keepBase(of item: IndexedItem, at location: Location, besides versions: [KeptVersion]) -> KeptVersion? {
        guard item.state == .materialised || item.state == .outdated, let version = item.synced, let local = item.local
        else { return nil }
        do {
            let isKept = versions.contains { $0.role == .base && $0.version.content == version.content }
            guard !isKept, try tree.file(at: location)?.hasSameContents(as: local) == true else { return nil }
            // What was sent from here counts as written when the provider has it so (VER-12).
            let isCurrent = version.content == item.item.version.content
            let name = try index.read { try $0.currentName(of: item) }
            return KeptVersion(
                itemID: item.id, role: .base, version: version, kept: try root.versions.keep(copyOf: location),
                size: local.size, modified: isCurrent ? max(local.modified, item.item.modified) : local.modified,
                name: name)
        } catch {
            logger.warning(
                "what an edit begins from could not be kept", metadata: ["item.id": "\(item.id)", "error": "\(error)"])
            return nil
        }
    }

    /// Keeps what was not sent of a document, of which there is no other copy, before something takes its place: as older contents.
    ///
    /// - Parameter versions: what is kept of it already.
    /// - Returns: nil when there is nothing to keep.
    func keepUnsent(
        of item: IndexedItem, at location: Location, besides versions: [KeptVersion]
    ) throws -> KeptVersion? {
        guard item.isUnsent, let local = item.local else { return nil }
        // As of who has just asked for it, and was told to try again.
        let isKept = try versions.contains { kept in
            guard kept.role == .older, kept.version == .none, kept.size == local.size, kept.modified == local.modified,
                try root.versions.status(of: kept.kept) != nil
            else { return false }
            return try VersionStore.digest(ofFileAt: root.versions.path(of: kept.kept))
                == VersionStore.digest(ofFileAt: tree.path(of: location))
        }
        guard !isKept else { return nil }
        let name = try index.read { try $0.writtenName(of: local, item) }
        return KeptVersion(
            itemID: item.id, role: .older, version: .none, kept: try root.versions.keep(copyOf: location),
            size: local.size, modified: local.modified, name: name)
    }

    /// Keeps the contents of a document that another one is to replace, as older contents of that one. What is not here
    /// is not kept. It drives out none of the others before it is replaced (``pruneVersions(of:in:)``).
    package func keepReplaced(
        _ id: ItemIdentifier, asVersionOf other: ItemIdentifier, in domain: DomainName
    ) throws -> KeptVersion? {
        let (item, location, name) = try index.read { index in
            let (item, location) = try index.located(id, in: domain)
            return (item, location, try index.currentName(of: item))
        }
        guard let local = item.local, let version = item.synced else { return nil }
        let kept = KeptVersion(
            itemID: other, role: .older, version: version, kept: try root.versions.keep(copyOf: location),
            size: local.size, modified: local.modified, name: name)
        return try index.write { try $0.addKeptVersion(kept, in: domain) }
    }

    /// Removes just this one, of which there is no need after all.
    package func removeVersion(_ version: KeptVersion, in domain: DomainName) throws {
        try drop(index.read { try $0.keptVersions(of: version.itemID, in: domain) }.filter { $0.kept == version.kept })
    }

    /// Forgets the bases of an item that was not changed after all, in the transaction that knows it.
    func dropBases(of item: IndexedItem, _ index: IndexTransaction) throws {
        for base in try index.keptVersions(of: item.id, in: item.domain) where base.role == .base {
            try root.versions.remove(base.kept)
            try index.removeKeptVersion(number: base.number)
        }
    }

    /// Leaves the newest older contents.
    package func pruneVersions(of id: ItemIdentifier, in domain: DomainName) throws {
        versionNews.pruned(try dropSurplus(of: id, in: domain), of: id, in: domain)
    }

    /// The same, for whoever says so.
    func dropSurplus(of id: ItemIdentifier, in domain: DomainName) throws -> [KeptVersion] {
        let surplus = try index.read { try $0.surplusVersions(of: id, in: domain) }
        try drop(surplus)
        return surplus
    }

    /// Drops what newer versions have driven out, and says so.
    func prune(_ surplus: [KeptVersion], of id: ItemIdentifier, in domain: DomainName) throws {
        try drop(surplus)
        versionNews.pruned(surplus, of: id, in: domain)
    }

    /// What a crash, or the end of an item, has left.
    func dropNeedlessVersions() throws {
        for domain in try index.read({ try $0.domains() }) {
            try drop(try index.read { try $0.needlessVersions(in: domain.name) })
        }
    }

    /// The file first: a row without one is found and dropped, a file without a row is found by nobody.
    func drop(_ versions: [KeptVersion]) throws {
        guard !versions.isEmpty else { return }
        for version in versions { try root.versions.remove(version.kept) }
        try index.write(durably: false) { index in
            for version in versions { try index.removeKeptVersion(number: version.number) }
        }
    }

    /// Removes older contents for good (VER-7).
    ///
    /// - Parameter identifiers: nil: all of them.
    /// - Throws: `noSuchItem` for an identifier that names none of its versions, `invalidArgument` for what changes began from
    ///   that were not sent yet. Then none is removed.
    /// - Returns: those that are gone.
    package func removeVersions(
        _ identifiers: Set<String>?, of id: ItemIdentifier, in domain: DomainName
    ) throws -> [KeptVersion] {
        let kept = try index.read { try $0.keptVersions(of: id, in: domain) }
        guard let identifiers else {
            let older = kept.filter { $0.role != .base && $0.role != .side }
            try drop(older)
            return older
        }
        // What was fetched of the remote may have been kept before, as what was here.
        let known = Dictionary(grouping: kept, by: \.identifier)
        let chosen = try identifiers.sorted().flatMap { identifier -> [KeptVersion] in
            guard let versions = known[identifier] else {
                throw DocumentError(
                    .noSuchItem, "There is no version “\(identifier)” of it: docent versions shows them.", itemID: id)
            }
            guard !versions.contains(where: { $0.role == .base }) else {
                throw DocumentError(
                    .invalidArgument,
                    "The version “\(identifier)” is what changes began from that were not sent yet: it goes when they are sent.",
                    itemID: id)
            }
            return versions
        }
        try drop(chosen)
        return chosen
    }

    /// Puts kept contents in a document's place, as a change of it. What was there is kept like what any edit begins
    /// from, so that this can be taken back, too.
    ///
    /// - Parameters:
    ///   - identifier: of a kept version.
    ///   - agreed: it is what the remote has, and no change: what was changed here and not sent is dropped for it, and is
    ///     older contents from then on (VER-14).
    /// - Throws: `noSuchItem` for an identifier that names none of its versions, and where what the remote has was to take the
    ///   place of an edit and the remote has it no more; `inConflict` while it is in conflict.
    package func restore(
        _ identifier: String, of id: ItemIdentifier, in domain: DomainName, agreed: Bool = false
    ) throws -> VersionChange {
        let (before, location) = try locate(id, in: domain)
        guard before.state != .conflict else {
            throw DocumentError(
                .inConflict, "\(location) is in conflict: docent resolve \(location) says which contents it keeps.")
        }
        if agreed { try index.read { try $0.requireThere(before, at: location) } }
        guard
            let version = try index.read({ try $0.keptVersions(of: id, in: domain) })
                .first(where: { $0.identifier == identifier })
        else {
            throw DocumentError(
                .noSuchItem, "\(location) has no version “\(identifier)”: docent versions \(location) shows them.")
        }
        let request = try root.staging.makeRequest()
        defer { try? request.remove() }
        let staged = try root.staging.snapshot(ofFileAt: root.versions.path(of: version.kept), in: request)
        // Without a stamp: after a crash it is a change like any other.
        try root.staging.folder(of: staged).file(staged.name)?.flush()
        let (item, place, kept) = try keepBeforeRestoring(id, in: domain)
        let file = try takingBack {
            guard let local = item.local, try tree.file(at: place)?.hasSameContents(as: local) == true else {
                return
            }
            let names = kept.map(\.kept)
            try drop(
                index.read { try $0.keptVersions(of: item.id, in: domain) }.filter { names.contains($0.kept) })
        } _: {
            try tree.publish(staged, at: place, replacing: item.local, durably: true)
        }
        var interrupted: [JournalEntry] = []
        try index.write { index in
            // What was being sent may have been acknowledged, or refused.
            let now = try index.known(id, in: domain)
            // Where it went on the remote in this moment, what is here is a change, and survives (VER-15).
            guard agreed, try !index.isGoneThere(now) else {
                // Of what was not here nothing is kept: what the remote has is compared with, and both stay.
                let base = now.synced ?? (item.local == nil ? .none : item.item.version)
                return try index.setMaterialised(
                    id, in: domain, version: base, file: file,
                    state: now.isUnsent ? now.state : .changed)
            }
            // An earlier host's sending that nobody has taken up is not to be taken up any more.
            interrupted = try index.journal(of: now.id, in: domain).filter { $0.action == .send }
            for entry in interrupted { try index.finish(entry) }
            try index.retireBases(of: now.id, in: domain)
            try index.forgetUnanswered(of: now)
            let isNewest = now.item.version.content == version.version.content
            try index.setMaterialised(
                id, in: domain, version: version.version, file: file, state: isNewest ? .materialised : .outdated)
            try index.setProblem(nil, of: now.id, in: domain)
        }
        for entry in interrupted { discard(request: entry.payload.staging) }
        try? root.placeholders.remove(at: place)
        let now = try current(id, in: domain)
        // It is the document itself now; unless that went on the remote in this moment, and what is here is a change.
        var lost = agreed && !now.isUnsent ? [version] : []
        try drop(lost)
        lost += try dropSurplus(of: now.id, in: domain)
        return VersionChange(item: now, gained: kept.filter { $0.role == .older }, lost: lost)
    }

    /// Puts what the remote has, and is kept, in the place of an edit that was not sent (VER-14).
    ///
    /// - Returns: nil when there is no such edit any more, or no such version: then nothing was done.
    package func replaceEdit(
        of id: ItemIdentifier, in domain: DomainName, by identifier: String
    ) throws -> VersionChange? {
        let (item, kept) = try index.read { index in
            (try index.item(id, in: domain), try index.keptVersions(of: id, in: domain))
        }
        guard let item, item.isUnsent, item.state != .conflict, kept.contains(where: { $0.identifier == identifier })
        else { return nil }
        return try restore(identifier, of: id, in: domain, agreed: true)
    }

    /// Keeps what a version is about to replace: what the provider has as what the change begins from, and what was not
    /// sent, of which there is no other copy, as older contents.
    ///
    /// - Returns: the item, and what is kept.
    private func keepBeforeRestoring(
        _ id: ItemIdentifier, in domain: DomainName
    ) throws -> (item: IndexedItem, location: Location, kept: [KeptVersion]) {
        while true {
            if try current(id, in: domain).local != nil { _ = try recordChange(of: id, in: domain) }
            let (item, location, versions) = try index.read { index in
                let (item, location) = try index.located(id, in: domain)
                return (item, location, try index.keptVersions(of: item.id, in: domain))
            }
            var kept = [keepBase(of: item, at: location, besides: versions)].compactMap { $0 }
            if let unsent = try keepUnsent(of: item, at: location, besides: versions) { kept.append(unsent) }
            let isStill = try index.write { index in
                guard try index.isStill(item, at: location) else { return false }
                for version in kept { try index.addKeptVersion(version, in: domain) }
                return true
            }
            if isStill { return (item, location, kept) }
            for version in kept { try root.versions.remove(version.kept) }
        }
    }
}

extension IndexReader {
    /// Older contents of a document beyond those that are kept, and what was fetched beyond that, or became the document. What
    /// was here before, and is once more, is none of the older ones meanwhile.
    func surplusVersions(of id: ItemIdentifier, in domain: DomainName) throws -> [KeptVersion] {
        let kept = try keptVersions(of: id, in: domain)
        guard !kept.isEmpty else { return [] }
        let fetched = kept.filter { $0.role == .fetched }
        let now = try item(id, in: domain)
        let current = try now.map { try currentName(of: $0) }
        let have = now.flatMap { $0.local == nil || $0.isUnsent ? nil : $0.synced?.content }
        let older = kept.filter { $0.role == .older && $0.identifier != current }
        return older.dropFirst(DocumentStore.olderVersions)
            + fetched.filter { $0.version.content == have }
            + fetched.filter { $0.version.content != have }.dropFirst(DocumentStore.fetchedVersions)
    }
}
