import DocumentModel
import DocumentStorage
import DocumentSync
import FileCoordination
import SystemPackage

/// A document's versions: which there are, and one of them back in its place (VER-1, VER-5).
struct VersionKeeper: Sendable {
    let storage: StorageThreads
    let broker: CoordinationBroker
    let sender: Sender
    let owner: ClaimOwner
    /// What this device is called.
    let deviceName: String
    let resolution: ConflictResolver

    /// What a removal of versions has come to.
    enum Removal: Sendable {
        case done
        /// One side of a conflict was chosen, and is still to go.
        case resolves(ConflictResolution)
        /// The document was renamed while it was waited for: nothing was done.
        case renamed
    }

    /// The current one first; then the other sides of a conflict, what it began from, and older ones, the newest first.
    func versions(of item: IndexedItem) throws(DocumentError) -> [DocumentVersion] {
        let versions = storage.store.root.versions
        return try storage.read { index in
            let conflicts = try index.conflicts(in: item.domain).filter { $0.itemID == item.id }
            let keptVersions = try index.keptVersions(of: item.id, in: item.domain)
            var found = try self.sides(of: item, conflicts.last, keptVersions, index)
            for conflict in conflicts.dropLast() {
                let file = try versions.status(of: conflict.kept)
                found.append(
                    DocumentVersion(
                        id: conflict.identifier, kind: .conflict,
                        path: versions.path(of: conflict.kept).string, size: file?.size,
                        modified: file?.modified ?? .zero,
                        device: conflict.device.orNil ?? DocumentVersion.anotherDevice, reason: conflict.reason.orNil))
            }
            let remote = item.newerRemoteVersion(besides: conflicts)
            let name = try remote.map { try index.contentsName(of: $0, of: item) }
            let fetched = remote.flatMap { remote in
                // What was here before, and is what the remote has once more, is known by its name alone.
                keptVersions.first { $0.isRemote(remote, of: item.id) }
                    ?? keptVersions.first { $0.role == .older && $0.identifier == name }
            }
            if let name, fetched == nil {
                // Listed without its contents, which are not here (VER-8).
                found.append(
                    DocumentVersion(id: name, kind: .remote, size: item.item.size, modified: item.item.modified))
            }
            var listed = self.listed(item, found, conflicts)
            for kept in keptVersions where kept.role != .side {
                // Those of the remote's that are kept twice, or are the current ones once more, are listed once.
                let isNew = listed.insert(ListedContents(id: kept.identifier, version: kept.version.content)).inserted
                guard isNew || kept.role == .base || kept.number == fetched?.number else { continue }
                // It became the document since.
                if kept.role == .fetched, item.local != nil, !item.isUnsent,
                    kept.version.content == item.synced?.content
                {
                    continue
                }
                let kind: DocumentVersion.Kind = kept.role == .base ? .base : .older
                found.append(
                    DocumentVersion(
                        id: kept.identifier, kind: kept.number == fetched?.number ? .remote : kind,
                        path: versions.path(of: kept.kept).string, size: kept.size, modified: kept.modified,
                        // What no provider has ever had was saved here.
                        device: kept.version == .none ? deviceName.orNil : kept.device.orNil))
            }
            return found
        }
    }

    /// Which contents of the remote's are listed, and by which name.
    private func listed(
        _ item: IndexedItem, _ found: [DocumentVersion], _ conflicts: [ConflictRecord]
    ) -> Set<ListedContents> {
        var listed = Set(conflicts.map { ListedContents(id: $0.identifier, version: $0.remote.content) })
        // What was changed here, and what has no version, may be anything; what is not here may be kept all the same.
        if let current = found.first(where: \.isInPlace), item.local != nil, !item.isUnsent,
            let version = item.synced?.content, !version.isEmpty
        {
            listed.insert(ListedContents(id: current.id, version: version))
        }
        return listed
    }

    private struct ListedContents: Hashable {
        var id: String
        var version: [UInt8]
    }

    /// The contents that a document has or might have: what lies in its file, or would, the newest of the other sides of a
    /// conflict that was found here, and what other devices have left at the remote. Who wins comes first.
    private func sides(
        of item: IndexedItem, _ conflict: ConflictRecord?, _ keptVersions: [KeptVersion], _ index: IndexReader
    ) throws -> [DocumentVersion] {
        let versions = storage.store.root.versions
        let place = try index.diskLocation(of: item.id, in: item.domain)
        // What was sent counts as the remote says, whatever the file's time is: the clock here may be wrong.
        let isOwn = item.isUnsent || item.state == .outdated
        // What the remote keeps of it counts as all others see it, although the same may be in conflict with others by now.
        let kept = try index.writtenElsewhere(of: item)
        let ours = DocumentVersion(
            id: try index.currentName(of: item), kind: .conflict,
            path: item.local == nil ? nil : place.map { self.storage.store.root.tree.path(of: $0).string },
            size: item.local?.size ?? item.item.size,
            modified: kept ?? (isOwn ? item.local?.modified ?? item.item.modified : item.item.modified),
            isInPlace: true, device: isSavedHere(item, at: place) ? deviceName.orNil : nil)
        var contest = ConflictContest()
        let written = item.isUnsent ? ours.modified : item.item.modified
        contest.add(ours, written: try kept ?? written.following(index.conflictBase(of: item)?.modified))
        if let conflict {
            let file = try versions.status(of: conflict.kept)
            contest.add(
                DocumentVersion(
                    id: conflict.identifier, kind: .conflict,
                    path: versions.path(of: conflict.kept).string, size: file?.size, modified: file?.modified ?? .zero,
                    device: conflict.device.orNil, reason: conflict.reason.orNil))
        }
        for side in try index.unresolvedSides(of: item) {
            let kept = try keptVersions.first { kept in
                try kept.role == .side && kept.identifier == side.identifier && versions.status(of: kept.kept) != nil
            }
            contest.add(
                DocumentVersion(
                    id: side.identifier, kind: .conflict, path: kept.map { versions.path(of: $0.kept).string },
                    size: kept?.size ?? side.size, modified: side.modified, device: side.device.orNil,
                    reason: Self.sideReason),
                digest: side.digest)
        }
        let sides = try contest.decided { try VersionStore.digest(ofFileAt: FilePath($0)) }
        return sides.count > 1 ? sides.map(Self.naming) : sides
    }

    /// Whether a document's contents were written on this device, as far as is known.
    private func isSavedHere(_ item: IndexedItem, at place: Location?) -> Bool {
        if item.isUnsent { return true }
        guard let place, let version = item.synced else { return false }
        return storage.store.root.tree.isWritten(at: place, as: version)
    }

    /// Who has saved a side of a conflict is told in any case (VER-9): where the provider does not say it, it was not this device.
    private static func naming(_ side: DocumentVersion) -> DocumentVersion {
        var side = side
        side.device = side.device ?? DocumentVersion.anotherDevice
        return side
    }

    private static let sideReason =
        "The document was changed on two devices since both had the same contents; the remote keeps this side until somebody has chosen."

    /// Removes versions for good (VER-7).
    ///
    /// - Parameter chosen: empty: all older ones.
    /// - Returns: what becomes of a conflict, one side of which was chosen.
    func remove(
        _ chosen: [String], of item: IndexedItem, at location: Location
    ) async throws(DocumentError) -> Removal {
        var resolution: ConflictResolution?
        var older: Set<String> = []
        let known = try versions(of: item)
        // What other devices have left at the remote is resolved one by one.
        let sides = try storage.read { try $0.unresolvedSides(of: item) }.filter { chosen.contains($0.identifier) }
        if !sides.isEmpty { try item.requireWritable(at: location) }
        if chosen.isEmpty, known.contains(where: { $0.kind == .conflict }) {
            throw DocumentError(
                .inConflict,
                "\(location) is in conflict: docent resolve \(location) says which contents it keeps; then its other versions can be removed."
            )
        }
        for identifier in chosen {
            guard let version = known.first(where: { $0.isNamed(identifier) }) else {
                throw DocumentError(
                    .noSuchItem, "\(location) has no version “\(identifier)”: docent versions \(location) shows them.")
            }
            switch version.kind {
            case .current:
                let advice =
                    version.isInPlace
                    ? "remove the document itself, or change it"
                    : "docent resolve \(location) says which contents it keeps"
                throw DocumentError(
                    .invalidArgument, "“\(identifier)” is the current version of \(location): \(advice).")
            case .conflict where sides.contains { $0.identifier == identifier }: continue
            case .conflict: resolution = version.isInPlace ? .remote : .local
            case .base, .older: older.insert(identifier)
            case .remote:
                guard version.path != nil else {
                    throw DocumentError(
                        .invalidArgument,
                        "“\(identifier)” is what the remote has of \(location): nothing of it is here that could be removed."
                    )
                }
                older.insert(identifier)
            }
        }
        let done: Removal = resolution.map { .resolves($0) } ?? .done
        guard chosen.isEmpty || !older.isEmpty || !sides.isEmpty else { return done }
        let coordinated = try storage.read { try $0.coordinated(item) }
        // Its contents stay as they are: who has it open need not do anything about that, and hears of the versions.
        let claim = try await broker.claim { id in
            Claim(
                id: id, owner: owner.onBehalf,
                intentions: [AccessIntention(coordinated, .writing(.contentIndependentMetadataOnly))],
                nestedIn: EnclosingClaims.current)
        }.id
        defer { broker.end(claim, effects: [.unchanged]) }
        let now = try storage.read { try $0.coordinated(item).location }
        guard now == location || item.state == .nameClash else { return .renamed }
        let names = chosen.isEmpty ? nil : older
        let gone = try await storage.run { try $0.removeVersions(names, of: item.id, in: item.domain) }
        for version in gone { broker.version(version.identifier, .lost, of: coordinated, in: claim) }
        try await self.resolution.settle(sides, of: item, in: claim)
        return done
    }

    /// Puts kept contents in the document's place, as a change of it that is sent.
    ///
    /// - Returns: false when it was renamed while it was waited for: nothing is done then.
    func restore(
        _ version: String, of item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        guard try !versions(of: item).contains(where: { $0.isInPlace && $0.isNamed(version) }) else {
            throw DocumentError(
                .invalidArgument,
                "“\(version)” is what \(location) has already: docent versions \(location) shows what else there is."
            )
        }
        guard let claim = try await claims(on: item, at: location) else { return false }
        defer { broker.end(claim) }
        let coordinated = try storage.read { try $0.coordinated(item) }
        let change = try await storage.run { try $0.restore(version, of: item.id, in: domain.name) }
        broker.versions(change, of: coordinated, in: claim)
        sender.enqueue(change.item.key)
        return true
    }

    private var claims: ReplacingClaim { ReplacingClaim(storage: storage, broker: broker, owner: owner) }
}

extension String {
    fileprivate var orNil: String? { isEmpty ? nil : self }
}
