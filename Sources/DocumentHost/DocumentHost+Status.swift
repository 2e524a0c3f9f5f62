public import DocumentModel
import DocumentStorage
import FileCoordination

/// What is where, what is under way, and what is wrong: told from what is known here. No provider is waited for, so that a slow
/// or dead one delays nothing.
extension DocumentHost {
    /// What is told of a part of everything.
    public struct Report: Hashable, Sendable {
        /// Every domain that it touches, in numbers: of what is at and below the location, where there is one.
        public var domains: [DomainStatus] = []
        /// The items that are neither placeholders nor simply in sync; a document that was named in any case.
        public var items: [ItemStatus] = []
        /// Of everything at and below the location.
        public var transfers = TransferSummary()
    }

    /// - Throws: `noSuchItem` for a location that is not known here.
    public func status(below location: Location? = nil) async throws(DocumentError) -> Report {
        var named: IndexedItem?
        if let location {
            let domain = try domains.domain(location.domain)
            if !location.isRoot {
                try domain.requireVisible()
                named = try storage.read { try $0.shownItem(at: location) }
                guard named != nil else { throw DocumentError.isUnknownHere(location) }
            }
        }
        var report = Report()
        var tally = TransferTally()
        let records = try storage.read { try $0.domains() }
            .filter { location == nil || $0.name == location?.domain }
        for record in records.sorted(by: { $0.name < $1.name }) {
            // Of a drop box nothing is told, not even how much is in it (PICK-13).
            guard domains.find(record.name)?.isDropBox != true else {
                report.domains.append(DomainStatus(domain: describe(record), items: 0))
                continue
            }
            let below = location ?? Location(domain: record.name)
            // It reads by itself.
            let description = describe(record)
            let (status, items) = try storage.read { [named] index in
                try self.status(of: record, description, below: below, named, index)
            }
            report.domains.append(status)
            for item in items { tally.add(item.transfers) }
            report.items += items
        }
        // Whoever looks next is told more.
        for domain in records.compactMap({ domains.find($0.name) }) { quotas.askLater(domain) }
        stayingSources.lookLater(at: report.items)
        if let named, named.item.kind == .document, !report.items.contains(where: { $0.item.id == named.id }) {
            report.items.append(try status(of: named))
        }
        report.transfers = tally.summary
        return report
    }

    /// For whom contents were brought since the host's start, the last one first: for the user's own programs.
    package func broughtFor(seenBy tool: Tool) -> [BroughtFor] {
        guard case .user = tool.standing else { return [] }
        return granter.brought.all
    }

    private func status(
        of record: DomainRecord, _ description: DomainDescription, below: Location, _ named: IndexedItem?,
        _ index: IndexReader
    ) throws -> (domain: DomainStatus, items: [ItemStatus]) {
        var domain = DomainStatus(domain: description)
        if let named {
            (domain.items, domain.materialised, domain.materialisedBytes) = try index.contentsHere(within: named)
        } else {
            let counts = try index.counts(of: record.name)
            domain.items = UInt64(counts.documents + counts.folders)
            (domain.materialised, domain.materialisedBytes) = try index.contentsHere(of: record.name)
        }
        var tally = TransferTally()
        var items: [ItemStatus] = []
        for item in try restless(in: record.name, index) {
            let place = try? index.shownLocation(of: item)
            guard place?.components.starts(with: below.components) ?? below.isRoot else { continue }
            if item.isUnsent { domain.unsent += 1 }
            let isInConflict = try item.state == .conflict || !index.unresolvedSides(of: item).isEmpty
            if isInConflict { domain.conflicts += 1 }
            // In a folder that is not shown because of its name.
            guard place != nil else { continue }
            let status = try self.status(of: item, index)
            // Mostly a folder is made in a moment.
            if item.isFolderToBeMade {
                guard status.problem != nil || status.transfers.upload != nil else { continue }
                domain.unsent += 1
            }
            // What was wrong with it is over, and there is nothing else.
            if item.problem != nil, item.state == .placeholder, status.problem == nil, !isInConflict,
                status.transfers == ItemTransfers()
            {
                continue
            }
            tally.add(status.transfers)
            items.append(status)
        }
        let unheard = backlog.entries(of: record.name).filter { entry in
            entry.payload.place?.starts(with: below.components) ?? below.isRoot
        }
        domain.unsent += UInt64(unheard.count)
        domain.transfers = tally.summary
        return (domain, items)
    }

    /// The items of a domain that something may be told of: also every folder that its provider does not know yet, or of which
    /// something stays elsewhere.
    func restless(in domain: DomainName, _ index: IndexReader) throws -> [IndexedItem] {
        var found: [IndexedItem] = []
        var row: Int64 = 0
        while true {
            let page = try index.unsettled(in: domain, after: row)
            // Of a folder that is there only what of it stays where it was before it was moved in.
            found += page.filter { $0.item.kind != .folder || $0.stayingSource != nil }
            guard let last = page.last else { break }
            row = last.row
        }
        var known = Set(found.map(\.id))
        found += try index.arrivingFolders(of: domain).filter { known.insert($0.id).inserted }
        // What has not begun yet is written down nowhere.
        for key in Set(board.wanted + localChanges.problems.keys) where key.domain == domain && !known.contains(key.id)
        {
            if let item = try index.item(key.id, in: domain) { found.append(item) }
        }
        return found
    }
}

extension DocumentError {
    /// Of what somebody asks that is told from what is known here.
    static func isUnknownHere(_ location: Location) -> DocumentError {
        DocumentError(
            .noSuchItem,
            "Nothing is known here of \(location); docent ls \(location.parent ?? location) asks the provider.")
    }
}
