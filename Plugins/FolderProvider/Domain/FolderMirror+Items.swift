internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import SystemPackage

extension FolderMirror {
    /// The item behind an identifier, as the disk has it now.
    ///
    /// - Throws: `noSuchItem` on positive evidence only.
    mutating func freshRecord(_ id: ItemIdentifier, _ root: borrowing OpenFile) throws(DocumentError) -> FolderRecord {
        try catchUp(root)
        guard let recordID = RecordID(id) else { throw Self.noSuchItem(id) }
        if let place = tree.place(of: recordID) {
            dirt.names[place.parent, default: []].insert(place.name)
            process(root)
        }
        if tree.unsettled.contains(recordID), let place = tree.place(of: recordID) {
            // Something else was read before it: now it is the first.
            dirt.names[place.parent, default: []].insert(place.name)
            process(root)
        }
        if let record = tree.records[recordID] { return record }
        if !watches.isComplete {
            dirt.everything = true
            process(root)
            if let record = tree.records[recordID] { return record }
        }
        throw Self.noSuchItem(id)
    }

    static func noSuchItem(_ id: ItemIdentifier) -> DocumentError {
        DocumentError(.noSuchItem, "There is no item “\(id)” in the folder any more; list it again.", itemID: id)
    }

    func item(_ record: FolderRecord) throws(DocumentError) -> Item {
        let name = try shownName(of: record)
        return Item(
            id: try record.id.identifier,
            parentID: record.id == .root ? nil : try record.parent.identifier,
            name: name,
            kind: record.facts.isFolder ? ItemKind(ofFolderNamed: name) : .document,
            size: record.facts.isFolder ? 0 : record.facts.size,
            modified: record.facts.modified,
            created: record.facts.key.born ?? record.facts.modified,
            version: try ItemVersion(content: record.contentVersion, metadata: record.metadataVersion),
            capabilities: capabilities(of: record),
            conflictVersions: Int(record.conflictSides))
    }

    private func shownName(of record: FolderRecord) throws(DocumentError) -> ItemName? {
        guard let name = record.name else { return nil }
        return try name.shown
    }

    func capabilities(of record: FolderRecord) -> ItemCapabilities {
        guard !settings.isReadOnly else { return .readOnly }
        var capabilities: ItemCapabilities = [.read]
        let parentIsWritable = tree.records[record.parent]?.facts.isWritable ?? false
        // A document is written by putting another file in its place.
        if record.facts.isWritable, record.facts.isFolder || parentIsWritable { capabilities.insert(.write) }
        if parentIsWritable, record.id != .root { capabilities.formUnion([.rename, .move, .delete]) }
        return capabilities
    }

    /// A page of a folder. Items come in the order of their identifiers, which never change: whatever happens between
    /// two pages, an item that is there all along is on exactly one of them, and no listing has to be kept.
    mutating func page(
        of container: ItemIdentifier, after token: PageToken?, count: Int
    ) throws(DocumentError) -> ItemPage {
        let root = try openRoot()
        var start: UInt64 = 0
        if let token {
            guard let point = PagePoint(token) else {
                throw DocumentError(.pageExpired, "This page of the listing is no longer known; begin it again.")
            }
            start = point.last
        }
        let id = try listed(container, isFirst: token == nil, root)
        let ids = sortedChildren(of: id)
        let rest = ids.dropFirst(Self.count(in: ids, upTo: start))
        let page = rest.prefix(min(max(count, 1), 10_000))
        var items: [Item] = []
        items.reserveCapacity(page.count)
        for id in page {
            if let record = tree.records[id] { items.append(try item(record)) }
        }
        guard let last = page.last, rest.count > page.count else {
            listing = nil
            return ItemPage(items: items)
        }
        return ItemPage(items: items, next: try PagePoint(last: last.number).token)
    }

    /// A folder's items in order; sorted anew only when something changed since the last page.
    private mutating func sortedChildren(of id: RecordID) -> [RecordID] {
        if let listing, listing.folder == id, listing.point == tree.log.last { return listing.ids }
        let ids = (tree.children[id] ?? [:]).values.sorted()
        listing = (id, tree.log.last, ids)
        return ids
    }

    private static func count(in ids: [RecordID], upTo number: UInt64) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Makes sure that the tree has what is in a folder.
    private mutating func listed(
        _ container: ItemIdentifier, isFirst: Bool, _ root: borrowing OpenFile
    ) throws(DocumentError) -> RecordID {
        // A domain's first listing need not wait until all of the folder has been looked at.
        let isEarly = isNew && !isScanned && RecordID(container).map { tree.records[$0] != nil } == true
        if !isEarly { try catchUp(root) }
        guard let id = RecordID(container), tree.records[id] != nil else {
            return try freshRecord(container, root).id
        }
        if isFirst {
            do throws(SystemFailure) {
                _ = try openFolder(id, root)
            } catch {
                try explain(error, container, root)
            }
            dirt.folders.insert(id)
            process(root)
        }
        guard let record = tree.records[id] else { throw Self.noSuchItem(container) }
        guard record.facts.isFolder else {
            throw DocumentError(.invalidArgument, "“\(container)” is a document, and has nothing to list.")
        }
        return id
    }

    /// Why a folder could not be opened; returns when it is gone, or a document, which shows presently.
    private mutating func explain(
        _ failure: SystemFailure, _ id: ItemIdentifier, _ root: borrowing OpenFile
    ) throws(DocumentError) {
        let record = try freshRecord(id, root)
        guard record.facts.isFolder, failure.errno != .noSuchFileOrDirectory else { return }
        throw failure.error(.remote, "The folder “\(record.name?.description ?? "/")” cannot be read")
    }

    // MARK: The feed

    mutating func currentAnchor() throws(DocumentError) -> SyncAnchor {
        try catchUp()
        try remember([])
        return try FeedPoint(epoch: epoch, sequence: tree.log.last).anchor
    }

    mutating func changes(after anchor: SyncAnchor, count: Int) throws(DocumentError) -> ItemChanges {
        try catchUp()
        guard let point = FeedPoint(anchor), point.epoch == epoch,
            let page = tree.log.page(after: point.sequence, limit: min(max(count, 1), 10_000))
        else {
            throw DocumentError(
                .anchorExpired, "The feed of changes does not reach back that far; list everything again.")
        }
        try remember([])
        var changes = ItemChanges(updated: [], deleted: [], anchor: anchor, more: !page.isLast)
        var told: Set<RecordID> = []
        for entry in page.entries {
            guard let record = tree.records[entry.id] else {
                changes.deleted.append(try entry.id.identifier)
                continue
            }
            // Folders before what is in them, also when they changed later.
            var chain = [record]
            while let first = chain.first, first.id != .root, let parent = tree.records[first.parent],
                parent.sequence > point.sequence, chain.count < 4096
            {
                chain.insert(parent, at: 0)
            }
            for record in chain where told.insert(record.id).inserted { changes.updated.append(try item(record)) }
        }
        let reached = page.isLast ? tree.log.last : page.entries.last?.sequence ?? point.sequence
        changes.anchor = try FeedPoint(epoch: epoch, sequence: reached).anchor
        return changes
    }
}

/// Where a listing goes on.
struct PagePoint: Hashable {
    /// The last identifier of the page before.
    var last: UInt64

    var token: PageToken {
        get throws(DocumentError) {
            var writer = ByteWriter()
            writer.byte(1)
            writer.number(last)
            return try PageToken(writer.bytes)
        }
    }

    init(last: UInt64) {
        self.last = last
    }

    init?(_ token: PageToken) {
        var reader = ByteReader(token.bytes)
        guard reader.byte() == 1, let last = reader.number(UInt64.self), reader.isAtEnd else { return nil }
        self.last = last
    }
}

/// A point of the feed.
struct FeedPoint: Hashable {
    /// Changes when the provider's memory was lost.
    var epoch: UInt64
    var sequence: UInt64

    var anchor: SyncAnchor {
        get throws(DocumentError) {
            var writer = ByteWriter()
            writer.byte(1)
            writer.number(epoch)
            writer.number(sequence)
            return try SyncAnchor(writer.bytes)
        }
    }

    init(epoch: UInt64, sequence: UInt64) {
        self.epoch = epoch
        self.sequence = sequence
    }

    init?(_ anchor: SyncAnchor) {
        var reader = ByteReader(anchor.bytes)
        guard reader.byte() == 1, let epoch = reader.number(UInt64.self), let sequence = reader.number(UInt64.self),
            reader.isAtEnd
        else { return nil }
        self.init(epoch: epoch, sequence: sequence)
    }
}
