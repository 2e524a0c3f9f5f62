internal import DocumentModel
internal import DocumentSync

/// A machine's files, of which a crash leaves any prefix of what was done since the last flush.
struct SimulatedDisk {
    struct Entry: Equatable {
        /// 0 for the top folder.
        var parent: Int
        var name: ItemName
        var kind: ItemKind
        /// Nil for folders and placeholders.
        var contents: UInt64?
        /// Changes with every write.
        var revision: UInt64 = 0
    }

    private(set) var entries: [Int: Entry] = [:]
    private var durable: [Int: Entry] = [:]
    private var pending: [(Int, Entry?)] = []
    private var lastNumber = 0
    private var lastRevision: UInt64 = 0
    private(set) var writes = 0

    var numbers: [Int] { entries.keys.sorted() }

    mutating func set(_ number: Int, _ entry: Entry?) {
        writes += 1
        entries[number] = entry
        pending.append((number, entry))
    }

    mutating func add(_ entry: Entry) -> Int {
        lastNumber += 1
        set(lastNumber, entry)
        return lastNumber
    }

    /// Whole contents in one step, as a rename gives them.
    mutating func replace(_ number: Int, _ contents: UInt64?) -> UInt64 {
        guard var entry = entries[number] else { return 0 }
        lastRevision += 1
        entry.contents = contents
        entry.revision = lastRevision
        set(number, entry)
        return lastRevision
    }

    /// Contents byte by byte, under the name that they are read by: half of them are there first.
    mutating func overwrite(_ number: Int, _ contents: UInt64) -> UInt64 {
        _ = replace(number, contents | Ledger.damage)
        return replace(number, contents)
    }

    mutating func flush() {
        for (number, entry) in pending { durable[number] = entry }
        pending = []
    }

    mutating func crash(_ random: inout SeededRandom) {
        for (number, entry) in pending.prefix(random.below(pending.count + 1)) { durable[number] = entry }
        pending = []
        entries = durable
        // A folder that was not made in time has nothing in it.
        while let orphan = entries.first(where: { $0.value.parent != 0 && entries[$0.value.parent] == nil })?.key {
            entries[orphan] = nil
            durable[orphan] = nil
        }
    }

    func children(of number: Int) -> [Int] { numbers.filter { entries[$0]?.parent == number } }

    /// Whoever has a name in a folder, but for case and Unicode form.
    func holder(of name: ItemName, in folder: Int) -> Int? {
        let key = PlannerCase.folded(name)
        return entries.first { $0.value.parent == folder && PlannerCase.folded($0.value.name) == key }?.key
    }

    func isBelow(_ number: Int, _ folder: Int) -> Bool {
        var next = number
        while next != 0 {
            if next == folder { return true }
            next = entries[next]?.parent ?? 0
        }
        return false
    }
}
