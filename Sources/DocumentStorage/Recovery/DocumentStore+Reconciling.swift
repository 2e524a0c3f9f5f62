internal import DocumentModel
internal import Logging

extension DocumentStore {
    /// Compares index, journal and tree, and mends what a crash left. To be called once, before anything else.
    ///
    /// Its cost follows the number of items that have contents here; placeholders are derived and not looked at.
    ///
    /// - Parameter leavingSources: sources of what was moved in are not touched: they may be on a disk or a network that gives no
    ///   answer, and nobody could start for that. The report says which still have to go, see ``removeSource(ofPlaced:)``.
    package func reconcile(leavingSources: Bool = false) throws -> ReconciliationReport {
        do {
            return try compare(leavingSources)
        } catch let error as DocumentError where error.isOutOfSpace {
            // Parts of contents can come again; nothing can be written down before there is room.
            let swept = try root.staging.sweepFetched()
            let isRoom = (try? makeRoomInTrash()) ?? false
            guard swept > 0 || isRoom else { throw error }
            logger.warning("the disk is full: what came of documents that are not whole was removed")
            return try compare(leavingSources)
        }
    }

    private func compare(_ leavingSources: Bool) throws -> ReconciliationReport {
        var report = ReconciliationReport()
        let staying = try rescueStaged(&report)
        let entries = try index.read { try $0.journal() }
        var unsure: [JournalEntry] = []
        for entry in entries where try !recover(entry, &report, isLast: false, leavingSources: leavingSources) {
            unsure.append(entry)
        }
        for entry in unsure { _ = try recover(entry, &report, isLast: true, leavingSources: leavingSources) }
        let present = try reconcilePresent(&report)
        let unrecorded = try unrecordedFiles(besides: present.inodes, &report)
        let displaced = try settleDisplaced(present.displaced, among: unrecorded, &report)
        let moved = try settleMissing(present.missing + displaced.missing, among: unrecorded, &report)
            .union(displaced.taken)
        var copies: [(domain: DomainName, id: ItemIdentifier)] = []
        for file in unrecorded where !moved.contains(file.location) {
            if let id = try judge(file.location, &report) { copies.append((file.location.domain, id)) }
        }
        try index.write(durably: false) { try $0.forgetArrivals(but: copies) }
        for domain in try index.read({ try $0.domains() }) {
            let outcome = try index.write(durably: false) { try $0.retryWanted(in: domain.name) }
            try perform(outcome)
        }
        try dropNeedlessVersions()
        try dropNeedlessParts()
        do {
            try reconcileTrash()
        } catch let error as DocumentError where !error.isOutOfSpace {
            // Nothing else depends on it.
            logger.error("the trash could not be looked through", metadata: ["error": "\(error)"])
        }
        let keeping = Set((report.pending + report.sources).compactMap(\.payload.staging))
            .union(try index.read { try $0.partialRequests() }).union(staying)
        report.swept = try root.sweptAtOpening + root.staging.sweep(keeping: keeping)
        for finding in report.findings { logger.notice("\(finding)") }
        return report
    }

    // MARK: Items with contents here

    /// What nobody has touched costs one look at its file's state.
    ///
    /// - Returns: the inodes of all items' files, the items whose files are not at their places, and those at whose places
    ///   others' files are.
    private func reconcilePresent(
        _ report: inout ReconciliationReport
    ) throws -> (inodes: Set<UInt64>, missing: [IndexedItem], displaced: [IndexedItem]) {
        var inodes: Set<UInt64> = []
        var missing: [IndexedItem] = []
        var displaced: [IndexedItem] = []
        for domain in try index.read({ try $0.domains().map(\.name) }) {
            var row: Int64 = 0
            while true {
                let (page, places) = try index.read { index in
                    let page = try index.present(in: domain, after: row, limit: 500)
                    return (page, try index.diskPlaces(of: page, in: domain))
                }
                for (item, file) in zip(page, try tree.files(at: places)) {
                    row = item.row
                    if let file, let local = item.local, file.isUntouched(since: local) {
                        try settleState(item)
                        inodes.insert(file.inode)
                    } else if file != nil, try isFileMissing(item) {
                        displaced.append(item)
                    } else if let inode = try look(at: item, &report, &missing) {
                        inodes.insert(inode)
                    }
                }
                if page.count < 500 { break }
            }
        }
        return (inodes, missing, displaced)
    }

    /// - Parameter missing: gets the item when its file is not at its place.
    /// - Returns: the inode of the item's file.
    @discardableResult
    func look(
        at item: IndexedItem, _ report: inout ReconciliationReport, _ missing: inout [IndexedItem]
    ) throws -> UInt64? {
        guard item.state != .nameClash else { return nil }
        let location: Location
        do {
            location = try locate(item.id, in: item.domain).location
        } catch let error as DocumentError where error.code == .nameClash {
            try settleState(item)
            return item.local?.inode
        }
        switch place(at: location) {
        case .nothing:
            if item.local == nil { _ = try recordMissing(item, at: location) } else { missing.append(item) }
            return nil
        case .other:
            // Else a file or a link is where a folder around it was.
            let isThere = try tree.inode(at: location) != nil
            if item.local != nil {
                // A program may have given it another place before it made something there.
                missing.append(item)
            } else {
                _ = try recordMissing(item, at: location)
            }
            let finding = tree.notAFile(location).message
            if isThere, !report.findings.contains(finding) { report.findings.append(finding) }
            return nil
        case .file(let file, let stamp):
            guard try !isAnothers(item, file, at: location) else {
                missing.append(item)
                return nil
            }
            return try look(at: item, file, stamp, location, &report)
        }
    }

    private func look(
        at item: IndexedItem, _ file: FileIdentity, _ stamp: ItemStamp?, _ location: Location,
        _ report: inout ReconciliationReport
    ) throws -> UInt64? {
        let isOwn = stamp?.isOf(item.id, in: item.domain) == true
        guard let local = item.local else {
            guard isOwn, let stamp else {
                // Not the item's: reported with the other unknown files.
                try index.write { try $0.setPlaceholder(item.id, in: item.domain) }
                return nil
            }
            try adopt(item, file, at: location, version: stamp.contentVersion, isChanged: !stamp.matches(file))
            report.adopted += 1
            report.findings.append("The contents of \(location) were here and not in the index: they are kept.")
            return file.inode
        }
        if file.isUntouched(since: local) {
            try settleState(item)
        } else if !local.hasSameContents(as: file), !item.isUnsent, isOwn, let stamp, stamp.matches(file),
            item.proof.digest == nil || stamp.contentVersion != item.synced?.content
        {
            // Restored from a copy, or published just before the end: what its stamp says. It says nothing of the same
            // file with another time of change: some programs set the time of modification back after they wrote.
            try adopt(item, file, at: location, version: stamp.contentVersion, isChanged: false)
            report.adopted += 1
        } else if (try? hasSyncedContents(file, item, at: location)) == true {
            // Nothing but attributes was set.
            let stamped = restamp(file, item, at: location)
            try index.write(durably: false) { try $0.setProven(stamped ?? file, of: item.id, in: item.domain) }
            try settleState(item)
        } else if !isOwn, !item.isUnsent, file.isOlder(than: local) {
            // It had this name before the contents that are missing now came: a machine that lost its power may find again
            // what somebody had removed. It was not made from those.
            try adopt(item, file, at: location, version: [], isChanged: true)
            report.changed += 1
            report.findings.append(
                "\(location) has contents that were here before those that came last: they are compared with the remote's."
            )
        } else {
            // Who looks at it next finds it changed once more.
            guard let flushed = flushed(location) else {
                if item.isUnsent { try settleState(item) }
                return file.inode
            }
            try index.write { index in
                try index.setFile(flushed, of: item.id, in: item.domain)
                if !item.isUnsent { try index.setState(.changed, of: item.id, in: item.domain) }
            }
            if item.isUnsent { try settleState(item) }
            report.changed += 1
            report.findings.append("\(location) was changed while no host ran: the change is to be sent.")
        }
        return file.inode
    }

    /// An item that was on its way from one state to another, without an entry that says so, has the state that its
    /// contents say.
    func settleState(_ item: IndexedItem) throws {
        let state: ItemState
        switch item.state {
        case .materialising:
            state = item.synced?.content == item.item.version.content ? .materialised : .outdated
        case .sending where try index.read({ try !$0.isBeingSent(item) }): state = .changed
        default: return
        }
        try index.write { try $0.setState(state, of: item.id, in: item.domain) }
    }

    // MARK: Taking up

    /// Takes up a send that a crash interrupted: the same bytes, under the operation's old name. Ask the provider
    /// again, then finish, abandon, or record the conflict.
    package func resumeSending(_ entry: JournalEntry) throws -> Sending {
        guard entry.action == .send, let id = entry.itemID, let base = entry.payload.base,
            let operation = entry.payload.operation, let name = entry.payload.staging
        else { throw DocumentError(.internal, "The journal's entry \(entry.id) is no send that could be taken up.") }
        // Whoever began it may have had no answer of the disk: nobody would know the name after a power failure.
        try index.flush()
        var (item, location) = try locate(id, in: entry.domain)
        // As it was when it was begun: what was told since is newer than the answer, perhaps.
        item.item.version = base
        if entry.payload.boot == root.boot, var staged = try root.staging.request(named: name)?.existingFile(),
            staged.identity.size == entry.payload.file?.size
        {
            staged.source = entry.payload.file
            return Sending(
                entry: entry, item: item, location: location, snapshot: staged, base: base, operation: operation,
                isRepeated: true, folderRow: try index.read { try $0.folderRow(of: item) })
        }
        // The file is what was sent, as the decision has found: taken once more.
        discard(request: name)
        let request = try root.staging.makeRequest(.sending(entry.domain))
        var entry = entry
        entry.payload.staging = request.name
        entry.payload.boot = root.boot
        return try takingBack {
            try takeBackSending(entry, .open)
        } _: {
            let sending = try snapshot(entry, item, location)
            guard let now = sending.snapshot.source, let sent = entry.payload.file, now.isStill(sent) else {
                throw DocumentError(
                    .busy, "\(location) was changed since it was sent: it is to be sent anew.", itemID: id)
            }
            return sending
        }
    }
}
