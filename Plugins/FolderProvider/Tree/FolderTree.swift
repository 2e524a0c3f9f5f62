internal import DocumentModel

/// What is known of the folder: the items, where they are, and what changed. Does no I/O; it is told what was seen
/// and gives what is to be remembered.
///
/// Identity goes with the file (inode and birth), so it survives renaming and moving. A document whose file is gone
/// while another one has taken its name stays the same document: that is how most editors save. It also stays when the
/// old file lives on as a backup by its name (``BackupName``). In all other cases of an exchanged file identity goes
/// with the file. The reason for this order: an identifier that ends up at a backup or a deleted file takes the user's
/// unsent edits there, while contents that arrive under an unexpected identifier are only transferred once more.
///
/// Observations come in batches: any number of `see` and `miss`, then ``place()`` (again, as long as more
/// was seen), then ``bury()``. In between, records whose file is not where it was are *displaced*: they have left their
/// folder and may turn up in another.
struct FolderTree: Sendable {
    var records = RecordStore()
    var children: [RecordID: [EntryName: RecordID]] = [:]
    var log: ChangeLog
    /// What the shell has to write down, in order.
    var remembered: [StateEntry] = []
    /// Off while all of it is going to be written down anyway.
    var isRemembering = true

    /// Records whose file was not found where it was.
    var displaced: Set<RecordID> = []
    /// Those of them whose name may still be taken over by the file that is there now.
    var displacedAt: [Place: RecordID] = [:]
    /// Files seen at places where it is not clear yet which item they are.
    var pending: [Place: FileFacts] = [:]

    /// Of documents whose contents are known; of a version that they had, perhaps.
    var contents: [RecordID: KnownContents] = [:]
    /// What files were found to have in this batch.
    var verdicts: [RecordID: ContentVerdict] = [:]
    /// Documents of which nothing but the time of change is another, and that were not read yet. They keep their versions and
    /// facts until then, so that every later look asks again, also in later runs.
    var unsettled: Set<RecordID> = []

    /// Documents that sides of conflicts are kept of.
    private(set) var sided: Set<RecordID> = []

    /// By inode.
    private var holders: [UInt64: RecordID] = [:]
    /// More holders of files with several names.
    private var moreHolders: [UInt64: [RecordID]] = [:]
    /// Files that are going to be the items' when they are seen.
    private var expected: [FileKey: RecordID] = [:]
    private var graves = Graves()
    private var restoredBurials: [RecordID: UInt64] = [:]

    init(capacity: Int = 1 << 18) {
        log = ChangeLog(capacity: capacity)
    }

    var root: FolderRecord? { records[.root] }

    var isSettled: Bool { pending.isEmpty && displaced.isEmpty }

    func record(at place: Place) -> FolderRecord? {
        children[place.parent]?[place.name].flatMap { records[$0] }
    }

    func place(of id: RecordID) -> Place? {
        records[id].flatMap { record in record.name.map { Place(parent: record.parent, name: $0) } }
    }

    /// The names from the top folder down; nil when the item is unknown or not placed.
    func components(of id: RecordID) -> [EntryName]? {
        var components: [EntryName] = []
        var next = id
        while next != .root {
            // More levels than records: two folders that the disk has exchanged lie in each other for the moment.
            guard let record = records[next], let name = record.name, !displaced.contains(next),
                components.count <= records.count
            else { return nil }
            components.append(name)
            next = record.parent
        }
        return components.reversed()
    }

    /// The item at a path.
    func record(at components: [EntryName]) -> FolderRecord? {
        var id = RecordID.root
        for component in components {
            guard let next = children[id]?[component] else { return nil }
            id = next
        }
        return records[id]
    }

    // MARK: Which records a file has

    /// The records that may be a file seen anywhere.
    func holders(of facts: FileFacts) -> [RecordID] {
        ids(of: facts.key).filter { id in
            guard let record = records[id], record.facts.isFolder == facts.isFolder else { return false }
            // Without a birth time, the number may have been given to another file since.
            return facts.key.born != nil || facts.isFolder || record.facts.hasSameContents(as: facts)
        }
    }

    func grave(of key: FileKey) -> RecordID? { graves[key] }

    func ids(of key: FileKey) -> [RecordID] {
        guard let first = holders[key.inode] else { return [] }
        return ([first] + (moreHolders[key.inode] ?? [])).filter {
            records[$0]?.facts.key == key || expected[key] == $0
        }
    }

    mutating func addHolder(_ id: RecordID, of key: FileKey) {
        graves.remove(key)
        if let first = holders[key.inode] {
            if first != id, moreHolders[key.inode]?.contains(id) != true {
                moreHolders[key.inode, default: []].append(id)
            }
        } else {
            holders[key.inode] = id
        }
    }

    mutating func removeHolder(_ id: RecordID, of key: FileKey) {
        var more = moreHolders[key.inode] ?? []
        more.removeAll { $0 == id }
        if holders[key.inode] == id { holders[key.inode] = more.isEmpty ? nil : more.removeFirst() }
        moreHolders[key.inode] = more.isEmpty ? nil : more
    }

    /// An item was about to be given another file when an earlier run ended: wherever that file is found, it is this
    /// item.
    mutating func expect(_ key: FileKey, for id: RecordID) {
        guard records[id] != nil else { return }
        addHolder(id, of: key)
        expected[key] = id
    }

    mutating func endExpecting(_ key: FileKey, for id: RecordID) {
        expected[key] = nil
        if records[id]?.facts.key.inode != key.inode { removeHolder(id, of: key) }
    }

    mutating func remember(_ entry: StateEntry) {
        if isRemembering { remembered.append(entry) }
    }

    mutating func dig(_ id: RecordID, for key: FileKey) {
        if key.born != nil, ids(of: key).isEmpty { graves.add(key, id) }
    }

    /// An identifier that no item has or recently had.
    func freeID(for key: FileKey) -> RecordID {
        var attempt: UInt64 = 0
        while true {
            let id = RecordID.minted(from: key, attempt: attempt)
            if records[id] == nil, !graves.contains(id) { return id }
            attempt += 1
        }
    }

    // MARK: Kept versions

    /// - Parameter retelling: those of which others are kept than before, be they as many.
    mutating func setSides(_ counts: [RecordID: Int], retelling: Set<RecordID>) {
        for id in sided.union(counts.keys) {
            guard var record = records[id] else {
                sided.remove(id)
                continue
            }
            let count = UInt8(clamping: counts[id] ?? 0)
            guard record.conflictSides != count || retelling.contains(id) else { continue }
            record.conflictSides = count
            record.sequence = log.add(id)
            record.metadataSequence = record.sequence
            records[id] = record
            noteSides(of: id)
            remember(.record(record))
        }
    }

    private mutating func noteSides(of id: RecordID) {
        if records[id]?.conflictSides ?? 0 > 0 { sided.insert(id) } else { sided.remove(id) }
    }

    // MARK: Earlier runs

    mutating func restore(_ record: FolderRecord) {
        records[record.id] = record
        noteSides(of: record.id)
        log.restore(floor: 0, last: record.sequence)
    }

    mutating func restoreBurial(_ burial: Burial) {
        records[burial.id] = nil
        contents[burial.id] = nil
        sided.remove(burial.id)
        restoredBurials[burial.id] = burial.sequence
        if let key = burial.key, key.born != nil { graves.add(key, burial.id) }
        log.restore(floor: 0, last: burial.sequence)
    }

    /// Makes the indexes for what was restored.
    mutating func finishRestoring(floor: UInt64, last: UInt64) {
        let newest = max(last, log.last)
        log = ChangeLog(capacity: log.capacity)
        log.restore(floor: floor, last: floor)
        var entries = restoredBurials.filter { records[$0.key] == nil }.map {
            ChangeLog.Entry(sequence: $0.value, id: $0.key)
        }
        entries += records.values.map { ChangeLog.Entry(sequence: $0.sequence, id: $0.id) }
        for entry in entries.filter({ $0.sequence > floor }).sorted(by: { $0.sequence < $1.sequence }) {
            _ = log.add(entry.id, at: entry.sequence)
        }
        log.restore(floor: floor, last: newest)
        restoredBurials = [:]
        contents = contents.filter { $0.value.version == records[$0.key]?.contentVersion }
        for record in records.values.sorted(by: { $0.sequence < $1.sequence }) {
            addHolder(record.id, of: record.facts.key)
            guard let name = record.name else { continue }
            if records[record.parent]?.facts.isFolder == true {
                // Of two at one place the later one is right: the earlier one was displaced when the run ended.
                if let other = children[record.parent, default: [:]].updateValue(record.id, forKey: name) {
                    displaced.insert(other)
                }
            } else {
                displaced.insert(record.id)
            }
        }
    }

    /// Everything that an empty tree needs to become this one.
    var burials: [Burial] {
        log.all.filter { records[$0.id] == nil }.map {
            Burial(id: $0.id, key: graves.key(of: $0.id), sequence: $0.sequence)
        }
    }
}

/// An item that is gone.
struct Burial: Hashable, Sendable {
    var id: RecordID
    /// The file that it was; nil when nobody could recognise it again.
    var key: FileKey?
    var sequence: UInt64
}

/// Items that are gone, by their file: a file that comes back gets its identifier back. The last ones only.
private struct Graves: Sendable {
    private static let capacity = 1 << 16
    private var byKey: [FileKey: RecordID] = [:]
    private var byID: [RecordID: FileKey] = [:]
    private var order: [FileKey] = []

    subscript(key: FileKey) -> RecordID? { byKey[key] }

    func key(of id: RecordID) -> FileKey? { byID[id] }

    func contains(_ id: RecordID) -> Bool { byID[id] != nil }

    mutating func add(_ key: FileKey, _ id: RecordID) {
        remove(key)
        byKey[key] = id
        byID[id] = key
        order.append(key)
        guard order.count > 2 * Self.capacity else { return }
        let surplus = order.prefix(order.count - Self.capacity)
        order.removeFirst(surplus.count)
        // A key that was dug again stands twice; forgetting it early costs an identifier, no document.
        for key in surplus { remove(key) }
    }

    mutating func remove(_ key: FileKey) {
        guard let id = byKey.removeValue(forKey: key) else { return }
        byID[id] = nil
    }
}
