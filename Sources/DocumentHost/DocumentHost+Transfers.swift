public import DocumentModel
import DocumentStorage

extension DocumentHost {
    /// Has the contents of a document, or of everything below a folder, here (DOWN-1). When the tool that asked is gone, they
    /// come in the background.
    public func download(
        _ location: Location, onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .import], for: "downloaded")
        try await follower.freshen(domain)
        let item = try await resolver.resolve(location, in: domain)
        try await pinKeeper.outlivingAsker(item) { () async throws(DocumentError) in
            try await download(item, domain, onProgress)
        }
    }

    private func download(
        _ item: IndexedItem, _ domain: Domain, _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) {
        guard item.item.kind != .document else {
            if item.state == .nameClash { return }
            let item = try await disk.lookIfUnused(item)
            return item.isCurrent ? () : try await downloader.bringWhenResumed(item, of: domain, onProgress)
        }
        let download = TreeDownload(
            storage: storage, requests: board.requests,
            list: { [follower] folder throws(DocumentError) in try await follower.list(folder.id, of: domain) },
            wanted: { [disk] item throws(DocumentError) in
                let item = try await disk.lookIfUnused(item)
                return item.isCurrent ? nil : item
            },
            bring: { [downloader] item throws(DocumentError) in
                try await downloader.bring(item, of: domain, onProgress)
            })
        try await download(item, waitingFor: pauses)
    }

    /// Leaves only placeholders (XFER-9).
    public func evict(_ location: Location) async throws(DocumentError) -> (documents: Int, bytes: UInt64) {
        let domain = try domains.domain(location.domain)
        try domain.requireVisible()
        let item = try await resolver.resolve(location, in: domain)
        reviewPresenters()
        let outcome = try await evictor.evict(item, at: location, on: domain)
        return (outcome.documents, outcome.bytes)
    }

    /// Returns when everything at or below the location is sent.
    ///
    /// - Throws: what keeps it from being sent. It stays kept, and is tried again.
    public func waitUntilSent(
        _ location: Location, onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) {
        _ = try domains.domain(location.domain)
        if let item = try storage.read({ try $0.item(at: location) }), item.isArriving,
            let refusal = try hold(on: item, at: location)
        {
            throw refusal
        }
        // What changes while we wait counts too, but not for ever.
        for _ in 0..<10 {
            let unsent = try storage.read { try $0.unsentAndMeant(below: location) }
            if unsent.isEmpty { return }
            // What was said about it ends by nothing but that somebody says otherwise.
            for (item, location, marks) in unsent {
                if let refusal = Self.hold(by: marks, at: location) { throw refusal }
                try checkNotInside(item, at: location)
            }
            sender.hurry(unsent.map(\.item.key))
            for (item, _, _) in unsent {
                try await sender.send(item.key, unlessExcluded: true, onProgress: onProgress)
            }
        }
        throw DocumentError(
            .busy, "\(location) is changed again as soon as it is sent; what is not sent yet is sent later.")
    }

    /// Ends a conflict.
    ///
    /// - Parameter name: with `both`, what the new document is called; nil: after the document, with the date.
    public func resolveConflict(
        at location: Location, keeping choice: ConflictResolution, as name: ItemName? = nil
    ) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        while true {
            let item = try await resolver.resolve(location, in: domain)
            if item.isToComeBeforeReplaced, choice == .remote, item.item.conflictVersions > 0 {
                // What is put in its place begins from what the remote has now, which is kept as a version.
                try await download(location)
                continue
            }
            if try await resolution.resolve(item, at: location, keeping: choice, as: name, on: domain) { return }
        }
    }
}
