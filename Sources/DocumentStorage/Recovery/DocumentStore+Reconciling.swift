internal import DocumentModel
internal import Logging

extension DocumentStore {
    /// Compares index, journal and tree, and mends what a crash left. To be called once, before anything else.
    ///
    /// Its cost follows the number of items that have contents here; placeholders are derived and not looked at.
    package func reconcile() throws -> ReconciliationReport {
        do {
            return try compare()
        } catch let error as DocumentError where error.isOutOfSpace {
            // Parts of contents can come again; nothing can be written down before there is room.
            let swept = try root.staging.sweepFetched()
            let isRoom = (try? makeRoomInTrash()) ?? false
            guard swept > 0 || isRoom else { throw error }
            logger.warning("the disk is full: what came of documents that are not whole was removed")
            return try compare()
        }
    }

    private func compare() throws -> ReconciliationReport {
        var report = ReconciliationReport()
        try rescueStaged(&report)
        let entries = try index.read { try $0.journal() }
        var unsure: [JournalEntry] = []
        for entry in entries where try !recover(entry, &report, isLast: false) { unsure.append(entry) }
        for entry in unsure { _ = try recover(entry, &report, isLast: true) }
        let present = try reconcilePresent(&report)
        let unrecorded = try unrecordedFiles(besides: present.inodes, &report)
        let displaced = try settleDisplaced(present.displaced, among: unrecorded, &report)
        let moved = try settleMissing(present.missing + displaced.missing, among: unrecorded, &report)
            .union(displaced.taken)
        for file in unrecorded where !moved.contains(file.location) { try judge(file.location, &report) }
        try index.write(durably: false) { try $0.forgetArrivals() }
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
        let keeping = Set(report.pending.compactMap(\.payload.staging))
            .union(try index.read { try $0.partialRequests() })
        report.swept = try root.sweptAtOpening + root.staging.sweep(keeping: keeping)
        for finding in report.findings { logger.notice("\(finding)") }
        return report
    }

    // MARK: Journal

    /// - Parameter isLast: the tree follows the index, as far as it can: what is not at an item's place is nowhere.
    /// - Returns: false when that has to be so first.
    private func recover(
        _ entry: JournalEntry, _ report: inout ReconciliationReport, isLast: Bool
    ) throws -> Bool {
        let evidence = try self.evidence(for: entry)
        let decision = RecoveryDecision(for: entry, evidence)
        logger.info(
            "an interrupted action is taken up",
            metadata: [
                "journal.step": "\(entry.step)", "item.id": "\(entry.itemID?.rawValue ?? "")",
                "decision": "\(decision)",
            ])
        let name = describe(entry, evidence)
        switch decision {
        case .forget:
            // Its copy, if there is one, is swept.
            try index.write { try $0.finish(entry) }
        case .lookUp:
            report.pending.append(entry)
            report.findings.append(
                "The host ended before the \(entry.action) of \(name) was acknowledged: its provider is asked what became of it."
            )
        case .keepContents:
            try settle(entry, evidence.item, report: &report)
        case .returnToPlaceholder:
            try settlePlaceholder(entry, evidence.item)
        case .adopt(let version, let isChanged):
            guard let item = evidence.item, case .file(let file, _) = evidence.place else { break }
            let location = try locate(item.id, in: item.domain).location
            try adopt(item, file, at: location, version: version, isChanged: isChanged, entry)
            report.adopted += 1
            report.findings.append(
                entry.action == .recordChange
                    ? "\(name) was being replaced when the host ended: what was written is kept, and is to be sent."
                    : "The contents of \(name) had arrived before the host ended, and are kept.")
        case .lookAtFile:
            guard let item = evidence.item else { break }
            // It may have been moved, and the index not know yet.
            guard isLast || evidence.place != .nothing else { return false }
            try settle(entry, item, report: &report)
        case .sendAnew:
            try takeBackSending(entry, entry.step == .sendSnapshotTaken ? .open : .undone)
            report.findings.append("The change of \(name) was not sent before the host ended: it is to be sent anew.")
        case .askProvider:
            report.pending.append(entry)
            report.findings.append(
                "The change of \(name) was being sent when the host ended: the provider is asked again.")
        case .finishLeaving:
            report.pending.append(entry)
            report.findings.append(
                "\(name) was being moved out when the host ended: there is a copy of it, and it is removed now.")
        case .finishClearing:
            report.pending.append(entry)
            report.findings.append(
                "The data of \(name) was being removed when the host ended: the rest of it is removed now.")
        case .tellProvider:
            report.pending.append(entry)
        case .takeInParts:
            var refused: [DocumentError] = []
            try carryOn(entry, "writing", name, &report) { refused = try recordEdits(entry, dropping: false).refused }
            report.findings += refused.map(\.message)
        case .finishMove:
            try carryOn(entry, "move", name, &report) { try finishMove(entry, try movedContents(entry)) }
        case .resumeArrival:
            try carryOn(entry, "moving in", name, &report) {
                if try !resumeArrival(entry) { discard(request: entry.payload.staging) }
            }
        case .takeIn:
            do {
                guard let made = try resumeMaking(entry) else { break }
                let location = try locate(made.id, in: made.domain).location
                report.findings.append("\(location) was being written for the first time, and is to be sent as it is.")
            } catch let error as DocumentError {
                // It stays in the journal, and is tried again at the next start.
                report.findings.append("\(name) was being written, and cannot be taken in: \(error.message)")
            }
        case .takeBack:
            guard isLast else { return false }
            // Something that could not be moved may be it: with the next start, then.
            guard let item = evidence.item, try !index.read({ try $0.journal() }).contains(where: { $0.step.isForTree })
            else { break }
            let outcome = try index.write { index in
                try index.finish(entry)
                return try index.deleteCleared(item.id, in: item.domain)
            }
            try perform(outcome)
            report.findings.append(
                "\(name) had just been made, and had not come to the disk when this machine stopped.")
        case .performInTree:
            try carryOn(entry, entry.action.rawValue, name, &report) { try perform(entry) }
        }
        return true
    }

    /// The contents of an interrupted move: the copy, or the source once more. Nil when neither is there any longer:
    /// the provider has them.
    func movedContents(_ entry: JournalEntry) throws -> StagedFile? {
        if let name = entry.payload.staging, entry.payload.boot == root.boot,
            let staged = try root.staging.request(named: name)?.existingFile(),
            staged.identity.size == entry.payload.file?.size
        {
            return staged
        }
        guard let source = entry.payload.sourcePath else { return nil }
        let request = try root.staging.makeRequest(.sending(entry.domain))
        guard let copy = try? root.staging.snapshot(ofFileAt: source, followingLink: false, in: request),
            let taken = copy.source, entry.payload.file?.hasSameContents(as: taken) == true
        else { return nil }
        return copy
    }

    private func carryOn(
        _ entry: JournalEntry, _ what: String, _ name: String, _ report: inout ReconciliationReport,
        _ body: () throws -> Void
    ) throws {
        do {
            try body()
            report.findings.append("The \(what) of \(name) was interrupted, and is finished now.")
        } catch let error as DocumentError {
            // It stays in the journal, and is tried again at the next start.
            report.findings.append("The \(what) of \(name) was interrupted and cannot be finished: \(error.message)")
        }
    }

    private func evidence(for entry: JournalEntry) throws -> RecoveryEvidence {
        let item = try entry.itemID.flatMap { id in try index.read { try $0.item(id, in: entry.domain) } }
        var place = RecoveryEvidence.Place.nothing
        if let item {
            // Where it has no place of its own, nobody knows what of it is there.
            place = (try? locate(item.id, in: item.domain).location).map { self.place(at: $0) } ?? .other
        }
        var isStaged = false
        if let name = entry.payload.staging, entry.payload.boot == root.boot,
            let staged = try root.staging.request(named: name)?.existingFile()
        {
            isStaged = staged.identity.size == entry.payload.file?.size
        }
        return RecoveryEvidence(item: item, place: place, isStaged: isStaged)
    }

    private func place(at location: Location) -> RecoveryEvidence.Place {
        do {
            guard let file = try tree.file(at: location) else { return .nothing }
            return .file(file, stamp: try tree.stamp(at: location))
        } catch {
            return .other
        }
    }

    private func describe(_ entry: JournalEntry, _ evidence: RecoveryEvidence) -> String {
        let components = entry.payload.place ?? entry.payload.name.map { [$0] } ?? []
        return Location(domain: entry.domain, components: components).description
    }

    /// Closes an entry, and gives the item the state that its file says.
    private func settle(
        _ entry: JournalEntry, _ item: IndexedItem?, report: inout ReconciliationReport
    ) throws {
        try index.write { try $0.finish(entry) }
        guard let item else { return }
        // What is missing is found once more among all that have contents here.
        var missing: [IndexedItem] = []
        try look(at: item, &report, &missing)
    }

    private func settlePlaceholder(_ entry: JournalEntry, _ item: IndexedItem?) throws {
        try index.write { index in
            if let item { try index.setPlaceholder(item.id, in: item.domain) }
            try index.finish(entry)
        }
        if let item { refreshPlaceholder(item.id, in: item.domain) }
    }

    private func adopt(
        _ item: IndexedItem, _ file: FileIdentity, at location: Location, version: [UInt8], isChanged: Bool,
        _ entry: JournalEntry? = nil
    ) throws {
        let file = isChanged ? flushed(location) ?? file : file
        try index.write { index in
            try index.adopt(file, of: item, version: version, isChanged: isChanged)
            if let entry { try index.finish(entry) }
        }
    }

    /// What counts as changed is on the disk before it is written down as such, and sent: an older state of the file, found again
    /// after a power failure, would be an edit of it.
    ///
    /// - Returns: nil when it cannot be brought there now.
    private func flushed(_ location: Location) -> FileIdentity? { (try? tree.flush(location)) ?? nil }

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
            return item.local?.inode
        }
        switch place(at: location) {
        case .nothing:
            if item.local == nil { _ = try recordMissing(item, at: location) } else { missing.append(item) }
            return nil
        case .other:
            if item.local != nil, try tree.inode(at: location) == nil {
                // A file or a link is where a folder around it was.
                missing.append(item)
                return nil
            }
            report.findings.append(tree.notAFile(location).message)
            _ = try recordMissing(item, at: location)
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
    private func settleState(_ item: IndexedItem) throws {
        let state: ItemState
        switch item.state {
        case .materialising:
            state = item.synced?.content == item.item.version.content ? .materialised : .outdated
        case .sending where try index.read({ try !$0.isBeingSent(item) }): state = .changed
        default: return
        }
        try index.write { try $0.setState(state, of: item.id, in: item.domain) }
    }

    // MARK: Files that belong to nobody

    /// All files in the domains' folders but those of items.
    private func unrecordedFiles(
        besides inodes: Set<UInt64>, _ report: inout ReconciliationReport
    ) throws -> [FoundFile] {
        let domains = Set(try index.read { try $0.domains().map(\.name) })
        var files: [FoundFile] = []
        for name in try tree.topFolders().sorted() {
            guard let domain = try? DomainName(name), domains.contains(domain) else {
                report.findings.append("The folder “\(name)” among the documents belongs to no domain: it stays.")
                continue
            }
            var unusable: [String] = []
            try tree.forEachFile(of: domain) {
                unusable.append($0)
            } _: { file in
                if !inodes.contains(file.inode) { files.append(file) }
            }
            report.findings += unusable.map {
                "\($0) cannot be an item (a link, a device, or a name that none can have): it stays."
            }
        }
        return files
    }

    private func judge(_ location: Location, _ report: inout ReconciliationReport) throws {
        guard case .file(let file, let stamp) = place(at: location) else { return }
        // At an item's own place, with its stamp, it is the item's: everything else stays as it is.
        if let item = try index.read({ try $0.item(at: location) }), item.local == nil, item.item.kind == .document,
            item.state != .nameClash, let stamp, stamp.isOf(item.id, in: item.domain)
        {
            try adopt(item, file, at: location, version: stamp.contentVersion, isChanged: !stamp.matches(file))
            report.adopted += 1
            report.findings.append("The contents of \(location) were here and not in the index: they are kept.")
            return
        }
        if let made = try takeIn(location, stamp) {
            report.adopted += 1
            report.findings.append(
                "\(made) had just been made when this machine stopped: it is kept, and is to be sent.")
            return
        }
        report.unknownFiles.append(location)
        report.findings.append(
            "\(tree.path(of: location)) belongs to no item: it stays, and is neither sent nor removed.")
    }

    /// A document that was made here came to the disk, and the index did not: it is an item once more.
    ///
    /// - Returns: nil when it is something else.
    private func takeIn(_ location: Location, _ stamp: ItemStamp?) throws -> Location? {
        guard let id = stamp?.arrivingID, stamp?.domain == location.domain, let name = location.name,
            let around = location.parent
        else { return nil }
        let parent = try index.read { index -> ItemIdentifier? in
            // A copy of one that is known is somebody else's.
            guard try index.item(id, in: location.domain) == nil, let parent = try index.item(at: around),
                !parent.isGone, parent.item.kind != .document,
                try index.holder(of: name, in: parent.id, of: location.domain) == nil
            else { return nil }
            return parent.id
        }
        guard let parent, let file = try tree.flush(location) else { return nil }
        try tree.flushFolders(around: location)
        try index.write { index in
            try index.forgetArrival(of: id, in: location.domain)
            try index.insertArrival(
                [CopiedPart(path: [], file: file)], in: parent, named: name, of: location.domain, as: id
            ) { _ in file }
        }
        return location
    }

    // MARK: Staging

    /// Files of the tree that were in staging when the host ended, because they were just being replaced or removed:
    /// those that hold what nobody else has are kept as versions.
    private func rescueStaged(_ report: inout ReconciliationReport) throws {
        for staged in try root.staging.leaving() {
            if let place = staged.trashed, try index.read({ try $0.domain(place.domain) }) != nil {
                try root.staging.hand(staged.file, to: root.trash.slot(for: place))
                continue
            }
            guard staged.stamp?.matches(staged.file.identity) != true else { continue }
            try rescue(staged.file, staged.stamp?.domain, &report)
        }
        for entry in try index.read({ try $0.journal() }) where entry.action == .materialise {
            guard let name = entry.payload.staging, let id = entry.itemID,
                let staged = try root.staging.request(named: name)?.existingFile(),
                staged.identity.inode != entry.payload.file?.inode,
                let item = try index.read({ try $0.item(id, in: entry.domain) }),
                item.local?.hasSameContents(as: staged.identity) != true
            else { continue }
            try rescue(staged, entry.domain, &report)
        }
    }

    private func rescue(_ file: StagedFile, _ domain: DomainName?, _ report: inout ReconciliationReport) throws {
        let kept = try root.versions.keep(
            file, of: Location(domain: domain ?? DomainName("unknown"), components: [ItemName("rescued")]))
        report.findings.append(
            "A file was changed in the moment in which it was replaced or removed: what was in it is kept as \(root.versions.path(of: kept))."
        )
    }

    // MARK: Taking up

    /// Takes up a send that a crash interrupted: the same bytes, under the operation's old name. Ask the provider
    /// again, then finish, abandon, or record the conflict.
    package func resumeSending(_ entry: JournalEntry) throws -> Sending {
        guard entry.action == .send, let id = entry.itemID, let base = entry.payload.base,
            let operation = entry.payload.operation, let name = entry.payload.staging
        else { throw DocumentError(.internal, "The journal's entry \(entry.id) is no send that could be taken up.") }
        var (item, location) = try locate(id, in: entry.domain)
        // As it was when it was begun: what was told since is newer than the answer, perhaps.
        item.item.version = base
        if entry.payload.boot == root.boot, var staged = try root.staging.request(named: name)?.existingFile(),
            staged.identity.size == entry.payload.file?.size
        {
            staged.source = entry.payload.file
            return Sending(
                entry: entry, item: item, location: location, snapshot: staged, base: base, operation: operation,
                isRepeated: true)
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
