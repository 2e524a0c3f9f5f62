import DocumentModel
import DocumentStorage
import FileCoordination
import SystemPackage

extension ConflictResolver {
    /// Ends what other devices have left at the remote of their sides of conflicts (VER-5, VER-6). None: it is resolved
    /// already, and once more is harmless.
    ///
    /// - Returns: false when it was renamed while it was waited for: nothing is done then.
    func resolveSides(
        of item: IndexedItem, at location: Location, keeping choice: ConflictResolution, as name: ItemName?,
        on domain: Domain
    ) async throws(DocumentError) -> Bool {
        let unresolved = try storage.read { try $0.unresolvedSides(of: item) }
        guard let first = unresolved.first else { return true }
        try domain.requireModifying(location)
        // Its sides could not be removed there either.
        try item.requireWritable(at: location)
        switch choice {
        case .local: break
        case .remote:
            guard unresolved.count == 1 else {
                throw DocumentError(
                    .inConflict,
                    "Of \(location) \(unresolved.count) other sides are kept: docent versions \(location) shows them, docent restore \(location) with one of them puts it in place, and docent versions \(location) --remove drops one.",
                    itemID: item.id)
            }
            return try await put(first, of: item, at: location, on: domain)
        case .both:
            guard name == nil || unresolved.count == 1 else {
                throw DocumentError(
                    .invalidArgument,
                    "Of \(location) \(unresolved.count) other sides are kept: there is more than one document to be named."
                )
            }
            // Equal contents are no conflict (VER-15), and nothing to be kept twice.
            var known = try await digest(of: item).map { Set([$0]) } ?? []
            for side in unresolved {
                let kept = try await sides.fetch(side, of: item, at: location, on: domain) { _ in }
                let contents = storage.store.root.versions.path(of: kept.kept)
                let digest = try await storage.run { _ in try VersionStore.digest(ofFileAt: contents) }
                guard known.insert(digest).inserted else {
                    try await settle([side], of: item)
                    continue
                }
                try await send(
                    contents, modified: kept.modified, of: [kept.kept], asCopyOf: item, at: location, as: name,
                    on: domain)
                try await settle([side], of: item)
            }
            return true
        }
        try await settle(unresolved, of: item)
        return true
    }

    /// Of what a document has, here and on the remote; nil where that is not known to be the same.
    private func digest(of item: IndexedItem) async throws(DocumentError) -> [UInt8]? {
        try await storage.run { store in
            let found = try store.root.index.read { index -> (Location, FileIdentity)? in
                guard let now = try index.item(item.id, in: item.domain), now.state == .materialised,
                    let file = now.local, let place = try index.diskLocation(of: now.id, in: now.domain)
                else { return nil }
                return (place, file)
            }
            guard let (place, file) = found, try store.root.tree.file(at: place) == file else { return nil }
            let digest = try VersionStore.digest(ofFileAt: store.root.tree.path(of: place))
            return try store.root.tree.file(at: place) == file ? digest : nil
        }
    }

    /// Puts a side in the document's place, as a change of it that is sent; what was there is kept as a version here. It
    /// is resolved by that.
    ///
    /// - Returns: false when it was renamed while it was waited for: nothing is done then.
    func put(
        _ side: RemoteSide, of item: IndexedItem, at location: Location, on domain: Domain
    ) async throws(DocumentError) -> Bool {
        let kept = try await sides.fetch(side, of: item, at: location, on: domain) { _ in }
        let claims = ReplacingClaim(storage: storage, broker: broker, owner: owner)
        guard let claim = try await claims(on: item, at: location) else { return false }
        defer { broker.end(claim) }
        let coordinated = try storage.read { try $0.coordinated(item) }
        let change = try await locks.withLock(item.key) { () async throws(DocumentError) in
            try await storage.run { try $0.restore(kept.identifier, of: item.id, in: item.domain) }
        }
        broker.versions(change, of: coordinated, in: claim)
        try await settle([side], of: item, in: claim)
        sender.enqueue(change.item.key)
        return true
    }

    /// They are resolved: presenters hear of it (COORD-27), and the remote as soon as that can be.
    func settle(_ settled: [RemoteSide], of item: IndexedItem, in claim: ClaimID? = nil) async throws(DocumentError) {
        guard !settled.isEmpty else { return }
        try await storage.run { try $0.settle(settled) }
        let coordinated = try storage.read { try $0.coordinated(item) }
        for side in settled {
            broker.version(side.identifier, .resolved, of: coordinated, in: claim)
            broker.version(side.identifier, .lost, of: coordinated, in: claim)
        }
    }
}
