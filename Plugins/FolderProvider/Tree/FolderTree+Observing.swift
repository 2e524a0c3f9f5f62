internal import DocumentModel

extension FolderTree {
    /// The top folder, at the start of every batch.
    mutating func seeRoot(_ facts: FileFacts) {
        if records[.root] == nil {
            insert(.root, parent: .root, name: nil, facts: facts)
        } else {
            update(.root, facts: facts, place: nil)
        }
    }

    /// A file or folder was seen under a name.
    ///
    /// - Returns: the identifier when it is a folder that wants to be listed: not known before, or with another mode.
    mutating func see(_ facts: FileFacts, at place: Place) -> RecordID? {
        guard records[place.parent]?.facts.isFolder == true else { return nil }
        if let id = children[place.parent]?[place.name], let record = records[id] {
            pending[place] = nil
            if record.facts.isSameFile(as: facts) {
                update(id, facts: facts, place: place)
                // It may be readable now.
                return facts.isFolder && facts.mode != record.facts.mode ? id : nil
            }
            displace(id)
        }
        if let id = displacedAt[place], records[id]?.facts.isSameFile(as: facts) == true {
            pending[place] = nil
            settle(id, at: place, facts: facts)
            return nil
        }
        if displacedAt[place] == nil, holders(of: facts).isEmpty, grave(of: facts.key) == nil {
            pending[place] = nil
            let id = insert(freeID(for: facts.key), parent: place.parent, name: place.name, facts: facts)
            return facts.isFolder ? id : nil
        }
        pending[place] = facts
        return nil
    }

    /// Nothing that could be an item was found under a name, in a folder that was open for reading.
    mutating func miss(_ place: Place) {
        pending[place] = nil
        if let id = children[place.parent]?[place.name] { displace(id) }
    }

    /// All of a folder's items.
    ///
    /// - Returns: folders that were not known before.
    mutating func see(
        listing: [(name: EntryName, facts: FileFacts)], hidden: Set<EntryName>, in parent: RecordID
    ) -> [RecordID] {
        let missing = missing(from: listing, in: parent)
        for name in missing where !hidden.contains(name) { miss(Place(parent: parent, name: name)) }
        var folders: [RecordID] = []
        for (name, facts) in listing {
            if let folder = see(facts, at: Place(parent: parent, name: name)) { folders.append(folder) }
        }
        return folders.sorted()
    }

    /// Places to look at before ``place()``: a pending file may be an item that is known there. If the file is still
    /// there it has two names, and is two items; if not, tell ``miss(_:)``.
    var openQuestions: [Question] {
        var questions: [Question] = []
        for (asking, facts) in pending.sorted(by: { $0.key < $1.key }) {
            for id in holders(of: facts) where !displaced.contains(id) {
                if let record = records[id], let place = place(of: id) {
                    questions.append(Question(asking: asking, place: place, facts: record.facts))
                }
            }
        }
        return questions
    }

    struct Question: Hashable {
        /// The pending file's place.
        var asking: Place
        /// Where to look, and for what.
        var place: Place
        var facts: FileFacts
    }

    /// The known and the pending names of a folder that are not in a listing.
    func missing(from listing: [(name: EntryName, facts: FileFacts)], in parent: RecordID) -> Set<EntryName> {
        var missing = Set((children[parent] ?? [:]).keys)
        for place in pending.keys where place.parent == parent { missing.insert(place.name) }
        if missing.isEmpty { return [] }
        for entry in listing { missing.remove(entry.name) }
        return missing
    }

    /// Decides which items the files at pending places are.
    ///
    /// - Parameter postponed: places to leave pending, because their questions have no answer yet.
    /// - Returns: folders that are new, moved or exchanged, which want to be listed.
    mutating func place(postponing postponed: Set<Place> = []) -> [RecordID] {
        let places = pending.keys.filter { !postponed.contains($0) }.sorted()
        guard !places.isEmpty else { return [] }
        var seenAt: [FileKey: [Place]] = [:]
        for place in places {
            if let facts = pending[place] { seenAt[facts.key, default: []].append(place) }
        }
        var folders: [RecordID] = []
        var backups: Set<Place> = []
        for place in places {
            guard let id = displacedAt[place], let facts = pending[place], let record = records[id],
                record.facts.isFolder == facts.isFolder
            else { continue }
            let isKnown = !holders(of: facts).isEmpty
            let elsewhere = (seenAt[record.facts.key] ?? []).filter { $0 != place && !backups.contains($0) }
            if facts.isFolder {
                guard elsewhere.isEmpty, !isKnown else { continue }
                folders.append(id)
            } else if let backup = elsewhere.first {
                guard elsewhere.count == 1, !isKnown, backup.parent == place.parent,
                    BackupName.isBackup(backup.name, of: place.name)
                else { continue }
                backups.insert(backup)
            }
            pending[place] = nil
            settle(id, at: place, facts: facts)
        }
        for place in places {
            guard let facts = pending.removeValue(forKey: place) else { continue }
            let mover = backups.contains(place) ? nil : holders(of: facts).first { displaced.contains($0) }
            let id: RecordID
            if let mover {
                id = mover
                settle(id, at: place, facts: facts)
            } else {
                let known = backups.contains(place) ? nil : grave(of: facts.key)
                id = insert(
                    known ?? freeID(for: facts.key), parent: place.parent, name: place.name, facts: facts)
            }
            displacedAt[place] = nil
            if facts.isFolder { folders.append(id) }
        }
        return folders.sorted()
    }

    /// Gives up the items that are displaced still: they are gone, with all that was in them.
    mutating func bury() {
        for id in displaced.sorted() { remove(id) }
        displaced = []
        displacedAt = [:]
        verdicts = [:]
    }

    /// This provider itself gave a file its place: a new item, or the new state of one.
    ///
    /// - Parameter contentChanged: set when it was only taken away and put back, with the contents that it had: the
    ///   part of its content version that stays.
    mutating func adopt(
        _ id: RecordID?, _ facts: FileFacts, at place: Place, contentChanged: Timestamp? = nil
    ) -> RecordID {
        pending[place] = nil
        if let other = children[place.parent]?[place.name], other != id { displace(other) }
        displacedAt[place] = nil
        guard let id, records[id] != nil else {
            return insert(freeID(for: facts.key), parent: place.parent, name: place.name, facts: facts)
        }
        if let old = self.place(of: id), children[old.parent]?[old.name] == id {
            children[old.parent]?[old.name] = nil
        }
        let known = contents[id]
        settle(id, at: place, facts: facts)
        if let contentChanged, var record = records[id] {
            record.contentChanged = contentChanged
            records[id] = record
            contents[id] = known
            remember(.record(record))
        }
        return id
    }

    /// This provider itself removed an item.
    mutating func forget(_ id: RecordID) {
        guard let place = place(of: id) else { return }
        if children[place.parent]?[place.name] == id { children[place.parent]?[place.name] = nil }
        if displacedAt[place] == id { displacedAt[place] = nil }
        remove(id)
    }

    private mutating func displace(_ id: RecordID) {
        guard id != .root, let place = place(of: id), displaced.insert(id).inserted else { return }
        children[place.parent]?[place.name] = nil
        displacedAt[place] = id
    }

    /// Gives a displaced record its place.
    private mutating func settle(_ id: RecordID, at place: Place, facts: FileFacts) {
        displaced.remove(id)
        if let old = self.place(of: id), displacedAt[old] == id { displacedAt[old] = nil }
        children[place.parent, default: [:]][place.name] = id
        update(id, facts: facts, place: place)
    }

    @discardableResult
    private mutating func insert(_ id: RecordID, parent: RecordID, name: EntryName?, facts: FileFacts) -> RecordID {
        let sequence = log.add(id)
        let record = FolderRecord(
            id: id, parent: parent, name: name, facts: facts, contentChanged: facts.changed,
            metadataSequence: sequence, sequence: sequence)
        records[id] = record
        if let name { children[parent, default: [:]][name] = id }
        addHolder(id, of: facts.key)
        remember(.record(record))
        return id
    }

    private mutating func update(_ id: RecordID, facts: FileFacts, place: Place?) {
        guard var record = records[id] else { return }
        let old = record
        if let place {
            record.parent = place.parent
            record.name = place.name
        }
        let isMoved = record.parent != old.parent || record.name != old.name
        // What else touches the time of change. A rewrite that sets its time back in the same moment goes unseen, unless it is
        // known what the contents were, and the file was read.
        let isExplained =
            isMoved || facts.mode != old.facts.mode || facts.owner != old.facts.owner
            || facts.group != old.facts.group || facts.links != old.facts.links
        var finding = ContentVerdict.Finding.same
        if !facts.isFolder, !facts.hasSameContents(as: old.facts) {
            finding = .other
        } else if !facts.isFolder, facts.changed != old.facts.changed {
            finding = self.finding(id, facts)
        }
        // Not read yet is not changed: pending edits would be in conflict with a version that there is not, perhaps.
        if finding == .open { unsettled.insert(id) } else { unsettled.remove(id) }
        record.facts = finding == .open ? old.facts : facts
        let hasNewContents = finding == .other || (finding == .unknown && !isExplained)
        if hasNewContents {
            record.contentChanged = facts.changed
            contents[id] = nil
        }
        let hasNewMetadata =
            isMoved || record.facts.mode != old.facts.mode || record.facts.isWritable != old.facts.isWritable
            || (facts.isFolder && facts.key != old.facts.key)
        if hasNewContents || hasNewMetadata {
            record.sequence = log.add(id)
            if hasNewMetadata { record.metadataSequence = record.sequence }
        }
        if facts.key != old.facts.key {
            removeHolder(id, of: old.facts.key)
            addHolder(id, of: facts.key)
        }
        records[id] = record
        // A folder's times and size change with what is in it; its parts tell of that themselves.
        let isWorthRemembering = facts.isFolder ? record.sequence != old.sequence || facts.key != old.facts.key : true
        if record != old, isWorthRemembering { remember(.record(record)) }
    }

    private mutating func remove(_ top: RecordID) {
        var next = [top]
        while let id = next.popLast() {
            guard let record = records[id] else { continue }
            records[id] = nil
            contents[id] = nil
            unsettled.remove(id)
            next += (children.removeValue(forKey: id) ?? [:]).values
            displaced.remove(id)
            removeHolder(id, of: record.facts.key)
            dig(id, for: record.facts.key)
            let sequence = log.add(id)
            remember(.burial(Burial(id: id, key: record.facts.key, sequence: sequence)))
        }
    }
}
