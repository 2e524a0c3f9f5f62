public import DocumentModel
import DocumentStorage
import FileCoordination

extension DocumentHost {
    /// Has the contents of a document, or of everything below a folder, here (DOWN-1).
    public func download(
        _ location: Location, onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .import], for: "downloaded")
        try await follower.freshen(domain)
        let item = try await resolver.resolve(location, in: domain)
        try await download(item, domain, onProgress)
    }

    private func download(
        _ item: IndexedItem, _ domain: Domain, _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) {
        guard item.item.kind != .document else {
            if item.isCurrent || item.state == .nameClash { return }
            return try await downloadOne(item, domain, onProgress)
        }
        try await follower.list(item.id, of: domain)
        var cursor: ChildCursor?
        repeat {
            let after = cursor
            let page = try storage.read { try $0.children(of: item.id, in: domain.name, after: after, limit: 200) }
            let documents = page.items.filter { $0.item.kind == .document && !$0.isCurrent && $0.state != .nameClash }
            try await downloadAll(documents, domain, onProgress)
            for folder in page.items where folder.item.kind != .document && folder.state != .nameClash {
                try await download(folder, domain, onProgress)
            }
            cursor = page.next
        } while cursor != nil
    }

    /// Several at a time, so that a provider with a slow remote is kept busy.
    private func downloadAll(
        _ items: [IndexedItem], _ domain: Domain, _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) {
        let permits = Permits(16)
        let failure = await withTaskGroup(of: DocumentError?.self) { group in
            for item in items {
                group.addTask { [self] in
                    await permits.withPermit {
                        do throws(DocumentError) {
                            try await downloadOne(item, domain, onProgress)
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
            }
            var first: DocumentError?
            for await error in group where first == nil { first = error }
            return first
        }
        if let failure { throw failure }
    }

    /// Under a claim, since an outdated file is replaced.
    private func downloadOne(
        _ item: IndexedItem, _ domain: Domain, _ onProgress: @escaping @Sendable (TransferProgress?) -> Void
    ) async throws(DocumentError) {
        let claim = try await broker.claim(
            try storage.read { try $0.coordinated(item) },
            for: item.state == .outdated ? .writing(.forReplacing) : .reading, by: owner)
        defer { broker.end(claim) }
        _ = try await materialiser.materialise(item, of: domain, onProgress: onProgress)
    }

    /// Leaves only placeholders (XFER-9).
    public func evict(_ location: Location) async throws(DocumentError) -> (documents: Int, bytes: UInt64) {
        let domain = try domains.domain(location.domain)
        let item = try await resolver.resolve(location, in: domain)
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
        // What changes while we wait counts too, but not for ever.
        for _ in 0..<10 {
            let unsent = try storage.read { try $0.present(below: location) }.filter(\.item.isUnsent)
            if unsent.isEmpty { return }
            for (item, _) in unsent { try await sender.send(item.key, onProgress: onProgress) }
        }
        throw DocumentError(
            .busy, "\(location) is changed again as soon as it is sent; what is not sent yet is sent later.")
    }

    /// Ends a conflict.
    public func resolveConflict(
        at location: Location, keeping choice: ConflictResolution
    ) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        let item = try await resolver.resolve(location, in: domain)
        try await resolution.resolve(item, at: location, keeping: choice, on: domain)
    }

    /// What is where, what is under way, and what is wrong.
    public func status(
        below location: Location? = nil
    ) async throws(DocumentError) -> (domains: [DomainStatus], items: [ItemStatus]) {
        if let location { _ = try domains.domain(location.domain) }
        let records = try storage.read { try $0.domains() }
            .filter { location == nil || $0.name == location?.domain }
        var statuses: [DomainStatus] = []
        var items: [ItemStatus] = []
        for record in records.sorted(by: { $0.name < $1.name }) {
            let below = location ?? Location(domain: record.name)
            try storage.read { index in
                let counts = try index.counts(of: record.name)
                var status = DomainStatus(
                    domain: describe(record), items: UInt64(counts.documents + counts.folders))
                for (item, place) in try index.present(below: Location(domain: record.name)) {
                    if let local = item.local {
                        status.materialised += 1
                        status.materialisedBytes += UInt64(max(local.size, 0))
                    }
                    if item.isUnsent { status.unsent += 1 }
                    if item.state == .conflict { status.conflicts += 1 }
                    let isSettled = (item.state == .materialised || item.state == .placeholder) && item.problem == nil
                    if !isSettled, place.components.starts(with: below.components) {
                        items.append(try self.status(of: item, index))
                    }
                }
                statuses.append(status)
            }
        }
        return (statuses, items)
    }
}
