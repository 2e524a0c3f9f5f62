public import DocumentModel
import DocumentStorage

extension DocumentHost {
    /// The contents that a document has, and those that are kept beside it: the current ones first.
    ///
    /// - Throws: `noSuchItem` for what is not there, `invalidArgument` for a folder.
    public func versions(at location: Location) async throws(DocumentError) -> [DocumentVersion] {
        let (_, item) = try await document(at: location)
        var versions = try keeper.versions(of: item)
        if item.state != .outdated, await thumbnailDesk.hasThumbnail(item),
            let ours = versions.firstIndex(where: \.isInPlace),
            versions[ours].kind == .current || item.state != .conflict
        {
            versions[ours].hasThumbnail = true
        }
        return versions
    }

    /// Puts kept contents in a document's place, as a change of it that is sent; what was there is kept.
    ///
    /// - Parameter version: the identifier of one of its versions, or ``DocumentVersion/inPlace``.
    /// - Throws: `noSuchItem` for an identifier that names none of them, `inConflict` while it is in conflict.
    public func restore(_ version: String, at location: Location) async throws(DocumentError) {
        while true {
            let (domain, item) = try await document(at: location)
            try domain.requireModifying(location)
            try item.requireWritable(at: location)
            // One that is not here yet is brought first (VER-8).
            let side = try storage.read { try $0.unresolvedSides(of: item) }.first { $0.identifier == version }
            if let side, item.state != .conflict {
                if item.isToComeBeforeReplaced { try await download(location) }
                if try await resolution.put(side, of: item, at: location, on: domain) { return }
                continue
            }
            let chosen = try keeper.versions(of: item).first { $0.isNamed(version) }
            if let chosen, chosen.kind == .remote, chosen.path == nil {
                _ = try await fetcher.fetch(item, at: location, on: domain) { _ in }
            }
            // What is there now is kept as a version: it would be nowhere any more.
            if chosen?.isInPlace == false, item.local == nil, item.isToComeBeforeReplaced {
                try await download(location)
                continue
            }
            if try await keeper.restore(version, of: item, at: location, on: domain) { return }
        }
    }

    /// Brings what the remote has of a document now beside what is here, as a version of it, also where its transfers are
    /// paused (VER-8, VER-14); and the sides of conflicts that other devices have left there. A document that is not here is
    /// downloaded.
    ///
    /// - Throws: `noSuchItem` for what is not there, here or on the remote; `invalidArgument` for a folder.
    public func fetchRemoteVersion(
        at location: Location, onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) {
        let (domain, item) = try await document(at: location)
        for side in try storage.read({ try $0.unresolvedSides(of: item) }) {
            _ = try await resolution.sides.fetch(side, of: item, at: location, on: domain, onProgress)
        }
        guard item.local != nil || item.isUnsent else { return try await download(location, onProgress: onProgress) }
        _ = try await fetcher.fetch(try await disk.lookIfUnused(item), at: location, on: domain, onProgress)
    }

    /// Ends the pause of one document, and says what becomes of changes of it that were not sent (VER-14).
    ///
    /// - Throws: `localVersionConflicting` with `failOnConflict` when the remote was changed, too; `cannotSynchronize` when a
    ///   folder around it is paused, or it is paused anew meanwhile; `busy` when somebody else resumes it, too;
    ///   `excludedFromSync`; `invalidArgument` for a folder; what keeps it from being sent or fetched. Then it stays paused,
    ///   with all that is here.
    public func resume(_ location: Location, _ behavior: ResumeBehavior) async throws(DocumentError) {
        let (domain, item) = try await document(at: location)
        try domain.requireVisible()
        guard behavior != .keepBoth else { return try await setPaused(false, at: location) }
        try checkNotInside(item, at: location)
        if try storage.read({ try $0.isPausedAround(item) }) {
            throw DocumentError(
                .cannotSynchronize,
                "A folder around \(location) is paused, or its domain: docent resume lets that go on; docent pause \(location) beforehand keeps this one waiting."
            )
        }
        var marks = try storage.read { try $0.marks(of: item) }
        marks.isPaused = false
        if let refusal = Self.hold(by: marks, at: location) { throw refusal }
        let resuming = try pauses.beginResuming(item, at: location)
        defer { pauses.end(resuming) }
        try await resumption(resuming).settle(item, at: location, behavior, on: domain)
        let isOver = try await storage.write { [pauses] index in
            guard pauses.isGoingOn(resuming) else { return false }
            // It may have another name by now, or have been made anew.
            if let now = try index.item(row: item.row, in: item.domain) {
                try index.setPaused(false, of: now.id, in: now.domain)
            }
            return true
        }
        guard isOver else {
            throw DocumentError(
                .cannotSynchronize, "\(location) was paused anew while it was resumed, and stays paused.")
        }
        try await marksChanged(in: item.domain)
    }

    private func resumption(_ resuming: PauseGate.Resuming) -> Resumption {
        Resumption(
            storage: storage, broker: broker, locks: locks,
            claims: ReplacingClaim(storage: storage, broker: broker, owner: owner), disk: disk, pauses: pauses,
            resuming: resuming, sender: sender, fetcher: fetcher)
    }

    private var fetcher: RemoteVersionFetcher {
        RemoteVersionFetcher(storage: storage, broker: broker, locks: locks, fetches: versionFetches)
    }

    /// Removes versions of a document for good, under a claim to write it (VER-7). To remove one side of an unresolved conflict
    /// resolves it: the other one stays, as ``resolveConflict(at:keeping:as:)`` does it.
    ///
    /// - Parameter versions: identifiers of its versions; empty: all older ones.
    /// - Throws: `noSuchItem` for an identifier that names none of them; `invalidArgument` for the current version, and for what
    ///   changes began from that were not sent yet; `inConflict` for all while it is in conflict. Then none is removed.
    public func removeVersions(_ versions: [String], at location: Location) async throws(DocumentError) {
        while true {
            let (_, item) = try await document(at: location)
            switch try await keeper.remove(versions, of: item, at: location) {
            case .done: return
            case .renamed: continue
            case .resolves(let choice): return try await resolveConflict(at: location, keeping: choice)
            }
        }
    }

    private func document(at location: Location) async throws(DocumentError) -> (Domain, IndexedItem) {
        let domain = try domains.domain(location.domain)
        try domain.require([.open], for: "opened")
        let item = try await resolver.resolve(location, in: domain)
        guard item.item.kind == .document else {
            let kind = item.item.kind == .package ? "package" : "folder"
            throw DocumentError(.invalidArgument, "\(location) is a \(kind); only documents have versions.")
        }
        return (domain, item)
    }

    private var keeper: VersionKeeper {
        VersionKeeper(
            storage: storage, broker: broker, sender: sender, owner: owner, deviceName: configuration.deviceName,
            resolution: resolution)
    }
}

extension IndexedItem {
    /// What the remote has of it is not here: it would be in no version when other contents of a version take its place.
    var isToComeBeforeReplaced: Bool {
        !isGone && !isUnsent && (local == nil || state == .outdated)
    }
}
