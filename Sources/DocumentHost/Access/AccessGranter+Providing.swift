import DocumentModel
import DocumentStorage
import FileCoordination

/// What a claim needs is brought before it is granted (COORD-9, DOWN-2).
extension AccessGranter {
    /// COORD-9: contents first, under the claim.
    ///
    /// - Returns: what is paused, so that not all is here.
    func provide(
        _ wanted: CoordinatedItem, for request: AccessRequest, by owner: ClaimOwner, looking: Bool,
        _ coming: ComingContents?, _ onProgress: (@Sendable (TransferProgress?) -> Void)?
    ) async throws(DocumentError) -> IndexedItem? {
        guard case .item(let key) = wanted.subject else { return nil }
        let found = try current(key, wanted.location)
        var item = found.item
        if looking, !storage.isAsRecorded(item, at: found.onDisk) { item = try await disk.look(item) }
        guard item.item.kind == .document else {
            // A package is one document; a folder is wanted as one for uploading only (COORD-14, COORD-21).
            guard item.item.kind == .package || request.isForUploading else { return nil }
            if looking { try await lookAtParts(of: item) }
            do throws(DocumentError) {
                return try await pinKeeper.outlivingAsker(item) { () async throws(DocumentError) -> IndexedItem? in
                    let paused = try await contents.bring(
                        item, of: try domains.domain(key.domain),
                        started: { [providing] in providing.started($0, for: key) },
                        onProgress)
                    if paused != nil { providing.gaveUp(on: key) }
                    return paused
                }
            } catch {
                providing.gaveUp(on: key)
                throw error
            }
        }
        guard !item.isCurrent, item.state != .outdated else { return nil }
        if let coming {
            do throws(DocumentError) {
                if try await begin(coming, item, at: wanted.location, for: request, by: owner) { return nil }
            } catch {
                guard error == Self.comesLater else { throw error }
                return item
            }
        }
        let cause = request.mayReadAhead && !owner.isRestricted ? who(request, owner) : nil
        let now = try await readAhead.whileWaiting(for: item, causedBy: cause) {
            () async throws(DocumentError) -> IndexedItem? in
            try await pinKeeper.outlivingAsker(item) { () async throws(DocumentError) -> IndexedItem? in
                try await materialiser.materialiseUntilPaused(
                    item, of: try domains.domain(key.domain), onProgress: onProgress)
            }
        }
        guard let now else { return item }
        count(now, at: wanted.location, for: request, by: owner)
        return nil
    }

    private func who(_ request: AccessRequest, _ owner: ClaimOwner) -> String {
        request.onBehalf.map { "\($0), through \(owner.name)" } ?? owner.name
    }

    /// Contents have come for somebody.
    func count(_ item: IndexedItem, at location: Location, for request: AccessRequest, by owner: ClaimOwner) {
        brought.add(who(request, owner), bytes: UInt64(clamping: item.local?.size ?? 0), at: location)
    }

    func makeSnapshots(of wanted: [CoordinatedItem], in snapshots: Snapshots) async throws(DocumentError) {
        for item in wanted {
            var file = item.location
            var parts: [ArchivedItem]?
            if case .item(let key) = item.subject {
                let now = try current(key, item.location)
                file = now.onDisk
                if item.kind != .document { parts = try contents.parts(of: now.item, at: item.location) }
            }
            snapshots.add(
                try await storage.run { [file, parts] store in
                    let request = try store.root.staging.makeRequest()
                    do {
                        let made =
                            try parts.map { try store.root.staging.archive($0, in: request) }
                            ?? store.root.staging.snapshot(of: file, in: request)
                        return (request, made.path)
                    } catch {
                        try? request.remove()
                        throw error
                    }
                })
        }
    }
}

extension AccessRequest {
    /// Whether others of the folder may be fetched ahead: it is of one document, which may be read in its place.
    fileprivate var mayReadAhead: Bool {
        intent == .reading && readingOptions.contains(.readingAhead) && also.isEmpty && bookmark == nil
    }

    fileprivate var isForUploading: Bool { intentions.contains { $0.readingOptions.contains(.forUploading) } }
}
