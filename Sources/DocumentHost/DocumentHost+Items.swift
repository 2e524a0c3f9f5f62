public import DocumentModel
import DocumentStorage
import Logging
import ProviderLauncher
import SystemPackage

extension DocumentHost {
    /// One page of a folder's items. The first page of a folder that is not known completely lists it at the provider.
    public func items(
        in location: Location, page: PageToken?, suggestedCount: Int, refreshing: Bool,
        onProgress: @escaping @Sendable (TransferProgress?) -> Void = { _ in }
    ) async throws(DocumentError) -> ItemStatusPage {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .import], for: "listed")
        if page == nil { try await freshen(domain, asking: true) }
        let folder = try await resolver.resolve(location, in: domain)
        guard folder.item.kind == .folder else {
            throw DocumentError(.invalidArgument, "\(location) is not a folder; docent stat shows it.")
        }
        if page == nil {
            let isKnown = try storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
            if !isKnown || refreshing || !domain.hasFeed {
                do throws(DocumentError) {
                    try await follower.list(folder.id, of: domain, onProgress: onProgress)
                } catch {
                    // What is known stays visible when the remote is not there.
                    guard isKnown, !refreshing, error.code != .cancelled, error.code.errorClass != .definitive else {
                        throw error.wrapped("\(location) cannot be listed: \(error.message)")
                    }
                    logger.notice("listing what is known", metadata: ["item": "\(location)", "error": "\(error)"])
                }
            }
        }
        let limit = min(max(suggestedCount, 1), 1000)
        let cursor = try page.map { page throws(DocumentError) in try ChildCursor(page) }
        return try storage.read { index in
            let children = try index.children(of: folder.id, in: domain.name, after: cursor, limit: limit)
            var statuses: [ItemStatus] = []
            // A child lies in its folder: no need to look each one's place up.
            let onDisk = try index.diskLocations(in: domain.name)
            for child in children.items where !child.isGone {
                let place = child.item.name.map { location.appending($0) } ?? location
                statuses.append(try self.status(of: child, at: place, onDisk: onDisk(place), index))
            }
            return ItemStatusPage(items: statuses, next: try children.next.map { try PageToken($0) })
        }
    }

    /// What is known of one item.
    public func item(at location: Location) async throws(DocumentError) -> ItemStatus {
        let domain = try domains.domain(location.domain)
        try domain.require([.open, .import], for: "looked at")
        try await freshen(domain, asking: true)
        var item = try await resolver.resolve(location, in: domain)
        if !domain.hasFeed { item = await refreshed(item, domain) }
        return try status(of: item)
    }

    public func makeFolder(at location: Location) async throws(DocumentError) -> ItemStatus {
        try status(of: try await exporter.makeFolder(at: location, on: try domains.domain(location.domain)))
    }

    public func rename(_ location: Location, to destination: Location) async throws(DocumentError) -> ItemStatus {
        let domain = try domains.domain(location.domain)
        return try status(of: try await arranger.rename(location, to: destination, on: domain))
    }

    public func remove(
        _ location: Location, recursive: Bool, discardingUnsent: Bool
    ) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        try await arranger.remove(location, recursive: recursive, discardingUnsent: discardingUnsent, on: domain)
    }

    /// Looks for changes of the remote now; a folder is listed again.
    public func refresh(_ location: Location) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        try await follower.catchUp(domain)
        let item = try await resolver.resolve(location, in: domain)
        if item.item.kind == .folder { try await follower.list(item.id, of: domain) }
    }

    /// Catches up with the remote as far as it can be asked; `asking` even when it did not signal anything.
    private func freshen(_ domain: Domain, asking: Bool) async throws(DocumentError) {
        guard asking, domain.hasFeed else { return try await follower.freshen(domain) }
        do throws(DocumentError) {
            try await follower.catchUp(domain)
        } catch {
            if error.code == .cancelled { throw error }
            logger.notice(
                "going on with what is known here", metadata: ["domain": "\(domain.name)", "error": "\(error)"])
        }
    }

    /// A provider without a feed is asked each time.
    private func refreshed(_ item: IndexedItem, _ domain: Domain) async -> IndexedItem {
        do throws(DocumentError) {
            let remote = try await domain.provider.item(item.id)
            _ = try await treeWork.take([remote], in: domain.name)
            return try storage.read { try $0.item(item.id, in: domain.name) } ?? item
        } catch {
            return item
        }
    }

    func status(of item: IndexedItem) throws(DocumentError) -> ItemStatus {
        try storage.read { try self.status(of: item, $0) }
    }

    func status(of item: IndexedItem, _ index: IndexReader) throws -> ItemStatus {
        let place: Location?
        if item.state == .nameClash {
            let parent = try item.item.parentID.flatMap { try index.location(of: $0, in: item.domain) }
            place = item.item.name.flatMap { parent?.appending($0) }
        } else {
            place = try index.location(of: item.id, in: item.domain)
        }
        let location = place ?? Location(domain: item.domain)
        return try status(
            of: item, at: location, onDisk: try index.diskLocations(in: item.domain)(location), index)
    }

    /// - Parameter onDisk: while a move waits for somebody to end, the file is still where it was.
    private func status(
        of item: IndexedItem, at location: Location, onDisk: Location, _ index: IndexReader
    ) throws -> ItemStatus {
        var status = ItemStatus(
            item: item.item, location: location, state: item.state,
            path: item.state == .nameClash ? "" : root.tree.path(of: onDisk).string)
        if let local = item.local {
            // What is here is what people mean by the document's size and time.
            status.item.size = local.size
            if item.isUnsent { status.item.modified = local.modified }
        }
        status.problem = item.problem.map { DocumentError($0.code, $0.message) }
        status.progress = materialiser.transfers.progress(of: item.key) ?? sender.progress(of: item.key)
        if item.state == .conflict {
            status.conflictPath = try index.conflicts(in: item.domain).last { $0.itemID == item.id }
                .map { root.versions.path(of: $0.kept).string }
        }
        return status
    }
}

extension ChildCursor {
    /// Reads what ``PageToken/init(_:)`` made of one.
    init(_ token: PageToken) throws(DocumentError) {
        guard token.bytes.count >= 8, let key = String(validating: token.bytes.dropFirst(8), as: UTF8.self) else {
            throw DocumentError(.pageExpired, "The listing cannot go on from there; begin again.")
        }
        self.init(nameKey: key, row: token.bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
    }
}

extension PageToken {
    /// A cursor as a token: the row, and the key as far as it fits.
    init(_ cursor: ChildCursor) throws(DocumentError) {
        var key = cursor.nameKey[...]
        while key.utf8.count > Self.maximumLength - 8 { key = key.dropLast() }
        let row = (0..<8).map { UInt8(truncatingIfNeeded: cursor.row >> (56 - 8 * Int64($0))) }
        try self.init(row + Array(key.utf8))
    }
}
