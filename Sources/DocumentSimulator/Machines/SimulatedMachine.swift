internal import DocumentModel
internal import DocumentSync

/// One machine: what its disk holds, what its index has written down, and the engine that runs between two crashes.
struct SimulatedMachine {
    /// What survives a crash, a change at a time.
    struct Index {
        var trees = SyncTrees()
        /// Which file is which item.
        var files: [ItemIdentifier: Int] = [:]
        var anchor = 0
        /// What was last sent of an item: an answer that never came may have been a yes.
        var sent: [ItemIdentifier: Sent] = [:]
        /// A step whose result on the disk could be taken for somebody's doing, or that has more than one part: written
        /// down before it begins.
        var intent: Intent?
    }

    struct Sent {
        var revision: UInt64
        var contents: UInt64
    }

    enum Intent {
        /// The file is that of the contents that go on under the copy's name.
        case keepBoth(ItemIdentifier, SyncOperation.Divergence, file: Int)
        /// The file goes; the item is known so, then.
        case hide(ItemIdentifier, SyncTrees.Local)
        /// The file goes to another place, be it out of another's way.
        case relocate(ItemIdentifier, SyncPlace, parked: Bool)
    }

    let number: Int
    var disk = SimulatedDisk()
    var index = Index()
    /// Nil while the machine is down.
    var engine: SimulatedEngine?
    var incarnation = 0
    /// How wrong its clock is, in microseconds.
    var clockError: Int64 = 0
    /// Contents in staging.
    var staged: [ItemIdentifier: UInt64] = [:]
    var random: SeededRandom
    var approved: Set<ItemIdentifier> = []
    /// For a mistake: its own clock says when something was written, whatever it has seen of others.
    var trustsItsClock = false
    /// The request for changes that an answer is awaited to; 0 when none is.
    var poll = 0
    var lastPoll = 0
    /// What was known of the provider when changes were asked for last.
    var knownBefore: Set<ItemIdentifier> = []
    /// When changes are asked for next; 0 when nothing is planned.
    var pollDue = 0
    private var lastItem = 0

    var device: UInt64 { UInt64(number + 1) }

    init(number: Int, seed: UInt64) {
        self.number = number
        random = SeededRandom(seed: seed &+ UInt64(number) &* 7919)
    }

    // MARK: What is where

    func file(of id: ItemIdentifier) -> Int? {
        if id == index.trees.root { return 0 }
        return index.files[id].flatMap { disk.entries[$0] == nil ? nil : $0 }
    }

    func id(ofFile number: Int) -> ItemIdentifier? {
        number == 0 ? index.trees.root : index.files.first { $0.value == number }?.key
    }

    func entry(of id: ItemIdentifier) -> SimulatedDisk.Entry? { file(of: id).flatMap { disk.entries[$0] } }

    /// An item as its file is now.
    mutating func observe(_ id: ItemIdentifier, at wall: Int64) -> SyncTrees.Local? {
        guard let entry = entry(of: id), let parent = self.id(ofFile: entry.parent) else { return nil }
        let known = index.trees.local[id]?.node
        let revision = entry.contents == nil ? nil : entry.revision
        var stamp = known?.stamp ?? .zero
        if known == nil || known?.revision != revision, revision != nil {
            let followed = engine?.stamp(wall: wall + clockError) ?? .zero
            stamp = trustsItsClock ? VersionStamp(time: wall + clockError, device: device) : followed
        }
        return SyncTrees.Local(
            place: SyncPlace(parentID: parent, name: entry.name), kind: entry.kind, revision: revision, stamp: stamp,
            isParked: known?.isParked ?? false)
    }

    /// Compares the whole disk with what was written down of it.
    mutating func scan(at wall: Int64, ignoringWrites: Bool = false) -> [TreeChange] {
        nameNewFiles()
        var changes: [TreeChange] = []
        for id in index.files.keys.sorted() {
            guard let node = observe(id, at: wall), index.trees.local[id] != .present(node) else { continue }
            if ignoringWrites, let known = index.trees.local[id]?.node, known.place == node.place { continue }
            changes.append(.local(id, .present(node)))
        }
        for (id, sighting) in index.trees.local.sorted(by: { $0.key < $1.key }) {
            guard let node = sighting.node, !node.isHidden, file(of: id) == nil else { continue }
            index.files[id] = nil
            changes.append(.local(id, .gone))
        }
        return changes
    }

    private mutating func nameNewFiles() {
        var known = Set(index.files.values)
        for number in disk.numbers where !known.contains(number) {
            guard let entry = disk.entries[number] else { continue }
            if entry.kind != .folder, entry.contents == nil {
                // A placeholder that nothing is written down of stands for nothing.
                disk.set(number, nil)
                continue
            }
            let id = replaced(by: entry) ?? newID()
            index.files[id] = number
            known.insert(number)
        }
    }

    /// A document that was saved as another file under its name is still that document. What is hidden has no name here
    /// that a file could be saved under.
    private func replaced(by entry: SimulatedDisk.Entry) -> ItemIdentifier? {
        guard entry.kind != .folder, let parent = id(ofFile: entry.parent) else { return nil }
        let place = SyncPlace(parentID: parent, name: entry.name)
        return index.files.keys.sorted().first { id in
            guard let node = index.trees.local[id]?.node, !node.isHidden, file(of: id) == nil else { return false }
            return node.place == place && node.kind == entry.kind
        }
    }

    private mutating func newID() -> ItemIdentifier {
        lastItem += 1
        return (try? ItemIdentifier("n\(number)-\(lastItem)-\(random.next() % 1_000_000)")) ?? index.trees.root
    }

    // MARK: The index

    mutating func record(_ changes: [TreeChange]) {
        for change in changes {
            index.trees.apply(change)
            switch change {
            case .identified(let old, let new) where old != new:
                let file = index.files.removeValue(forKey: old)
                if let other = index.files.removeValue(forKey: new), other != file,
                    disk.entries[other]?.contents == nil, disk.entries[other]?.kind != .folder
                {
                    disk.set(other, nil)
                }
                index.files[new] = file
                index.sent[new] = index.sent.removeValue(forKey: old)
            case .local(let id, nil), .local(let id, .gone): index.files[id] = nil
            case .local(let id, .present(let node)) where node.isHidden: index.files[id] = nil
            default: break
            }
        }
    }
}
