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
        var folder = try await resolver.resolve(location, in: domain)
        guard folder.item.kind != .document else {
            throw DocumentError.isNoFolder(location)
        }
        var isGone = page == nil ? try storage.read { [folder] in try $0.isGoneThere(folder) } : false
        if isGone, refreshing || !domain.hasFeed {
            folder = await lookedForAgain(folder, of: domain)
            isGone = try storage.read { [folder] in try $0.isGoneThere(folder) }
        }
        // Its provider knows nothing any more of a folder that is gone there, and is here for what was changed in it.
        if page == nil, !isGone {
            let isKnown = try storage.read { try $0.listing(of: folder.id, in: domain.name).isComplete }
            if !isKnown || refreshing || !domain.hasFeed {
                do throws(DocumentError) {
                    try await follower.list(folder.id, of: domain, onProgress: onProgress)
                    lookout.lookedAt(folder.id, in: domain)
                } catch {
                    // What is known stays visible when the remote is not there.
                    guard isKnown, !refreshing, error.code != .cancelled, error.code.errorClass != .definitive else {
                        throw error.wrapped("\(location) cannot be listed: \(error.message)")
                    }
                    logger.notice("listing what is known", metadata: ["item": "\(location)", "error": "\(error)"])
                }
            } else {
                lookout.lookedAt(folder.id, in: domain)
            }
        }
        return try self.page(page, of: folder, at: location, suggestedCount)
    }

    /// A folder that is gone at its provider may be there again, or another one in its place: what is around it is listed, from
    /// the outside in. When the remote is not there, nothing more is known than before.
    private func lookedForAgain(_ folder: IndexedItem, of domain: Domain) async -> IndexedItem {
        do throws(DocumentError) {
            for item in try storage.read({ try $0.folders(around: folder) }).reversed() + [folder] {
                guard let parent = item.item.parentID,
                    try storage.read({ try $0.item(item.id, in: item.domain) })?.isGone == true
                else { continue }
                if try storage.read({ try $0.item(parent, in: item.domain) })?.isGone == true { break }
                try await follower.list(parent, of: domain)
            }
            return try storage.read { try $0.item(folder.id, in: folder.domain) } ?? folder
        } catch {
            logger.notice(
                "whether a folder is there again could not be found out",
                metadata: ["domain": "\(domain.name)", "item.id": "\(folder.id)", "error": "\(error)"])
            return folder
        }
    }

    /// One page of what the index knows of a folder.
    func page(
        _ page: PageToken?, of folder: IndexedItem, at location: Location, _ suggestedCount: Int
    ) throws(DocumentError) -> ItemStatusPage {
        let domain = folder.domain
        let limit = min(max(suggestedCount, 1), 1000)
        let cursor = try page.map { page throws(DocumentError) in try ChildCursor(page) }
        return try storage.read { index in
            let children = try index.children(of: folder.id, in: domain, after: cursor, limit: limit)
            var statuses: [ItemStatus] = []
            // A child lies in its folder: no need to look each one's place up.
            let onDisk = try index.diskLocations(in: domain)
            for child in children.items where try index.isShown(child) {
                statuses.append(try self.status(of: child, in: location, onDisk: onDisk, index))
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

    /// - Parameter atOnce: here, whether or not the provider can be reached; it is sent later. Who writes at its place is waited
    ///   for as long as ``Configuration/claimPatience`` says, and so is the provider, where it never listed the folder around it.
    public func makeFolder(at location: Location, atOnce: Bool = false) async throws(DocumentError) -> ItemStatus {
        try await makeFolder(at: location, atOnce: atOnce, within: atOnce ? configuration.claimPatience : nil)
    }

    func makeFolder(
        at location: Location, atOnce: Bool, within patience: Duration?
    ) async throws(DocumentError) -> ItemStatus {
        let domain = try domains.domain(location.domain)
        // One that is not sent is made here (CONT-13).
        let isKeptHere = try storage.read { try $0.ignoringRule(at: location, isFolder: true) } != nil
        if atOnce || isKeptHere {
            return try status(of: try await arrivals.makeFolder(at: location, on: domain, within: patience))
        }
        await settleChanges(at: location, in: domain)
        return try status(of: try await exporter.makeFolder(at: location, on: domain))
    }

    /// - Parameters:
    ///   - atOnce: to where nothing is: here, whether or not the provider can be reached; it hears of it later. Who uses it is
    ///     waited for as long as ``Configuration/claimPatience`` says.
    ///   - tool: who asks; inside of its own access for moving the item, it moves under that (COORD-30).
    public func rename(
        _ location: Location, to destination: Location, atOnce: Bool = false, for tool: Tool? = nil
    ) async throws(DocumentError) -> ItemStatus {
        try await rename(
            location, to: destination, atOnce: atOnce, for: tool, within: atOnce ? configuration.claimPatience : nil)
    }

    /// - Parameters:
    ///   - patience: how long others who use it are waited for; nil: as long as it takes.
    ///   - expected: the only item that is meant; nil for whichever is at the location. Not for what is done at once.
    func rename(
        _ location: Location, to destination: Location, atOnce: Bool, for tool: Tool? = nil,
        within patience: Duration?, expecting expected: ItemIdentifier? = nil
    ) async throws(DocumentError) -> ItemStatus {
        let domain = try domains.domain(location.domain)
        // Another folder may be around what is paused by then.
        defer { pauses.placesChanged() }
        if atOnce,
            let item = try await arranger.renameAtOnce(
                location, to: destination, on: domain, by: tool?.owner, within: patience)
        {
            return try status(of: item)
        }
        await settleChanges(at: destination, in: domain)
        // The provider is told of what was removed in a folder by the places that it knows.
        await backlog.settle(at: location)
        return try status(
            of: try await arranger.rename(
                location, to: destination, on: domain, by: tool?.owner, within: patience, expecting: expected))
    }

    /// - Parameters:
    ///   - atOnce: here, whether or not the provider can be reached; it hears of it later. Who uses it is waited for as long as
    ///     ``Configuration/claimPatience`` says.
    ///   - tool: who asks; inside of its own access for deleting the item, it is removed under that.
    public func remove(
        _ location: Location, recursive: Bool, discardingUnsent: Bool, atOnce: Bool = false, for tool: Tool? = nil
    ) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        // Whoever waits for the end of its pause need not any more.
        defer { pauses.itemsRemoved() }
        // Before anything is asked that may bring news.
        let seen = try storage.read { try SeenItems(at: location, isWhole: recursive, $0) }
        let patience = atOnce ? configuration.claimPatience : nil
        if atOnce, !recursive {
            let isDone = try await arranger.removeAtOnce(
                location, discardingUnsent: discardingUnsent, on: domain, by: tool?.owner, within: patience)
            if isDone { return }
        }
        await settleChanges(at: location, in: domain)
        try await arranger.remove(
            location, recursive: recursive, discardingUnsent: discardingUnsent, on: domain, by: tool?.owner,
            seen: seen, within: patience)
    }

    /// Before the provider is asked for something at a place: what became of what it was asked for before, and what it has not
    /// heard of yet.
    func settleChanges(at place: Location, in domain: Domain) async {
        await interrupted.settle(domain.name)
        await backlog.settle(at: place)
    }

    /// Looks for changes of the remote now; a folder is listed again.
    public func refresh(_ location: Location) async throws(DocumentError) {
        let domain = try domains.domain(location.domain)
        try domain.requireVisible()
        try await follower.catchUp(domain)
        let item = try await resolver.resolve(location, in: domain)
        if item.item.kind != .document { try await follower.list(item.id, of: domain) }
    }

    /// Catches up with the remote as far as it can be asked; `asking` even when it did not signal anything, where it is known
    /// to tell of changes.
    func freshen(_ domain: Domain, asking: Bool) async throws(DocumentError) {
        guard asking, domain.hasFeed else { return try await follower.freshen(domain) }
        do throws(DocumentError) {
            try await follower.catchUp(domain)
        } catch {
            if error.code == .cancelled { throw error }
            logger.notice(
                "going on with what is known here", metadata: ["domain": "\(domain.name)", "error": "\(error)"])
        }
    }

    /// A provider that is not known to have a feed is asked each time.
    func refreshed(_ item: IndexedItem, _ domain: Domain) async -> IndexedItem {
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
        let location = try index.shownLocation(of: item) ?? Location(domain: item.domain)
        return try status(
            of: item, at: location, onDisk: try index.diskLocations(in: item.domain)(location), index)
    }

    /// Of an item that is known to lie in a folder.
    func status(
        of item: IndexedItem, in folder: Location, onDisk: (Location) -> Location, _ index: IndexReader
    ) throws -> ItemStatus {
        let place = item.item.name.map { folder.appending($0) } ?? folder
        return try status(of: item, at: place, onDisk: onDisk(place), index)
    }

    func status(of known: KnownItem) -> ItemStatus { withProgress(known.status, of: known.item) }

    /// Whether the index knows all that there is to say of it: it is in sync, and nothing goes on with it.
    func isQuiet(_ known: KnownItem) -> Bool {
        known.item.state == .materialised && known.status.problem == nil && localChanges.problem(of: known.key) == nil
    }

    /// Of an item that is known to be at a place.
    func status(
        of item: IndexedItem, at location: Location, onDisk: Location, _ index: IndexReader
    ) throws -> ItemStatus {
        withProgress(try ItemStatus(item, at: location, onDisk: onDisk, index, in: root), of: item)
    }

    private func withProgress(_ status: ItemStatus, of item: IndexedItem) -> ItemStatus {
        var status = status
        if let problem = status.problem { status.problem = board.standing(problem, of: item, status.marks) }
        if let problem = localChanges.problem(of: item.key) { status.problem = problem }
        status.transfers = board.transfers(of: item, status)
        if status.problem == nil || item.isFolderToBeMade, let refusal = status.transfers.upload?.problem {
            status.problem = refusal
        }
        let underWay = [status.transfers.download, status.transfers.upload].compactMap { $0 }.first(where: \.isUnderWay)
        status.progress = underWay.map { TransferProgress(done: $0.done, expected: $0.expected) }
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
