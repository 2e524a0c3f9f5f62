/// What people do in a run, and what goes wrong in it: all of it drawn from the seed, so that parts can be left out.
package struct Scenario: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            case create, edit, move, delete, makeFolder, open, evict, copy
            case editUncoordinated, saveByRename, moveUncoordinated
            case webCreate, webEdit, webMove, webDelete, webMakeFolder, webSwap, webClash
            case crash, jumpClock, loseIndex
        }

        /// Milliseconds since the start.
        package var time: Int
        package var machine: Int
        package var kind: Kind
        /// Says which item, which name.
        package var choice: UInt64
    }

    /// Each fault happens once in so many times; never when that is 0.
    package struct Faults: Hashable, Sendable {
        package var lostRequest = 0
        package var lostReply = 0
        package var doubled = 0
        package var slow = 0
        package var crash = 0
        /// Between a step on the disk and the index, where the two differ.
        package var crashBetween = 0
        package var transient = 0
        package var flippedBits = 0
        package var expiredAnchor = 0
        /// From when to when the provider cannot be reached, or has no room.
        package var outage: Range<Int>?
        package var isQuota = false
        /// From when to when a machine's disk is full, and which machine's.
        package var fullDisk: Range<Int>?
        package var fullMachine = 0
    }

    package var seed: UInt64
    package var machines: Int
    /// Whether the provider takes names that differ only by case.
    package var allowsClashes: Bool
    /// When people stop, and faults.
    package var end: Int
    package var steps: [Step]
    package var faults: Faults
    /// Whether there are neither folders, packages nor moves: several machines edit the same few documents.
    package let isOfDocuments: Bool

    package init(seed: UInt64, isOfDocuments: Bool = false) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        machines = 2 + random.below(2)
        self.isOfDocuments = isOfDocuments
        allowsClashes = random.once(in: 4) || isOfDocuments
        let kinds = isOfDocuments ? Self.kindsOfDocuments : Self.kinds
        // Few documents are edited often.
        let count = isOfDocuments ? 8 + random.below(24) : 4 + random.below(14)
        end = 10_000 + count * (isOfDocuments ? 700 : 1500)
        steps = []
        for _ in 0..<count {
            steps.append(
                Step(
                    time: random.below(end), machine: random.below(machines),
                    kind: kinds[random.below(kinds.count)], choice: random.next()))
        }
        steps.sort { ($0.time, $0.choice) < ($1.time, $1.choice) }
        // What people do comes in bursts: much of it while something else is under way.
        for index in steps.indices.dropFirst() where random.once(in: 3) {
            steps[index].time = steps[index - 1].time + random.below(120)
            if random.once(in: 2) { steps[index].machine = steps[index - 1].machine }
        }
        steps.sort { ($0.time, $0.choice) < ($1.time, $1.choice) }
        faults = Faults()
        // Some runs have no faults at all, so that what is wrong without them shows.
        if random.once(in: 8) { return }
        faults.lostRequest = random.once(in: 2) ? 0 : 8
        faults.lostReply = random.once(in: 2) ? 0 : 8
        faults.doubled = random.once(in: 2) ? 0 : 8
        faults.slow = random.once(in: 2) ? 0 : 6
        faults.crash = random.once(in: 2) ? 0 : 40
        faults.crashBetween = random.once(in: 2) ? 0 : 10
        faults.transient = random.once(in: 2) ? 0 : 8
        faults.flippedBits = random.once(in: 2) ? 0 : 4
        faults.expiredAnchor = random.once(in: 3) ? 6 : 0
        if random.once(in: 3) {
            let start = random.below(end)
            faults.outage = start..<start + 2000 + random.below(8000)
            faults.isQuota = random.once(in: 2)
        }
        if random.once(in: 4) {
            let start = random.below(end)
            faults.fullDisk = start..<start + 1000 + random.below(6000)
            faults.fullMachine = random.below(machines)
        }
    }

    /// What people do often is in here often.
    private static let kinds: [Step.Kind] = [
        .create, .create, .create, .edit, .edit, .edit, .edit, .edit, .move, .move, .delete, .makeFolder, .open, .open,
        .open, .evict, .copy, .editUncoordinated, .saveByRename, .moveUncoordinated, .webCreate, .webCreate, .webEdit,
        .webEdit, .webMove, .webDelete, .webMakeFolder, .webSwap, .webClash, .crash, .jumpClock, .loseIndex,
    ]

    private static let kindsOfDocuments: [Step.Kind] = [
        .create, .create, .edit, .edit, .edit, .edit, .edit, .edit, .edit, .edit, .edit, .edit, .edit, .edit, .delete,
        .open, .open, .open, .open, .evict, .copy, .editUncoordinated, .saveByRename, .webCreate, .webEdit, .webDelete,
        .crash, .jumpClock, .loseIndex,
    ]
}

extension Scenario: CustomStringConvertible {
    package var description: String {
        var lines = ["seed \(seed), \(machines) machines\(allowsClashes ? ", names may clash" : ""), faults: \(faults)"]
        lines += steps.map { "  \($0.time) ms, machine \($0.machine): \($0.kind.rawValue) \($0.choice)" }
        return lines.joined(separator: "\n")
    }
}
