internal import CDocentShims
internal import DocumentModel
internal import Glibc
internal import Logging
internal import SystemPackage

extension FolderMirror {
    /// Brings the tree up to date with what the system told since the last time; the first time, and where the system
    /// cannot tell, with the whole folder.
    mutating func catchUp() throws(DocumentError) {
        let root = try openRoot()
        try catchUp(root)
    }

    mutating func catchUp(_ root: borrowing OpenFile) throws(DocumentError) {
        _ = watches.drain(into: &dirt)
        while !isScanned { try scan(root, folders: .max) }
        let left = ledger.left
        putBackDoubtful(left, root)
        process(root)
        guard !left.isEmpty else { return }
        settle(left, root)
        process(root)
    }

    /// A part of the first scan.
    ///
    /// - Parameter folders: how many folders to look at.
    mutating func scan(_ root: borrowing OpenFile, folders: Int) throws(DocumentError) {
        guard !isScanned else { return }
        if isNew {
            tree.isRemembering = false
            var count = 0
            var unopened: Set<RecordID> = []
            while count < folders, let id = scanQueue.popLast() {
                scanQueue += list(id, root, &unopened)
                count += 1
            }
            guard scanQueue.isEmpty else { return }
            process(root)
            // Nobody has an anchor yet.
            tree.log.forgetAll()
            tree.isRemembering = true
            announced = tree.log.last
        } else {
            for change in ledger.planned.values {
                if let put = change.put, let id = change.id { tree.expect(put, for: id) }
            }
            putBackDoubtful(Array(ledger.planned.values), root)
            dirt.everything = true
            process(root)
            for change in ledger.planned.values {
                if let put = change.put, let id = change.id { tree.endExpecting(put, for: id) }
            }
        }
        isScanned = true
        recover(root)
        if isNew { try rewriteState() } else { remember() }
        docent_trim_memory()
        warnOfWatches()
    }

    /// Looks wherever something may have changed, until everything that was seen has found its place.
    mutating func process(_ root: borrowing OpenFile) {
        dirt.merge(later)
        later = Dirt()
        readingLeft = ReadingBudget(time: settings.pace.longestReading)
        let wasSettled = tree.unsettled.isEmpty
        var isConfirmed = false
        // Whether questions are left that looking further does not answer.
        var isUndecided = false
        var unopened: Set<RecordID> = []
        // Whether everything is looked at: then also all that is in folders that turn up elsewhere.
        var isDeep = false
        while true {
            isDeep = isDeep || dirt.everything
            let start = ContinuousClock.now
            look(root, &unopened, isDeep)
            if isDeep { restBetweenLooks = Int32(clamping: 20 * Int(start.duration(to: .now) / .milliseconds(1))) }
            var postponed: Set<Place> = []
            for question in tree.openQuestions {
                switch isStillThere(question.facts, at: question.place, root) {
                case true: break
                case nil where !isUndecided: postponed.insert(question.asking)
                default: tree.miss(question.place)
                }
            }
            let placed = tree.place(postponing: postponed)
            if !placed.isEmpty {
                // Folders that were not where the tree had them may be now.
                unopened = []
                dirt.merge(later)
                later = Dirt()
            }
            dirt.folders.formUnion(placed)
            guard dirt.isEmpty else { continue }
            isUndecided = !postponed.isEmpty
            if isUndecided { continue }
            // Before anything counts as gone: it may have moved to where nobody looked.
            guard !tree.displaced.isEmpty, !isConfirmed else { break }
            isConfirmed = true
            if watches.isComplete {
                if watches.drain(into: &dirt) {
                    docent_pause(2)
                    _ = watches.drain(into: &dirt)
                }
            } else {
                dirt.everything = true
            }
        }
        let hadBurials = !tree.displaced.isEmpty
        tree.bury()
        if hadBurials {
            let records = tree.records
            watches.forget { records[$0] == nil }
        }
        followKeptVersions(root)
        remember()
        if wasSettled, !tree.unsettled.isEmpty { onUnsettled() }
    }

    /// - Parameters:
    ///   - unopened: folders that were not where the tree has them. They are looked at once more, when it is known where
    ///     they have gone.
    ///   - isDeep: whether all that is in a folder is to be looked at too.
    private mutating func look(_ root: borrowing OpenFile, _ unopened: inout Set<RecordID>, _ isDeep: Bool) {
        let work = dirt
        dirt = Dirt()
        if work.everything || work.versions { kept.isStale = true }
        var queue = work.everything ? [.root] : Array(work.folders)
        if !work.everything {
            for (id, names) in work.names where !work.folders.contains(id) {
                if names.count > 256, names.count * 4 > (tree.children[id]?.count ?? 0) {
                    queue.append(id)
                } else {
                    queue += look(at: names, in: id, root, &unopened)
                }
            }
        }
        var listed: Set<RecordID> = []
        while let id = queue.popLast() {
            guard listed.insert(id).inserted else { continue }
            let found = list(id, root, &unopened)
            // Those that were found now are in it too.
            queue +=
                isDeep ? (tree.children[id] ?? [:]).values.filter { tree.records[$0]?.facts.isFolder == true } : found
        }
    }

    /// Reads a folder.
    ///
    /// - Returns: folders that were not known before.
    private mutating func list(
        _ id: RecordID, _ root: borrowing OpenFile, _ unopened: inout Set<RecordID>
    ) -> [RecordID] {
        do throws(SystemFailure) {
            let folder = try openFolder(id, root)
            watches.watch(folder, as: id)
            var found: [(folder: RecordID, name: String)] = []
            let lookForLeftovers = !isScanned
            let tag = self.tag
            var (listing, isStable) = try FolderListing.read(folder, sighting) { name in
                if lookForLeftovers, TemporaryName.isTemporary(name, tag: tag) { found.append((id, name)) }
            }
            if !isStable {
                // Somebody is busy there. What is missing may only have been missed.
                for name in tree.missing(from: listing.items, in: id) {
                    if sighting.look(at: name.rawValue, in: folder) != .absent { listing.hidden.insert(name) }
                }
            }
            leftovers += found
            unreadable.remove(id)
            noteLeftOut(listing.leftOut, in: id)
            for (name, facts) in listing.items { judge(facts, at: Place(parent: id, name: name), in: folder) }
            return tree.see(listing: listing.items, hidden: listing.hidden, in: id)
        } catch {
            cannotOpen(id, error, &unopened) { $0.folders.insert(id) }
            return []
        }
    }

    private mutating func look(
        at names: Set<EntryName>, in id: RecordID, _ root: borrowing OpenFile, _ unopened: inout Set<RecordID>
    ) -> [RecordID] {
        do throws(SystemFailure) {
            let folder = try openFolder(id, root)
            var found: [RecordID] = []
            for name in names where !TemporaryName.isTemporary(name.rawValue) {
                let place = Place(parent: id, name: name)
                switch sighting.look(at: name.rawValue, in: folder) {
                case .item(let facts):
                    judge(facts, at: place, in: folder)
                    if let new = tree.see(facts, at: place) { found.append(new) }
                case .absent:
                    tree.miss(place)
                    // What is left out has come, or may have gone: it is counted anew.
                    if leftOut[id] != nil || sighting.isAny(at: name.rawValue, in: folder) { dirt.folders.insert(id) }
                case .hidden: break
                }
            }
            return found
        } catch {
            cannotOpen(id, error, &unopened) { $0.names[id, default: []].formUnion(names) }
            return []
        }
    }

    private mutating func cannotOpen(
        _ id: RecordID, _ failure: SystemFailure, _ unopened: inout Set<RecordID>, again: (inout Dirt) -> Void
    ) {
        guard tree.records[id] != nil else { return }
        if failure.errno == .noSuchFileOrDirectory || failure.errno == .notDirectory {
            // Moved or removed: its parent tells, perhaps only the next time.
            if unopened.insert(id).inserted { again(&dirt) } else { again(&later) }
            return
        }
        // Nothing is known of what is in it, so nothing of it is gone. A change of its permissions is told.
        if failure.errno != .permissionDenied, failure.errno.rawValue != EXDEV { again(&later) }
        guard unreadable.insert(id).inserted else { return }
        logger.warning("A folder cannot be read: \(failure.errno).", metadata: ["item.id": "\(id.text)"])
    }

    /// - Returns: nil when the folder is not where the tree has it, so that what was in it may be somewhere else too.
    private func isStillThere(_ facts: FileFacts, at place: Place, _ root: borrowing OpenFile) -> Bool? {
        do throws(SystemFailure) {
            let folder = try openFolder(place.parent, root)
            switch sighting.look(at: place.name.rawValue, in: folder) {
            case .item(let found): return found.isSameFile(as: facts)
            case .absent: return false
            case .hidden: return true
            }
        } catch {
            return error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory ? nil : true
        }
    }
}
